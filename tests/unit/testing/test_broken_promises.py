"""`broken_promises` names what a source gets wrong, and never raises itself."""

import pytest

from vademecum import Block, Document, DocumentRef
from vademecum.testing import MemorySource, broken_promises, document


class Source(MemorySource):
    """A source with one document, of which a test changes something."""

    def __init__(self, **changes):
        super().__init__("mine", [document("office.md", ("", ["It is open."]))])
        self.changes = changes

    def read(self, refs):
        if "raises" in self.changes:
            raise ValueError("boom")
        for found in super().read(refs):
            fields = {name: getattr(found, name) for name in Document.__dataclass_fields__}
            yield Document(**fields | {name: value for name, value in self.changes.items() if name in fields})


def test_a_sound_source_breaks_none():
    assert broken_promises(Source()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"blocks": (Block("para", 0, 11),)}, "of no known kind"),
        ({"blocks": ()}, "text outside of all blocks"),
        ({"text": " It is open."}, "white space"),
        ({"names": ("other",)}, "not the first of its names"),
        ({"key": "other"}, "another key"),
        ({"raises": True}, "It raised ValueError: boom"),
    ],
)
def test_reports_broken_promises(changes, said):
    assert any(said in broken for broken in broken_promises(Source(**changes)))


@pytest.mark.parametrize("name", ["alias", "parser"])
def test_a_member_that_is_missing(name):
    source = Source()
    delattr(source, name)
    assert broken_promises(source) == [f"It has no {name}."]


def test_a_source_that_lists_nothing_or_something_else():
    source = Source()
    source.scan = lambda: iter([DocumentRef(key="x", names=("x",), fingerprint="1")])
    assert broken_promises(source)
    assert broken_promises(MemorySource("mine", [])) == ["It lists no document."]
