"""Every error has its exit code."""

from vademecum.core.errors import EXIT_CODES, VademecumError


def family(root):
    return {root}.union(*(family(child) for child in root.__subclasses__()))


def test_every_error_has_an_exit_code():
    assert set(EXIT_CODES) == {e for e in family(VademecumError) if e.__module__ == VademecumError.__module__}


def test_no_error_looks_like_success():
    assert len(EXIT_CODES) > 1
    assert 0 not in EXIT_CODES.values()
