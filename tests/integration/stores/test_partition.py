"""One index of several machines: every document once, the same answers as of one machine, and nothing published by halves."""

import random
import threading

import pytest

from vademecum.core.errors import ConfigError, IndexMissing, IndexStale, StoreError
from vademecum.index.stored import copy as store_copy
from vademecum.index.stored import partition
from vademecum.index.stored.shares import Share
from vademecum.library.internal import InternalLibrary
from vademecum.stores import open_store

COUNT = 3


@pytest.fixture
def machines(library, address, tmp_path):
    """Libraries of as many machines with the same sources and the same store."""
    made = []
    for number in range(1, COUNT + 1):
        places = library.places._replace(
            config=tmp_path / f"config-{number}", data=tmp_path / f"data-{number}"
        )
        places.config.mkdir()
        places.settings_file.write_text(f"ragadmin:\n  store: {address}\n")
        machine = InternalLibrary(places)
        with machine._catalog.changing() as entries:
            entries[:] = [
                entry._replace(
                    status="pending", last_updated="", checksum="", recipe="", seen=None, documents=0
                )
                for entry in library.sources()
            ]
        made.append(machine)
    yield made
    for machine in made:
        machine.close()


@pytest.fixture
def reader(machines, tmp_path):
    places = machines[0].places._replace(data=tmp_path / "reader")
    opened = InternalLibrary(places)
    yield opened
    opened.close()


def copy_all(machines):
    for number, machine in enumerate(machines, 1):
        assert f"share {number}/{COUNT}, not published" in machine.reindex(share=Share(number, COUNT)).shared


def test_every_document_is_in_one_share():
    for count in (1, 2, 7, 1000):
        for key in ("ls(1)", "größe.md", "", "x" * 2000, "\udce4"):
            assert sum(Share(number, count).has(key) for number in range(1, count + 1)) == 1
    sizes = [sum(Share(number, 4).has(f"page {at}") for at in range(4000)) for number in range(1, 5)]
    assert min(sizes) > 900


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "1/1001", "-1/2", "1/2/3", "a/b", "²/3", " 1/2"]
)
def test_what_names_no_share(text):
    with pytest.raises(ConfigError, match="i/N"):
        Share.of(text)


def test_shares_together_answer_as_one_machine(library, machines, store, reader, said):
    copy_all(machines)
    with pytest.raises(IndexMissing):
        reader.ask("how do we release")
    assert partition.publish(store, COUNT).number == 1
    assert store_copy.check(store).documents == sum(entry.documents for entry in library.sources())
    assert partition.publish(store, COUNT).number == 1  # nothing is published when nothing changed
    for question in said.questions:
        expected, found = said(library, question), said(reader, question)
        assert (found.summary, found.steps) == (expected.summary, expected.steps)
        assert found.confidence == pytest.approx(expected.confidence, abs=0.01)
        assert {(one.document, one.quote) for one in found.citations} == {
            (one.document, one.quote) for one in expected.citations
        }


def test_a_change_is_copied_by_its_machine_and_published(machines, store, reader, notes):
    copy_all(machines)
    partition.publish(store, COUNT)
    note = notes / "whistle.md"
    note.write_text("# Whistle\n\nThe whistle hangs behind the door.\n")
    try:
        copy_all(machines)
        assert not reader.passages_bm25("whistle")
        assert partition.publish(store, COUNT).number == 2
        reader.refresh()
        assert reader.passages_bm25("whistle")[0].reference == "whistle.md"
        store_copy.check(store)
    finally:
        note.unlink()
    copy_all(machines)
    partition.publish(store, COUNT)
    copy_all(machines)  # what nobody needs any more is swept by the machine that copied it
    manifest = store_copy.check(store)
    tables = {f"generation-{number:06d}" for number in (2, 3)}
    shares = {Share(number, COUNT).name for number in range(1, COUNT + 1)}
    assert store.segments() == {*(info.name for info in manifest.segments), *tables, *shares}


def test_a_share_that_is_missing_is_named(machines, store):
    machines[0].reindex(share=Share(1, COUNT))
    with pytest.raises(IndexMissing, match="Share 2/3") as caught:
        partition.publish(store, COUNT)
    assert "--partition 2/3" in caught.value.hint
    assert store.current() is None


def test_shares_of_other_rules_are_refused(machines, store, monkeypatch):
    machines[0].reindex(share=Share(1, 2))
    monkeypatch.setattr("vademecum.index.embedding.Embedding.made_by", lambda _self, _method: "other rules")
    machines[1].reindex(share=Share(2, 2))
    with pytest.raises(IndexStale, match="different rules"):
        partition.publish(store, 2)


def test_a_whole_index_and_shares_do_not_replace_each_other(library, machines, address, store, moved):
    moved(library, address).reindex()
    with pytest.raises(StoreError, match="another library"):
        machines[0].reindex(share=Share(1, COUNT))
    with pytest.raises(StoreError, match="another library"):
        partition.publish(store, COUNT)


def test_shares_need_a_store(library):
    with pytest.raises(ConfigError, match="names none"):
        library.reindex(share=Share(1, 2))
    with pytest.raises(ConfigError, match="tried out"):
        library.reindex(share=Share(1, 2), dry_run=True)


def test_machines_copy_at_once_and_are_killed_in_between(machines, address, reader):
    """Each is cut off at a moment of chance, again and again; then all finish."""
    chance = random.Random(5)  # noqa: S311 - so that a failure comes again

    def work(number, cuts):
        store = open_store(address)
        write, left = store.write, [0]

        def cut_off(segment, kind, rows):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
            write(segment, kind, rows)

        store.write = cut_off
        machine, share = machines[number - 1], Share(number, COUNT)
        machine.reindex(share=share)
        original = store_copy.from_files(machine._generations, "x")
        spreads = lambda: machine._generations.text_spreads(original.manifest)  # noqa: E731
        for cut in [*cuts, 0]:
            left[0] = cut
            try:
                partition.copy_share(original, store, share, spreads)
            except KeyboardInterrupt:
                continue
        store.close()

    threads = [
        threading.Thread(target=work, args=(number, [chance.randrange(1, 20) for _ in range(5)]))
        for number in range(1, COUNT + 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = open_store(address)
    partition.publish(store, COUNT)
    store_copy.check(store)
    store.close()
    assert reader.ask("how do we release").citations
