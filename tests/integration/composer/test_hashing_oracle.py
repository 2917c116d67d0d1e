"""Passwords are hashed as `openssl passwd` hashes them."""

import subprocess

import pytest

from vademecum.desks.composer.editing.passwords import hashed


@pytest.mark.oracle
@pytest.mark.needs("openssl")
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
