"""Running text is read by the transformer after its words can be searched: what it adds, and what may happen meanwhile."""

import os
import time
from itertools import pairwise

import pytest

from shared import wait_until
from vademecum import Places
from vademecum.core.errors import IndexCorrupt, ProviderError
from vademecum.files.locks import locked
from vademecum.index import unit_vectors
from vademecum.index.unit_vectors import _LOOK_EVERY_S, UnitVectorsWriter, digest_of, steps_of
from vademecum.library import background
from vademecum.library.internal import InternalLibrary
from vademecum.library.unit_embedding import embed_units
from vademecum.testing import ScriptedServer
from vademecum.testing.scripted import answer

NOTES = {
    "cellar": "# Cellar\n\nThe boiler must never fall below 1.2 bar.\n\nBicycles are kept behind the stairs.\n",
    "guests": "# Guests\n\nPeople under eighteen need a parent's consent.\n\nBreakfast is from seven to ten.\n",
    "garden": "# Garden\n\nWe water the tomatoes every evening in summer.\n\nThe mower needs petrol without ethanol.\n",
}
OTHERWISE = "May minors stay overnight?"
"""None of its words is in the note that tells."""


@pytest.fixture
def library(tmp_path):
    places = Places(tmp_path / "data", tmp_path / "config")
    places.data.mkdir(parents=True)
    places.catalog_file.write_text('{"format": 2, "generation": 0, "sources": []}')
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / f"{name}.md").write_text(text)
    library = InternalLibrary.open(places)
    library.add_source(tmp_path / "notes", type="docs")
    library.reindex()
    return library


def near(library, question=OTHERWISE):
    library.refresh()
    library._index = None
    return library._opened().running_text().unit_nearness(question)


def titles(library, found):
    index = library._opened()
    return [
        index.segments[place.segment]
        .flat.strings(index.segments[place.segment].flat.document(place.document))
        .title
        for place, _ in found
    ]


def test_before_and_after(library):
    assert near(library) is None
    seen = []
    embed_units(library._generations, seen.append)
    assert seen[0].passages == 0
    assert seen[-1].passages == seen[-1].total == 3
    compared = near(library)
    assert titles(library, compared.nearest(3))[0] == "Guests"
    assert len(compared.nearest(2)) == 2
    (place, passage), *_ = compared.nearest(1)
    of_units = compared.units([(place, passage.passage)])
    said = of_units("Guests. People under eighteen need a parent's consent.")
    assert said == pytest.approx(compared.passages([(place, passage.passage)])[0])
    assert said > of_units("Guests. Breakfast is from seven to ten.")
    assert of_units("words of no document") == 0.0


def test_the_cosines_are_the_transformers(library):
    embed_units(library._generations, lambda _: None)
    model = unit_vectors.unit_embedder()
    question, unit = "How much pressure?", "Cellar. The boiler must never fall below 1.2 bar."
    exact = sum(
        map(float.__mul__, model.embed([question], "query")[0], model.embed([unit, unit], "document")[0])
    )
    compared = near(library, question)
    places = [(place, one.passage) for place, one in compared.nearest(9)]
    assert compared.units(places)(unit) == pytest.approx(exact, abs=0.01)


def test_the_question_path_uses_them(library):
    plain = library.find(OTHERWISE, limit=3)
    embed_units(library._generations, lambda _: None)
    library._index = None
    found = library.find(OTHERWISE, limit=3)
    assert found.hits[0].title == "Guests"
    assert found.units[0].unit.text == "People under eighteen need a parent's consent."
    assert found.nearby.by_transformer
    assert not plain.nearby.by_transformer


def test_only_what_is_new_is_embedded(library, tmp_path, monkeypatch):
    embed_units(library._generations, lambda _: None)
    (tmp_path / "notes" / "cellar.md").write_text(NOTES["cellar"] + "\nThe wine is on the third shelf.\n")
    library.reindex()
    assert near(library) is None, "not all of it is embedded"
    texts = []
    model = unit_vectors.unit_embedder()
    embed = model.embed
    monkeypatch.setattr(model, "embed", lambda said, *rest: texts.extend(said) or embed(said, *rest))
    embed_units(library._generations, lambda _: None)
    assert texts == ["Cellar. The wine is on the third shelf."]
    assert titles(library, near(library, "Where is the wine?").nearest(1)) == ["Cellar"]
    names = {file.name for file in folder(library).iterdir()} - {"lock"}
    assert names == {f"{info.name}.units" for info in library._generations.current().segments}


