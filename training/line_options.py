"""Fits which entries of a page belong in the line that does what a question asks.

    python training/line_options.py --index DIR --out src/vademecum/retrieval/data/line_options.json

From the development intents, whose example lines are read by the option entries of their page, and from our own questions
that name the options their answers must hold. Boosted trees; measured out of fold, no page in two folds.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import lightgbm
import numpy as np
from arguments import index_and_out
from output import save, trees_of
from questions import INTENTS, OWN

from vademecum.ask.command_lines.explainer import PREFIXES
from vademecum.ask.command_lines.pages import CommandPages
from vademecum.ask.gather import evidence_at, judge_words, line_entries, measure_entries
from vademecum.index.reader.index import Index
from vademecum.retrieval.command_lines.line_options import FEATURES, features_of_line, may_be_typed
from vademecum.retrieval.command_lines.nouns import nouns_of
from vademecum.retrieval.command_lines.options import forms_of
from vademecum.retrieval.command_lines.questions import tokens_of
from vademecum.retrieval.command_lines.words import OPTION, UNKNOWN, CommandReader
from vademecum.retrieval.documents.entries import FEATURES as MEASURES
from vademecum.retrieval.documents.entries import scores_of
from vademecum.retrieval.question.question import analyse
from vademecum.text.shell import OPERATOR, WORD, Token

_OWN_FILES = ("linux_commands", "linux_everyday")
_OWN_WEIGHT = 2.0
_FOLDS = 5
_ROUNDS = 200
_TREES = {
    "objective": "binary", "num_leaves": 8, "learning_rate": 0.05, "min_data_in_leaf": 40, "feature_fraction": 0.6,
    "bagging_fraction": 0.7, "bagging_freq": 1, "num_threads": 1, "deterministic": True, "verbose": -1, "seed": 1,
}  # fmt: skip
_THRESHOLD, _SHARE_OF_BEST = 0.2, 0.35
_MOST, _SPARE = 3, 2
"""Options of a line at most, and how many more than needed it may have to count as right."""


class Line(NamedTuple):
    """A question, the measures of its page's entries, and which of them its line uses."""

    own: bool
    page: str
    features: np.ndarray
    typed: np.ndarray


def concrete(code: str) -> str:
    """An example line with its placeholders as plain words, options in their short form."""
    code = re.sub(r"\{\{\[([^|\]]*)\|([^\]]*)\]\}\}", r"\1", code)
    return re.sub(r"\{\{(.*?)\}\}", lambda place: re.sub(r"\s", "_", place[1].split("|")[0]), code)


def entries_in(line: str, reference: str, pages: CommandPages) -> set[int] | None:
    """Where the entries begin that a line uses of a page; None where it is not read whole."""
    groups: list[list[Token]] = [[]]
    for token in tokens_of(line):
        if token.kind == OPERATOR:
            groups.append([])
        elif token.kind == WORD:
            groups[-1].append(token)
    for group in groups:
        words = group
        while words and (words[0].value in PREFIXES or "=" in words[0].value):
            words = words[1:]
        page = pages.page(words[0].value.rpartition("/")[2]) if words else None
        rest = words[1:]
        if page and page.document.reference != reference and rest:
            page, rest = pages.sub_page(page, rest[0].value), rest[1:]
        if page is None or page.document.reference != reference:
            continue
        reader = CommandReader(
            page.table, bundles_bare_letters=page.bundles_bare_letters, stops_at_operand=True
        )
        parts, after = reader.read(rest)
        found = {part.found.entry.start for part in parts if part.found}
        if after:
            named = page.table.get(after[0].value)
            if named and re.fullmatch(r"[a-z][\w-]+", after[0].value):
                found.add(named.entry.start)
            later, _ = CommandReader(page.table).read(after)
            found |= {part.found.entry.start for part in later if part.found and part.kind == OPTION}
            parts += later
        return None if any(part.kind == UNKNOWN for part in parts) else found
    return None


def lines(index: Index) -> Iterator[Line]:
    """Every question whose page is there."""
    if INTENTS.exists():
        for data in map(json.loads, INTENTS.read_text(encoding="utf-8").splitlines()):
            used = entries_in(concrete(data["code"]), data["gold"][0], CommandPages(index))
            question = re.sub(r"\[(\w)\]", r"\1", data["question"])
            if used is not None and (line := _line(index, question, data["gold"][0], used, ())):
                yield line
    for name in _OWN_FILES:
        for data in map(json.loads, (OWN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
            wanted = [set(item.split("|")) for item in data.get("must_contain", ())]
            if (
                wanted
                and data.get("gold")
                and (line := _line(index, data["question"], data["gold"][0], set(), wanted))
            ):
                yield line


def _line(index: Index, text: str, reference: str, used: set[int], wanted: list[set[str]]) -> Line | None:
    places = index.named(reference)
    if not places:
        return None
    question = analyse(text, index)
    positions, measured = measure_entries(question, judge_words(question, places[0], index), index)
    if not positions:
        return None
    document = evidence_at(places[0], index)
    entries = line_entries(document, positions)
    features = features_of_line(text, nouns_of(text), entries, measured, MEASURES, scores_of(measured))
    starts = [document.passages[at].start for at in positions]
    for names in wanted:
        hits = (
            start
            for start, entry in zip(starts, entries, strict=True)
            if any(form.name in names for form in forms_of(entry.tag))
        )
        used |= {next(hits, -1)} - {-1}
    keep = [at for at, entry in enumerate(entries) if may_be_typed(entry)]
    return Line(
        bool(wanted), reference, np.array(features)[keep], np.array([starts[at] in used for at in keep])
    )


def fit(found: list[Line]) -> lightgbm.Booster:
    """The trees that tell typed entries from others."""
    found = [line for line in found if len(line.typed)]
    weights = np.concatenate([[_OWN_WEIGHT if line.own else 1.0] * len(line.typed) for line in found])
    data = lightgbm.Dataset(
        np.vstack([line.features for line in found]),
        np.concatenate([line.typed for line in found]).astype(float),
        weight=weights,
    )
    return lightgbm.train(_TREES, data, _ROUNDS)


def report(found: list[Line]) -> None:
    """Print how often a line has what it must, out of fold."""
    counts = {True: [0, 0, 0], False: [0, 0, 0]}
    for fold in range(_FOLDS):
        inside = [line for line in found if crc32(line.page.encode()) % _FOLDS == fold]
        model = fit([line for line in found if crc32(line.page.encode()) % _FOLDS != fold])
        for line in inside:
            chances = model.predict(line.features) if len(line.features) else np.array([])
            least = max(_THRESHOLD, _SHARE_OF_BEST * max(chances, default=0.0))
            chosen = [at for at in np.argsort(-chances) if chances[at] >= least][:_MOST]
            has_all = line.typed.sum() == line.typed[chosen].sum()
            count = counts[line.own]
            count[0] += 1
            count[1] += bool(has_all and len(chosen) <= line.typed.sum() + _SPARE)
            count[2] += bool(has_all and len(chosen) == line.typed.sum())
    for own, (number, right, exact) in counts.items():
        print(
            f"{'own' if own else 'intents'}, n {number}: right {right / number:.3f}, exact {exact / number:.3f}"
        )


def main() -> None:
    """Fit, report out of fold, and write the trees."""
    args = index_and_out(__doc__)
    found = list(lines(args.index))
    report(found)
    if args.out:
        trees = trees_of(fit(found), FEATURES)
        save(
            args.out, features=list(FEATURES), trees=trees, threshold=_THRESHOLD, share_of_best=_SHARE_OF_BEST
        )


if __name__ == "__main__":
    main()
