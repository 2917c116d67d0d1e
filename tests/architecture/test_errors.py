"""Every error has a code of its own, ends a process with a code that is not success, and is public."""

from vademecum import errors
from vademecum.core.errors import all_errors


def test_errors():
    found = list(all_errors())
    assert len(found) == len({error.code for error in found}) == 26
    assert {error.exit_code for error in found} == {1, 2, 4}
    assert set(errors.__all__) == {error.__name__ for error in found}


def test_an_error_of_a_guest_has_the_codes_of_its_family():
    class PartMissing(errors.IndexMissing):
        code = "PART_MISSING"

    assert (PartMissing.exit_code, PartMissing.status) == (4, 503)
    assert PartMissing not in all_errors()