def folder(library):
    (found,) = (library._generations.folder / "unit-vectors").iterdir()
    return found


def test_an_interrupted_embedding_continues(library, monkeypatch):
    model = unit_vectors.unit_embedder()
    monkeypatch.setattr("vademecum.library.unit_embedding._AT_ONCE", 1)
    seen = []

    def stop(progress):
        seen.append(progress)
        if progress.passages:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_units(library._generations, stop)
    assert near(library) is None
    texts = []
    embed = model.embed
    monkeypatch.setattr(model, "embed", lambda said, *rest: texts.extend(said) or embed(said, *rest))
    embed_units(library._generations, lambda _: None)
    assert 0 < len(texts) < 6
    assert len(near(library).nearest(9)) == 3


@pytest.mark.parametrize(("cut", "after"), [(0, 3), (1, 3), (18, 3), (19, -1), (36, -1), (71, -1), (72, -1)])
def test_a_file_that_was_cut_off_is_gone_on_with(tmp_path, cut, after):
    units = [(digest_of(word), steps_of([0.1, 0.2])) for word in ("one", "two")]
    writer = UnitVectorsWriter(tmp_path, "s", 2)
    for passage in (3, 5):
        writer.add(passage, units)
    writer.close()
    part = tmp_path / "s.part"
    whole = part.read_bytes()
    os.truncate(part, len(whole) - cut)
    writer = UnitVectorsWriter(tmp_path, "s", 2)
    assert writer.after == after
    for passage in (3, 5):
        if passage > after:
            writer.add(passage, units)
    writer.commit()
    assert (tmp_path / "s.units").read_bytes() == whole
    assert not part.exists()


def test_a_damaged_file_is_said(library):
    embed_units(library._generations, lambda _: None)
    (file,) = folder(library).glob("*.units")
    os.truncate(file, file.stat().st_size - 7)
    with pytest.raises(IndexCorrupt, match="damaged"):
        near(library)


@pytest.mark.parametrize(
    "broken", ["vademecum.index.unit_vectors.unit_embedder", "vademecum.providers.onnx.MiniLM.embed"]
)
def test_without_the_transformer_words_answer(library, monkeypatch, broken):
    embed_units(library._generations, lambda _: None)
    monkeypatch.setattr(broken, no_transformer)
    assert near(library) is None
    assert library.find("How low may the boiler fall?", limit=3).hits


def test_vectors_of_a_removed_segment_are_reused(library, tmp_path, monkeypatch):
    monkeypatch.setattr("vademecum.library.unit_embedding._AT_ONCE", 1)
    seen = []

    def stop(progress):
        seen.append(progress)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_units(library._generations, stop)
    (tmp_path / "notes" / "wine.md").write_text("# Wine\n\nThe wine is on the third shelf.\n")
    library.reindex(full=True)
    texts = []
    model = unit_vectors.unit_embedder()
    embed = model.embed
    monkeypatch.setattr(model, "embed", lambda said, *rest: texts.extend(said) or embed(said, *rest))
    embed_units(library._generations, lambda _: None)
    assert "Wine. The wine is on the third shelf." in texts
    assert len(texts) < 7


def no_transformer(*_arguments):
    raise ProviderError("The transformer's packages are not installed.", hint="Install them.")


def test_limits_hold_for_the_nearest(library, tmp_path):
    embed_units(library._generations, lambda _: None)
    (tmp_path / "notes" / "guests.md").unlink()
    library.reindex()
    embed_units(library._generations, lambda _: None)
    assert "Guests" not in titles(library, near(library).nearest(9))
    only = library._limited((), (), ["garden*"]).running_text().unit_nearness(OTHERWISE)
    assert titles(library, only.nearest(9)) == ["Garden"]


def test_a_reindex_begins_it_in_the_background_and_nobody_waits(library, tmp_path, monkeypatch):
    monkeypatch.delenv(background.SWITCH)
    (tmp_path / "notes" / "wine.md").write_text("# Wine\n\nThe white wine is on the third shelf.\n")
    library.reindex()
    assert library.find("Where is the white wine?", limit=3).hits[0].title == "Wine"
    wait_until(lambda: library.embedded().is_complete)
    assert library.embedded().total == 4
    assert not background.begin(library.places.index_folder), "nothing is left"
    time.sleep(_LOOK_EVERY_S)
    assert library.find(OTHERWISE, limit=3).nearby.by_transformer, "an open index notices"
    (tmp_path / "notes" / "wine.md").unlink()
    monkeypatch.setenv(background.SWITCH, "off")
    library.reindex()
    (tmp_path / "notes" / "bees.md").write_text("# Bees\n\nThe hives are behind the shed.\n")
    library.reindex()
    assert not background.begin(library.places.index_folder)
    assert not library.embedded().is_complete


