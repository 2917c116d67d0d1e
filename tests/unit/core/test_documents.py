"""What names a document."""

import hashlib

from vademecum.core.documents import digest
from vademecum.testing import document


def test_a_digest_names_reference_and_words():
    page = document("true(1)", ("NAME", ["true - do nothing"]))
    assert page.digest() == hashlib.sha256(b"true(1)\0NAME\ntrue - do nothing").hexdigest()
    assert page.digest() == digest("true(1)", page.text)
    assert page.digest() != document("false(1)", ("NAME", ["true - do nothing"])).digest()


def test_the_key_does_not_change_the_digest():
    one, other = (document("true(1)", ("", ["same"]), key=key, summary=key) for key in ("a", "b"))
    assert one.digest() == other.digest()
