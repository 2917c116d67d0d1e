"""Passwords are hashed as the system itself would."""

from vademecum.desks.composer.editing.passwords import hashed


def test_a_known_hash():
    wanted = (
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
    assert hashed("Hello world!", "saltstring") == wanted


def test_every_hash_has_a_salt_of_its_own():
    assert hashed("same") != hashed("same")
    assert hashed("same").startswith("$6$")
