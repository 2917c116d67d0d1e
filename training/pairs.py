"""Mines pairs of texts that belong together from a built index.

    python training/pairs.py --index DIR --out pairs.jsonl

Questions are not among them: with them the table found the pages it had seen, and no others any better.

Each line is `{"a", "b", "group"}`; lines of one group are never each other's negatives.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from vademecum.core.passages import OPTION, SECTION, Entry
from vademecum.index.generations import Generations
from vademecum.index.reader.current import open_index
from vademecum.retrieval.lexical import depth

SEED = 20261121
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+(?=[A-Z])|\n")
_DEEP_SHARE = 0.06
"""Of pages deep in a family of sub-commands, the share that is taken."""


def page_text(reference: str, summary: str) -> str:
    """What stands for a page: its name in words, and its line."""
    return f"{reference.partition('(')[0].replace('_', ' ').replace('-', ' ')}: {summary}"


def first_sentence(entry: Entry, headings: tuple[str, ...]) -> str:
    """The first sentence of at least six words under one of these headings, or ""."""
    for passage in entry.passages:
        if passage.kind == SECTION and passage.heading.upper().startswith(headings):
            for sentence in _SENTENCE.split(entry.text[passage.start : passage.end]):
                if len(sentence.split()) >= 6:
                    return " ".join(sentence.split()[:40])
    return ""


def mined(entry: Entry, usual: Counter[str], generator: random.Random) -> Iterator[tuple[str, str]]:
    """The pairs that one document gives."""
    page = page_text(entry.reference, entry.summary)
    description = first_sentence(entry, ("DESCRIPTION",))
    if entry.summary and description:
        yield page, description
        yield entry.summary, description
    options = [one for one in entry.passages if one.kind == OPTION]
    for option in generator.sample(options, min(6, len(options))):
        body = " ".join(entry.text[option.tag_end : option.end].split()[:30])
        names = re.findall(r"--([a-z][\w-]{2,})", entry.text[option.start : option.tag_end])
        if len(body.split()) >= 4 and names:
            yield f"{entry.reference.partition('(')[0]} {names[0].replace('-', ' ')}", body
        if len(body.split()) >= 6 and entry.summary and generator.random() < 0.5:
            yield page, body
    for passage in entry.passages:
        if passage.kind == SECTION and usual[passage.heading] < 5 and passage.heading:
            body = " ".join(entry.text[passage.start : passage.end].split()[:40])
            yield passage.heading.split(" > ")[-1].capitalize(), body


def main() -> None:
    """Mine every document of the index, deep ones by a sample, and write the pairs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    generator = random.Random(SEED)
    index = open_index(Generations(args.index))
    kept: list[Entry] = []
    for segment in index.segments:
        for number in range(len(segment.flat)):
            reference = segment.flat.strings(segment.flat.document(number)).reference
            if number not in segment.dead and (depth(reference) < 2 or generator.random() < _DEEP_SHARE):
                kept.append(segment.flat.entry(number))
    kept.sort(key=lambda entry: entry.reference)
    usual = Counter(heading for entry in kept for heading in {passage.heading for passage in entry.passages})
    lines = [(a, b, entry.reference) for entry in kept for a, b in mined(entry, usual, generator)]
    generator.shuffle(lines)
    with args.out.open("w", encoding="utf-8") as file:
        for a, b, group in lines:
            file.write(json.dumps({"a": a, "b": b, "group": group}, ensure_ascii=False) + "\n")
    print(f"{len(lines):,} pairs")


if __name__ == "__main__":
    main()
