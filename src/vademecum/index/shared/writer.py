"""Write an index of running text into an engine, document by document, and publish it as a new generation.

Keys are made of a document's alias and hash, so that only new documents are written, and an interrupted run is continued.
Several libraries may write the same generation, each its own sources; until one publishes, nobody sees any of it.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from vademecum.core.engines import NO_WEIGHTS, UNREMOVED, Engine, Item, Published, Query
from vademecum.core.errors import IndexCorrupt, IndexLocked, StoreError
from vademecum.core.passages import SECTION, outline_of
from vademecum.core.word_counts import MARK, buckets_for, items_of, key_of, mark_token, number_of
from vademecum.files.write import replace_file
from vademecum.index.catalog.links import url_of
from vademecum.index.generations import Generations
from vademecum.index.manifest import Manifest
from vademecum.index.reader.index import TERMS_OF
from vademecum.index.segments import Segment, Statistics
from vademecum.index.shared.contents import Contents, Part, Shared, contents_of, published_in
from vademecum.index.shared.reader import every
from vademecum.retrieval import meaning
from vademecum.retrieval.lexical import encode, telling
from vademecum.retrieval.methods import METHODS, is_manual
from vademecum.retrieval.passages.examples import shown_tasks
from vademecum.retrieval.question.definitions import defined_in
from vademecum.text.words import terms

if TYPE_CHECKING:
    from vademecum.core.trace import Json

OnWritten = Callable[[int, int], None]
"""Called with the number of documents that have been written, and how many there are to write."""

OBJECTS = "objects-1"
"""How objects are made of documents. Another version begins a new set of collections."""

_TOGETHER = 50
_REMOVED_TOGETHER = 500
"""How many documents are written, and how many removed, at once."""

_TRIES = 5
"""How often writing begins again because another library has published in the meantime."""


def owner_of(file: Path) -> str:
    """Return the identifier of this library in engines. Its file is created if it does not exist."""
    if not file.exists():
        replace_file(file, f"{uuid4().hex}\n")
    return file.read_text(encoding="ascii").strip()


def check_owner(engine: Engine, owner: str, aliases: Sequence[str]) -> None:
    """Check that no other library has written sources with these aliases."""
    published = engine.current()
    there = contents_of(published, engine.name) if published else None
    for alias, of in there.sources.items() if there else ():
        if of.owner != owner and (alias in aliases or not aliases):
            message = f"{engine.name} holds {of.documents:,} documents of a source {alias} that another library has written there."
            hint = "A machine that only asks does not reindex. To replace them by a source of that name: ragadmin reindex --full"
            raise StoreError(message, hint=hint)


def write(
    engine: Engine,
    generations: Generations | None,
    owner: str,
    about: "Mapping[str, Json] | None" = None,
    *,
    on_written: OnWritten = lambda _done, _whole: None,
    take_over: bool = False,
) -> Published:
    """Write what is new, remove what is gone, and publish it. Return the current generation, which is the previous one if nothing changed.

    Args:
        generations: The index; None for one without documents.
        take_over: Whether sources of other libraries with the same aliases are replaced.
    """
    for last in range(_TRIES):
        try:
            run = _Run(engine, generations, owner, dict(about or {}), take_over=take_over)
            return run.published(on_written)
        except IndexLocked:
            if last == _TRIES - 1:
                raise
    raise AssertionError


def withdraw(engine: Engine, owner: str) -> None:
    """Remove what a library has written, and publish the rest."""
    published = engine.current()
    if published and owner in contents_of(published, engine.name).owners:
        write(engine, None, owner)


def check(engine: Engine, on_checked: OnWritten = lambda _done, _whole: None) -> Manifest:
    """Read everything that the current generation has, and compare it with its keys and with each other."""
    published, contents = published_in(engine)
    engine.epoch = published.epoch
    manifest = contents.manifest(published.number)
    engine.frequencies(published)
    done = 0
    for alias, shared in contents.sources.items():
        query = Query(published.number, kind="document", filters={"source_alias": [alias]}, limit=_TOGETHER)
        documents = passages = 0
        for keys in chunks([item.key for item in every(engine, query)], _TOGETHER):
            found = engine.read("document", keys)
            seen = 0
            wanted = [f"{key}:{at}" for key in keys for at in range(found[key].number("passages"))]
            for passage in engine.read("passage", wanted).values():
                text = found[passage.text("document")].text("text")
                if text[passage.number("start") : passage.number("end")] != passage.text("chunk_text"):
                    raise _damaged(engine, f"the text of passage {passage.key} is not that of its document")
                seen += passage.is_seen(published.number)
            passages += seen
            if sum(item.number("windows") for item in found.values()) != seen:
                raise _damaged(engine, f"passages of {alias} are missing")
            documents += len(found)
            done += len(found)
            on_checked(done, manifest.documents)
        if (documents, passages) != (shared.documents, shared.passages):
            is_there = f"{documents:,} documents and {passages:,} passages of {alias}"
            raise _damaged(
                engine, f"{is_there} are there, {shared.documents:,} and {shared.passages:,} were written"
            )
    return manifest


class _Plan(NamedTuple):
    """The changes of a source: documents to write, with their generations, documents to remove, and the passages of all others."""

    to_write: dict[str, int]
    to_remove: list[str]
    windows: int


class _Run:
    """One attempt to write and publish an index."""

    def __init__(
        self,
        engine: Engine,
        generations: Generations | None,
        owner: str,
        about: "dict[str, Json]",
        *,
        take_over: bool,
    ) -> None:
        self.engine, self.owner, self.about = engine, owner, about
        self.manifest = Manifest(0, "", {"documents": 0}, {}, ())
        self.statistics = Statistics({"documents": {}}, {}, ())
        self.segments: list[Segment] = []
        if generations:
            with generations.opening():
                self.manifest = generations.current()
                self.statistics = generations.statistics(self.manifest)
                self.segments = [generations.open_segment(info) for info in self.manifest.segments]
        self.entries = {entry.alias: entry for entry in self.manifest.sources}
        names, common = [segment.info.name for segment in self.segments], self.statistics.common
        self.common = {name: frozenset(common[at]) for at, name in enumerate(names[: len(common)])}
        self.live: dict[str, dict[str, tuple[Segment, int]]] = {}
        for segment in self.segments:
            of_alias = self.live.setdefault(segment.info.alias, {})
            for number in range(len(segment.flat)):
                if number not in segment.dead:
                    digest = segment.flat.document(number).digest.hex()
                    of_alias[f"{segment.info.alias}:{digest}"] = segment, number
        self.before = engine.current()
        self.was = contents_of(self.before, engine.name) if self.before else None
        if self.live and not take_over:
            check_owner(engine, self.owner, [alias for alias in self.live if not self._is_manual(alias)])
        self.number = self.before.number + 1 if self.before else 1
        rules = {
            info.recipe.partition(" ")[2] for info in self.manifest.segments if info.method == "documents"
        }
        self.rules = " ".join((OBJECTS, *sorted(rules))) if rules or not self.was else self.was.rules
        self.epoch = self.before.epoch if self.before else 1
        if self.was and self.was.rules != self.rules:  # the old one is read until the new one is published
            self.was, self.epoch = None, self.epoch + 1
        engine.epoch = self.epoch
        self.tokens: dict[int, str] = {}

    def published(self, on_written: OnWritten) -> Published:
        """Write, remove and publish."""
        was = self.was.sources if self.was else {}
        others = {alias: of for alias, of in was.items() if of.owner != self.owner}
        live = {
            alias: of for alias, of in self.live.items() if alias not in others or not self._is_manual(alias)
        }
        plans = {alias: self._plan(alias, documents) for alias, documents in live.items()}
        plans |= {
            alias: self._plan(alias, {}) for alias in was if alias not in self.live and alias not in others
        }
        whole, done = sum(len(plan.to_write) for plan in plans.values()), 0
        sources = dict(others)
        for alias, plan in plans.items():
            windows = plan.windows
            if plan.to_write:
                self.engine.write(self.number, [_marker(alias)])
            for keys in chunks(sorted(plan.to_write), _TOGETHER):
                for generation in sorted({plan.to_write[key] for key in keys}):
                    some = [live[alias][key] for key in keys if plan.to_write[key] == generation]
                    items = [item for of in some for item in self._items(alias, *of)]
                    windows += sum(item.kind == "passage" for item in items)
                    self.engine.write(generation, items)
                done += len(keys)
                on_written(done, whole)
            _remove(self.engine, self.number, plan.to_remove)
            if plan.to_write:
                self.engine.remove(self.number, "words", [_marker(alias).key])
            if documents := live.get(alias):
                recipe = next(iter(documents.values()))[0].info.recipe
                sources[alias] = Shared(self.owner, self.entries[alias], recipe, len(documents), windows)
        owners = dict(self.was.owners) if self.was else {}
        part = owners.pop(self.owner, None)
        changed = any(plan.to_write or plan.to_remove for plan in plans.values())
        if self.before and part and not changed and (was, part.about) == (sources, self.about):
            return self.before
        words = self._write_words(part)
        if self.segments:
            owners[self.owner] = Part(self.manifest.totals["documents"], words, self.about)
        contents = Contents(_now(), self.rules, owners, sources)
        published = Published(self.number, self.epoch, contents.to_json())
        self.engine.publish(published, replaces=self.before.number if self.before else 0)
        return published

    def _is_manual(self, alias: str) -> bool:
        return is_manual(self.entries[alias].type)

    def _plan(self, alias: str, live: "Mapping[str, object]") -> _Plan:
        """Compare the documents of a source with those in the engine."""
        found = every(self.engine, Query(0, kind="document", filters={"source_alias": [alias]}))
        there = {item.key: item for item in found}
        key = _marker(alias).key
        marker = self.engine.read("words", [key]).get(key)
        doubtful = marker.added if marker and marker.removed == UNREMOVED else self.number
        to_write, windows = {}, 0
        for key in live:
            item = there.get(key)
            if item is None or not item.is_seen(self.number - 1) or item.added >= doubtful:
                to_write[key] = self.number
            elif item.removed != UNREMOVED:  # by a run that did not end
                to_write[key] = item.added
            else:
                windows += item.number("windows")
        to_remove = [key for key, item in there.items() if key not in live and item.removed == UNREMOVED]
        return _Plan(to_write, to_remove, windows)

    def _items(self, alias: str, segment: Segment, number: int) -> list[Item]:
        """Return a document and its passages of running text. Texts that many documents share are not searched."""
        source, entry, info = self.entries[alias], segment.flat.entry(number), segment.info
        key, common = f"{alias}:{entry.digest}", self.common.get(info.name, frozenset())
        of_all: dict[str, str | int] = {
            "source_alias": alias,
            "source_type": source.type,
            "language": source.language,
            "document": key,
            "reference": entry.reference,
            "title": entry.title,
            "passages": len(entry.passages),
        }
        texts = [entry.text[passage.start : passage.end] for passage in entry.passages]
        beginning = [
            *(passage.heading for passage in entry.passages[:TERMS_OF]), *texts[:TERMS_OF]
        ]  # fmt: skip
        passages = []
        if info.method == "documents":
            weighs = not self.engine.by_tokens
            weights = (
                encode(entry, METHODS["documents"].fields).passages if weighs else [NO_WEIGHTS] * len(texts)
            )
            names = "\n".join(name.partition("(")[0] for name in (*entry.names, entry.title))
            self._learn(
                terms(
                    "\n".join(
                        (names, entry.summary, *(passage.heading for passage in entry.passages), *texts)
                    )
                )
            )
            first = segment.flat.document(number).first_passage
            for at, (passage, text) in enumerate(zip(entry.passages, texts, strict=True)):
                if passage.kind == SECTION and segment.flat.passage(first + at).text not in common:
                    marks = [
                        mark_token(thing) for thing, times in defined_in(text).items() for _ in range(times)
                    ]
                    words = terms(text)
                    marks = [mark for mark in marks if number_of(mark) not in set(map(number_of, words))]
                    self._learn(marks)
                    fields: dict[str, str | int] = {
                        **of_all,
                        "heading": passage.heading,
                        "anchor": passage.anchor,
                        "url": url_of(source, entry.reference, passage.anchor),
                        "position": at,
                        "start": passage.start,
                        "end": passage.end,
                        "chunk_text": text,
                        "outline": outline_of(passage.blocks),
                        "tasks": json.dumps(
                            [(task.text, task.line) for task in shown_tasks(entry.text, passage.blocks)]
                        ),
                        "terms": " ".join([*words, *marks]),
                        "heading_terms": " ".join(terms(telling(passage.heading))),
                    }
                    vector = segment.vector(meaning.PASSAGE, first + at)
                    passages.append(Item("passage", f"{key}:{at}", fields, weights[at], vector))
        of_document: dict[str, str | int] = {
            **of_all,
            "path": entry.key,
            "names": "\n".join(entry.names),
            "summary": entry.summary,
            "links": "\n".join(entry.links),
            "url": url_of(source, entry.reference),
            "text": entry.text,
            "terms": " ".join(sorted(set(terms("\n".join(beginning))))),
            "windows": len(passages),
        }
        return [Item("document", key, of_document, vector=segment.vector(meaning.LINE, number)), *passages]

    def _learn(self, tokens: Sequence[str]) -> None:
        self.tokens.update({number_of(token): token for token in tokens})

    def _write_words(self, part: Part | None) -> tuple[int, int]:
        """Write the table of frequencies, and remove the one before it. Tokens of older documents are those of that table."""
        before = {}
        if part is not None and self.before is not None:  # with the same rules
            before = self.engine.frequencies(self.before)
            generation, buckets = part.words
            keys = [key_of(self.owner, generation, bucket) for bucket in range(buckets)]
            self.engine.remove(self.number, "words", keys)
        tokens = {number: token for number, (token, _) in before.items()} | self.tokens
        counts = dict(self.statistics.terms["documents"].items())
        table = {token: counts.get(number, 0) for number, token in tokens.items()}
        kept = {
            token: count
            for token, count in table.items()
            if count or (token[0] == MARK and self.engine.by_tokens)
        }
        self.engine.write(self.number, items_of(self.owner, self.number, kept))
        return self.number, buckets_for(len(kept))


def chunks(keys: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield parts of a list."""
    return (keys[start : start + size] for start in range(0, len(keys), size))


def _marker(alias: str) -> Item:
    """Return the object that is there while documents of a source are written, so that a run that does not end is repeated."""
    return Item("words", f"{alias}:writing", {"source_alias": alias})


def _remove(engine: Engine, generation: int, keys: Sequence[str]) -> None:
    for some in chunks(keys, _REMOVED_TOGETHER):
        engine.remove(generation, "document", some)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _damaged(engine: Engine, what: str) -> IndexCorrupt:
    hint = "Write it again, on the machine that indexes: ragadmin reindex --full"
    return IndexCorrupt(f"The index in {engine.name} is damaged: {what}.", hint=hint)