def test_an_addition_to_embedded_text_is_embedded_before_it_is_published(library, tmp_path, monkeypatch):
    embed_units(library._generations, lambda _: None)
    monkeypatch.delenv(background.SWITCH)
    (tmp_path / "notes" / "wine.md").write_text("# Wine\n\nThe white wine is on the third shelf.\n")
    library.reindex()
    assert library.embedded() == (4, 4)
    assert library.find("Where is the white wine?", limit=3).nearby.by_transformer
    monkeypatch.setattr("vademecum.library.background._AT_MOST_S", -1.0)
    monkeypatch.setattr(background, "begin", lambda *_: False)
    (tmp_path / "notes" / "bees.md").write_text("# Bees\n\nThe hives are behind the shed.\n")
    library.reindex()
    assert library.embedded() == (4, 5), "what would take too long is left for later"
    assert library.find("Where are the hives?", limit=3).hits[0].title == "Bees"


def test_distances_can_stay_those_of_words(library):
    before = [hit.distance for hit in library.find(OTHERWISE, limit=3, word_distances=True).hits]
    assert library.scale == "words"
    embed_units(library._generations, lambda _: None)
    time.sleep(_LOOK_EVERY_S)
    found = library.find(OTHERWISE, limit=3, word_distances=True)
    assert found.nearby.by_transformer
    assert sorted(hit.distance for hit in found.hits) == pytest.approx(sorted(before))
    assert found.hits[0].distance != pytest.approx(library.find(OTHERWISE, limit=3).hits[0].distance)
    assert library.scale == unit_vectors.unit_embedder().stamp


def test_two_do_not_embed_at_once(library):
    embed_units(library._generations, lambda _: None)
    with locked(folder(library) / "lock"), pytest.raises(BlockingIOError):
        embed_units(library._generations, lambda _: None, patience_s=0)


def test_how_far_it_is(library, monkeypatch):
    assert library.embedded() == (0, 3)
    monkeypatch.setattr("vademecum.library.unit_embedding._AT_ONCE", 1)
    seen = []

    def stop(_progress):
        seen.append(library.embedded())
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_units(library._generations, stop)
    assert 0 < library.embedded().passages < 3
    library.embed()
    assert library.embedded() == (3, 3)
    monkeypatch.setattr("vademecum.library.unit_embedding.unit_embedder", no_transformer)
    assert library.embedded() is None
    with pytest.raises(ProviderError, match="not installed"):
        library.embed()


def shifted(visit, request):
    """Embeds with the transformer and a constant component, so that every cosine c becomes (1 + c) / 2."""
    if request.path.endswith("/models"):
        visit.send(answer({"object": "list", "data": [{"id": "m", "object": "model"}]}))
        return
    vectors = unit_vectors.unit_embedder().embed(request.json["input"], "document")
    data = [
        {"index": at, "embedding": [0.5**0.5, *(component * 0.5**0.5 for component in vector)]}
        for at, vector in enumerate(vectors)
    ]
    visit.send(answer({"object": "list", "data": data, "model": "m"}))


def test_a_model_on_a_server_embeds_units_on_the_usual_scale(library, monkeypatch):
    embed_units(library._generations, lambda _: None)
    usual = near(library)
    with ScriptedServer(shifted) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        library.places.settings_file.parent.mkdir(parents=True, exist_ok=True)
        library.places.settings_file.write_text("ragadmin: {embedder: 'openai:m'}\n")
        served = InternalLibrary.open(library.places)
        served.reindex(full=True)
        embed_units(served._generations, lambda _: None)
        compared = near(served)
        places = [(place, passage.passage) for place, passage in compared.nearest(3)]
        assert titles(served, compared.nearest(3)) == titles(library, usual.nearest(3))
        assert served.scale.startswith("openai:m")
        spread = [found - other for found, other in pairwise(compared.passages(places))]
    assert min(map(abs, spread)) > 0.02
    assert all(-1.0 < cosine < 1.2 for cosine in compared.passages(places))
