"""An example of a tldr page is the line to type where the installed manual page states every part of it."""

import shutil
from pathlib import Path

import pytest

from vademecum import Library, Places
from vademecum.core.evidence import COMPOSED

PAGES = Path(__file__).parents[2] / "data" / "commands"
TLDR = """\
# pack

> Keep files together.

- Wrap several letters for the post office:

`pack {{[-c|--create]}} -v -f {{path/to/target.pack}} {{path/to/file1 path/to/file2 ...}}`

- Send letters to the moon:

`pack --moon {{path/to/file}}`

- Count letters in a drawer:

`pack -t {{path/to/drawer}} | wc -l`

- Delete letters that nobody reads:

`pack -x {{path/to/file}}`
"""

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("examples")
    shutil.copytree(PAGES, folder / "manual")
    (folder / "tldr/pages/common").mkdir(parents=True)
    (folder / "tldr/pages/common/pack.md").write_text(TLDR)
    with Library.open(Places(folder / "data", folder / "config")) as opened:
        for seeded in opened.sources():
            opened.remove_source(seeded.alias)
        opened.add_source(folder / "manual", type="man")
        opened.add_source(folder / "tldr", type="tldr")
        assert opened.reindex().problems == ()
        opened.threshold = 0.0
        yield opened


def lead(answer):
    return answer.steps[0].command if answer.steps and answer.steps[0].origin == COMPOSED else ""


def test_the_example_that_does_what_is_asked_is_the_line(library):
    answer = library.ask("wrap several letters for the post office in mail.txt")
    assert lead(answer) == "pack -c -v -f mail.txt FILE1 FILE2"
    cited = [answer.citations[at] for at in answer.steps[0].citations]
    assert {one.document_ref for one in cited} == {"pack(1)", "pack(tldr)"}
    assert [step.command for step in answer.steps[1:]] == ["-c", "-v", "-f mail.txt"]
    assert all(library.text(one.document)[one.start : one.end] == one.quote for one in answer.citations)
    assert not answer.dropped


@pytest.mark.parametrize("question", ["send letters to the moon", "count letters in a drawer"])
def test_what_the_installed_page_does_not_state_is_not_offered(library, question):
    line = lead(library.ask(question))
    assert "moon" not in line
    assert "|" not in line


def test_what_destroys_is_offered_only_where_it_is_asked_for(library):
    assert lead(library.ask("letters that nobody reads")) != "pack -x FILE"
    assert lead(library.ask("delete letters that nobody reads")) == "pack -x FILE"
