"""`Library`: one door, over a small manual, the real renderer and the real engine."""

import ast
import importlib
import inspect
import os
import pydoc
import shutil
import sys
import time
import typing
from pathlib import Path

import pytest

import vademecum
import vademecum.errors
from vademecum import AnswerStream, Collections, Library, Places
from vademecum.ask.kinds import Corpus
from vademecum.ask.path import ask
from vademecum.core.answers import LOW_CONFIDENCE
from vademecum.core.errors import (
    AnswerError,
    ConfigError,
    IndexCorrupt,
    IndexMissing,
    IndexStale,
    SourceError,
    StoreError,
)
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.library.internal import InternalLibrary
from vademecum.retrieval.methods import METHODS

MANUAL = Path(__file__).parents[2] / "data" / "manual"
QUESTION = "How do I change file permissions?"

pytestmark = pytest.mark.needs("mandoc")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A library of the small manual, for tests that only read."""
    folder = tmp_path_factory.mktemp("built")
    tree = folder / "manual"
    shutil.copytree(MANUAL, tree)
    places = Places(folder / "data", folder / "config")
    Library.open(places).add(tree)
    return places


@pytest.fixture
def library(built):
    return InternalLibrary.open(built)


@pytest.fixture
def own(tmp_path):
    """A library of a copy of the small manual, for tests that change it: the library and the copy."""
    tree = tmp_path / "manual"
    shutil.copytree(MANUAL, tree)
    library = Library.open(Places(tmp_path / "data", tmp_path / "config"))
    report = library.add(tree)
    assert (report.documents, report.added, report.problems) == (4, 4, ())
    return library, tree


def touch(folder):
    later = time.time_ns() + 1_000_000_000
    os.utime(folder, ns=(later, later))


# --- the package ------------------------------------------------------------------------------------------------------


def test_the_public_names():
    for name in dir(vademecum):
        assert getattr(vademecum, name) is not None
        assert name.startswith("_") or name in vademecum.__doc__
    with pytest.raises(AttributeError, match="no attribute 'Libary'"):
        vademecum.Libary  # noqa: B018
    assert {error.__name__ for error in vars(vademecum.errors).values() if inspect.isclass(error)} <= {
        *dir(vademecum)
    }


def test_help_fits_on_a_screen():
    shown = pydoc.plain(pydoc.render_doc(vademecum))
    assert len(shown.splitlines()) <= 60
    assert "Library" in shown


def test_every_type_that_a_call_can_return_is_public():
    """What is reached from the library, by annotations of what its methods return and of the fields of that."""
    seen, waiting = set(), [Library, Collections, AnswerStream]
    while waiting:
        found = waiting.pop()
        if found in seen or found is InternalLibrary:  # of which only what is a library counts
            continue
        seen.add(found)
        for called in vars(found).values():
            function = getattr(called, "fget", None) or getattr(called, "__func__", called)
            if inspect.isfunction(function) and (not function.__name__.startswith("_")):
                waiting += ours_in(annotation(function.__annotations__.get("return"), function))
        for hint in inspect.get_annotations(found).values():
            waiting += ours_in(annotation(hint, found))
    missing = {found.__name__ for found in seen} - {*dir(vademecum)}
    assert not missing
    assert len(seen) > 20


def annotation(hint, of):
    """An annotation as written, evaluated with the names that its module has for type checkers, too."""
    if not isinstance(hint, str):
        return hint
    module = sys.modules[of.__module__]
    names = {**vars(vademecum.core.trace), **vars(module)}
    source = ast.parse(Path(module.__file__).read_text())
    for node in ast.walk(source):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vademecum"):
            there = importlib.import_module(node.module)
            names |= {part.asname or part.name: getattr(there, part.name, None) for part in node.names}
    return eval(hint, names)  # noqa: S307 - our own source


def ours_in(hint):
    inner = [found for part in typing.get_args(hint) for found in ours_in(part)]
    is_ours = inspect.isclass(hint) and hint.__module__.startswith("vademecum")
    return [*inner, hint] if is_ours else inner


def test_one_folder_is_a_library(tmp_path):
    folder = tmp_path / "library"
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "office.md").write_text("# Office\n\nThe office opens at seven.\n")
    with Library.open(str(folder)) as library:
        assert library.sources() == []
        library.add(notes)
        answer = library.ask("When does the office open?")
    assert str(answer).startswith("Summary\n\nThe office opens at seven. (notes) [1]\n")
    assert repr(library) == f"Library(data='{folder}', config='{folder}')"
    with Library.open(folder) as again:
        (notes / "late.md").write_text("# Late\n\nThe library opens at nine.\n")
        stale = again.ask("When does the office open?")
        assert str(stale).startswith(f"Warning: {stale.warnings[0]}\n\nSummary\n\nThe office opens at seven.")
        refused = again.ask("Who painted the ceiling of the chapel?")
    assert refused.guidance[0] in str(refused).splitlines()


@pytest.mark.parametrize(("path", "said"), [("", "empty path"), (__file__, "is a file")])
def test_what_is_no_folder_is_refused(path, said):
    with pytest.raises(ConfigError, match=said) as caught:
        Library.open(path)
    assert caught.value.hint


def test_a_library_of_its_own_is_not_built_by_ragadmin(tmp_path):
    with Library.open(tmp_path / "new") as library, pytest.raises(IndexMissing) as caught:
        library.ask(QUESTION)
    assert caught.value.hint.startswith("Build it with: library.reindex()")


# --- asking -----------------------------------------------------------------------------------------------------------


def test_opening_writes_nothing(tmp_path):
    library = Library.open(Places(tmp_path / "data", tmp_path / "config"))
    assert [entry.alias for entry in library.sources()] == ["man-pages", "info-pages"]
    assert library.stale() == ()
    with pytest.raises(IndexMissing) as caught:
        library.ask(QUESTION)
    assert "ragadmin reindex" in caught.value.hint
    assert not (tmp_path / "data").exists()


def test_by_default_it_is_the_one_ragman_asks():
    assert Library.open().places.data == Path(os.environ["XDG_DATA_HOME"]) / "ragcli"
    assert Library.open().places.settings_file == Path(os.environ["XDG_CONFIG_HOME"]) / "ragcli/config.yaml"


def test_an_answer_is_cited_to_the_letter(library):
    answer = library.ask(QUESTION)
    assert not answer.no_answer
    assert [reference.document_ref for reference in answer.references][:1] == ["chmod(1)"]
    assert answer.citations
    for citation in answer.citations:
        assert library.text(citation.document)[citation.start : citation.end] == citation.quote
    assert answer.warnings == ()


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "make a file read-only for everyone",
        "chown recursively",
        "what does -v do",
        "who may give a file away",
        "umask(2)",
        "set the mask of a process",
        "the fields of fstab",
        "mount a filesystem at boot",
        "octal",
        "EPERM error",
        "permisions",
        "zyzzyva of a file",
    ],
)
def test_whatever_is_answered_every_citation_is_to_the_letter(built, library, question):
    index = open_index(Generations(built.index_folder))
    answer = ask(question, [Corpus(index, 0.0)])
    assert answer.citations
    assert all(statement.citations for statement in (*answer.summary, *answer.steps))
    for citation in answer.citations:
        text = library.text(citation.document)
        assert text[citation.start : citation.end] == citation.quote != ""
    cited = {citation.document_ref for citation in answer.citations}
    assert cited == {reference.document_ref for reference in answer.references}


def test_the_same_question_has_the_same_answer(built):
    first, second = (Library.open(built).ask(QUESTION) for _ in range(2))
    assert first.citations == second.citations
    assert (first.summary, first.steps, first.confidence) == (second.summary, second.steps, second.confidence)


def test_search(library):
    hits = library.search(QUESTION, limit=2)
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].reference == "chmod(1)"
    assert library.text(hits[0].document)[hits[0].start : hits[0].end] == hits[0].text
    assert library.search_passages_bm25(QUESTION, limit=3)[0].reference == "chmod(1)"


def test_a_document_that_is_not_there_is_named(library):
    with pytest.raises(StoreError, match="no document nothing:0"):
        library.text("nothing:0")


@pytest.mark.parametrize("question", ["", " \t\n", "\x1f"])
def test_an_empty_question_is_refused(library, question):
    with pytest.raises(AnswerError):
        library.ask(question)


@pytest.mark.parametrize(
    "question",
    ["how is it that the of", "?!", "\udc80\udcff", "\0\1\2", "\U0010ffff", "日本語", "-", "x" * 1_000_000],
)
def test_a_question_of_nothing_is_answered_honestly(library, question):
    answer = library.ask(question)
    assert answer.no_answer
    assert answer.guidance[-1] == LOW_CONFIDENCE
    answer.question.encode()


def test_a_long_question_is_cut_and_says_so(library):
    answer = library.ask(f"{QUESTION} " * 50_000)
    assert any("Narrow the question" in warning for warning in answer.warnings)
    short = library.ask(QUESTION + " And then?" * 3, context_tokens=9)
    assert short.question == (QUESTION + " And then?")[:36].strip()
    (cut,) = short.warnings
    assert cut == "Only the first 9 tokens of the question were used. Narrow the question."
    assert (len(short.summary), len(short.steps)) == (1, 1)


# --- keeping ----------------------------------------------------------------------------------------------------------


def test_the_catalog_says_what_became_of_a_source(own):
    library, tree = own
    man_pages, info_pages, entry = library.sources()
    assert (man_pages.alias, man_pages.status) == ("man-pages", "pending")
    assert (info_pages.alias, info_pages.status) == ("info-pages", "pending")
    assert entry.alias == "manual"
    assert entry.location == str(tree)
    assert (entry.status, entry.documents) == ("active", 4)
    assert entry.size_bytes > 0
    assert entry.last_updated.endswith("+00:00")


def test_adding_it_again_adds_nothing(own):
    library, tree = own
    for what in (tree, "manual", f"{tree}/../manual"):
        report = library.add(what)
        assert (report.unchanged, report.published) == (4, False)
    assert len(library.sources()) == 3


@pytest.mark.parametrize("what", ["no-such-thing", "", "{tmp}/file", "{tmp}/file/below", "x" * 300, "a\0b"])
def test_what_can_not_be_read_is_not_added(tmp_path, what):
    (tmp_path / "file").touch()
    library = Library.open(Places(tmp_path / "data", tmp_path / "config"))
    with pytest.raises(SourceError) as caught:
        library.add(what.format(tmp=tmp_path))
    assert "folder" in caught.value.hint
    assert len(library.sources()) == 2


def test_a_source_of_another_name_stays_as_it_is(own, tmp_path):
    library, _ = own
    other = tmp_path / "other" / "manual"
    (other / "man1").mkdir(parents=True)
    (other / "man1" / "seal.1").write_text(
        ".TH SEAL 1\n.SH NAME\nseal \\- close an envelope for good\n.SH DESCRIPTION\nIt closes an envelope.\n"
    )
    assert library.add(other).documents == 5
    assert [entry.alias for entry in library.sources()] == ["man-pages", "info-pages", "manual", "manual-2"]
    assert library.search("close an envelope")[0].alias == "manual-2"
    assert library.search(QUESTION)[0].alias == "manual"
    assert library.reindex(sources=["manual"]).documents == 5
    assert not library.reindex(sources=["manual-2"]).published


def test_an_alias_that_is_not_there_is_named(own):
    with pytest.raises(SourceError, match="Source else not found"):
        own[0].reindex(sources=["else"])


def test_a_source_that_is_gone_is_named_and_still_answers(own):
    library, tree = own
    tree.rename(tree.with_name("moved"))
    with pytest.raises(SourceError, match="there is no folder"):
        library.reindex(sources=["manual"])
    entry = library.source("manual")
    assert entry.status == "error"
    assert str(tree) in entry.notes
    answer = library.ask(QUESTION)
    assert answer.references
    assert "cannot be read now" in answer.warnings[0]
    assert f"Bring {tree} back, or: ragadmin sources remove manual" in answer.warnings[0]
    assert "ragadmin reindex" not in answer.warnings[0]
    tree.with_name("moved").rename(tree)
    library.reindex(sources=["manual"])
    assert library.source("manual").status == "active"
    assert library.source("manual").notes == ""


def test_changed_sources_are_noticed(own):
    library, tree = own
    assert library.stale() == ()
    (tree / "man1" / "chmod.1").unlink()
    touch(tree / "man1")
    (reason,) = library.stale()
    assert reason == "manual has changed since the index was built."
    answer = library.ask(QUESTION)
    assert answer.warnings == (f"{reason} Bring it up to date with: ragadmin reindex",)
    with pytest.raises(IndexStale, match="manual has changed"):
        library.ask(QUESTION, strict=True)
    report = library.reindex(sources=["manual"])
    assert (report.removed, report.documents) == (1, 3)
    assert library.stale() == ()
    assert "chmod(1)" not in [hit.reference for hit in library.search(QUESTION)]


def test_what_is_not_asked_need_not_be_up_to_date(own, tmp_path):
    library, tree = own
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "seal.md").write_text("# Sealing\n\nAn envelope is sealed with a walrus.\n")
    library.add(notes)
    (notes / "more.md").write_text("# More\n\nA walrus is more than a seal.\n")
    touch(notes)
    assert library.stale() == ("notes has changed since the index was built.",)
    answer = library.ask(QUESTION, strict=True, sources=["manual"])
    assert answer.references
    assert answer.warnings == ()
    for sources in ([], ["notes"], ["manual", "notes"]):
        with pytest.raises(IndexStale, match="notes has changed") as caught:
            library.ask(QUESTION, strict=True, sources=sources)
        assert caught.value.hint == "Bring it up to date with: ragadmin reindex"
    with pytest.raises(SourceError, match="Source nothing not found"):
        library.ask(QUESTION, strict=True, sources=["nothing"])
    shutil.rmtree(notes)
    touch(tree / "man1")
    with pytest.raises(IndexStale) as caught:
        library.ask(QUESTION, strict=True)
    assert f"Bring {notes} back" in caught.value.hint
    assert "ragadmin reindex" in caught.value.hint


def test_a_change_back_to_the_same_pages_is_noted(own):
    library, tree = own
    touch(tree / "man1")
    assert library.stale()
    assert not library.reindex(sources=["manual"]).published
    assert library.stale() == ()


def test_a_new_section_is_noticed(own):
    library, tree = own
    (tree / "man7").mkdir()
    assert library.stale()


def test_an_open_library_answers_from_what_it_has_until_refreshed(own):
    library, tree = own
    reader = Library.open(library.places)
    assert reader.search(QUESTION)[0].reference == "chmod(1)"
    (tree / "man1" / "chmod.1").unlink()
    library.reindex(sources=["manual"])
    assert reader.search(QUESTION)[0].reference == "chmod(1)"
    reader.refresh()
    assert reader.search(QUESTION)[0].reference != "chmod(1)"


def test_an_index_of_nothing_says_what_to_install(own):
    library, tree = own
    shutil.rmtree(tree)
    (tree / "man1").mkdir(parents=True)
    assert library.reindex(sources=["manual"]).documents == 0
    with pytest.raises(IndexMissing) as caught:
        library.ask(QUESTION)
    assert "apt install" in caught.value.hint


def test_a_damaged_index_is_named_and_can_be_replaced(own):
    library, _ = own
    (library.places.index_folder / "CURRENT").write_text("nonsense\n")
    damaged = Library.open(library.places)
    with pytest.raises(IndexCorrupt) as caught:
        damaged.ask(QUESTION)
    assert "reindex --full" in caught.value.hint
    with pytest.raises(IndexCorrupt):
        damaged.reindex(sources=["manual"])
    assert damaged.reindex(full=True, sources=["manual"]).documents == 4
    assert damaged.ask(QUESTION).references


def test_an_index_made_by_other_rules_is_refused_until_it_is_made_anew(own, monkeypatch):
    library, _ = own
    older = METHODS["manual-pages"]._replace(rules="passages-0 words-0 meaning-0")
    monkeypatch.setitem(METHODS, "manual-pages", older)
    other = Library.open(library.places)
    with pytest.raises(IndexStale, match="other rules") as caught:
        other.ask(QUESTION)
    assert "ragadmin reindex" in caught.value.hint
    assert other.reindex(sources=["manual"]).changed == 4
    assert other.ask(QUESTION).references


def test_progress_is_told(own):
    library, _ = own
    stages = []
    library.reindex(full=True, sources=["manual"], on_progress=stages.append)
    assert [progress.stage for progress in stages if progress.stage != "build"] == ["scan", "publish"]
    assert stages[-2].documents == stages[-2].total == 4
