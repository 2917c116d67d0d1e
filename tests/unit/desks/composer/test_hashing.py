"""Passwords are hashed as the system itself would."""

import shutil
import subprocess

import pytest

from vademecum.desks.composer.hashing import hashed


def test_a_known_hash():
    wanted = (
        "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"
    )
    assert hashed("Hello world!", "saltstring") == wanted


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is the oracle")
@pytest.mark.parametrize(
    "password",
    ["x", "geheim99", "a" * 63, "b" * 64, "c" * 65, "d" * 200, "pässwörd mit umlaut", "$6$notahash"],
)
def test_openssl_agrees(password):
    done = subprocess.run(
        ["openssl", "passwd", "-6", "-salt", "saltsalt", "-stdin"],
        input=password,
        capture_output=True,
        text=True,
        check=True,
    )
    assert hashed(password, "saltsalt") == done.stdout.strip()


def test_every_hash_has_a_salt_of_its_own():
    assert hashed("same") != hashed("same")
    assert hashed("same").startswith("$6$")
