"""The features of support: how much of a claim is covered, by what, and what contradicts it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from vademecum.answering.claims.alignment import Claimed, Row, best_few, best_window
from vademecum.answering.claims.binding import KINDS, binding
from vademecum.answering.claims.lexicon import WIDENING
from vademecum.answering.claims.likeness import likeness
from vademecum.answering.claims.polarity import polarity
from vademecum.answering.claims.units import Text, Unit
from vademecum.answering.claims.words import Word

_WIDENING = re.compile(rf"\b(?:{'|'.join(map(re.escape, WIDENING))})\b")


def is_widened(claim: Sequence[Word], said: Iterable[Sequence[Word]]) -> bool:
    """Return whether a claim says that something holds in any case, and the text does not."""
    return _widens(claim) and not any(map(_widens, said))


def _widens(words: Sequence[Word]) -> bool:
    return _WIDENING.search(" ".join(word.text.lower() for word in words)) is not None


_MOST_CITED, _MOST_OTHERS = 48, 16
"""How many sentences are aligned: of the cited passages, and of the others."""

_SURE = 1.0
"""The minimum weight of a certain fact; "one" and "first" may not be facts."""

_COVERED = 0.7
"""The coverage at which a different negation in the sentence is significant."""

_MISSING = 0.3
"""The uncovered share of its weight at which a fact is missing."""


class Signs:
    """The features for and against a claim."""

    def __init__(
        self, claimed: Claimed, cited: Sequence[Text], others: Sequence[Text], asked: Sequence[Word]
    ) -> None:
        self._claimed = claimed
        self._asked = {key for word in asked for key in (word.key, *word.also)}
        rows, elsewhere = claimed.rows(cited, _MOST_CITED), claimed.rows(others, _MOST_OTHERS)
        alone, best = best_window(claimed, rows, 1)
        two, window = best_window(claimed, rows, 2)
        three, _ = best_window(claimed, rows, 3)
        with_second, with_third, few = best_few(claimed, rows, best)
        other_alone, _ = best_window(claimed, elsewhere, 1)
        other_two, _ = best_window(claimed, elsewhere, 2)
        missing, missing_here = claimed.missing(few), claimed.missing(window)
        missing_all = claimed.missing(rows)
        values = {
            "one": alone,
            "two in a row": two,
            "three in a row": three,
            "two": with_second,
            "few": with_third,
            "all": claimed.cover(rows),
            "exact one": claimed.exact(best),
            "exact two": claimed.exact(window),
            "exact all": claimed.exact(rows),
            "elsewhere": other_two,
            "better than elsewhere": alone - other_alone,
            "two better than elsewhere": two - other_two,
            "all elsewhere": claimed.cover(elsewhere) if elsewhere else 0.0,
            "gained elsewhere": _gained(claimed, rows, elsewhere),
            "words": float(len(claimed.content)),
            "weight": claimed.total,
            "most missing": max(missing, default=0.0),
            "missing": sum(missing),
            "most missing here": max(missing_here, default=0.0),
            "missing here": sum(missing_here),
            "most missing in all": max(missing_all, default=0.0),
            "missing in all": sum(missing_all),
            "words missing": float(sum(one > 0.5 for one in missing)),
            "words missing in all": float(sum(one > 0.5 for one in missing_all)),
            "sentences": float(len(few)),
            "passages": float(len(cited)),
        }
        values |= dict(self._facts(missing, missing_here, missing_all, window))
        values |= binding(claimed, rows)
        values |= polarity(claimed, best, few)
        values |= _order(claimed, best, window)
        values["widened"] = float(
            is_widened(claimed.words, ([*row.unit.above, *row.unit.words] for row in few))
        )
        values["said back"] = _said_back(claimed, best)
        for name in ("turned", "negation dropped", "negation added", "strictly lost", "strictly nowhere"):
            values[f"{name} though covered"] = values[name] * float(alone > _COVERED)
        values["rival in both"] = min(values["rival"], values["rival near"])
        self.absent = [
            claimed.content[place]
            for place in claimed.facts
            if missing_all[place] > _MISSING * claimed.weights[place]
            and not self._was_asked(claimed.content[place])
        ]
        values["surely absent"] = float(sum(word.weight >= _SURE for word in self.absent))
        self.values = values
        self.support: list[tuple[int, Unit]] = _used(few, rows)

    def _was_asked(self, word: Word) -> bool:
        return not self._asked.isdisjoint((word.key, *word.also))

    def _facts(
        self,
        missing: Sequence[float],
        missing_here: Sequence[float],
        missing_all: Sequence[float],
        window: Sequence[Row],
    ) -> Iterator[tuple[str, float]]:
        """Count missing facts by kind, and other facts of the same kind in their place."""
        claimed = self._claimed
        keys = {word.key for word in claimed.content}
        for name, kinds in KINDS.items():
            places = [place for place in claimed.facts if claimed.content[place].kind in kinds]
            strange = [place for place in places if not self._was_asked(claimed.content[place])]
            weights = claimed.weights
            yield f"{name} absent", float(sum(missing_all[at] > _MISSING * weights[at] for at in strange))
            yield f"{name} most absent", max((missing_all[at] for at in strange), default=0.0)
            yield f"{name} far", float(sum(missing[at] > _MISSING * weights[at] for at in strange))
            far = sum(missing_here[at] > _MISSING * weights[at] for at in places)
            yield f"{name} farther", float(far)
            yield f"{name} count", float(len(places))
            instead = sum(
                word.kind in kinds and word.key not in keys for row in window for word in row.unit.facts
            )
            yield f"{name} instead", float(instead if far else 0)
            yield f"{name} more", float(instead)


def _gained(claimed: Claimed, rows: Sequence[Row], elsewhere: Sequence[Row]) -> float:
    """Return how much more of a claim is covered by passages that are not cited."""
    here = claimed.missing(rows)
    there = claimed.missing(elsewhere) if elsewhere else here
    return sum(max(0.0, one - other) for one, other in zip(here, there, strict=True))


def _order(claimed: Claimed, best: Sequence[Row], window: Sequence[Row]) -> dict[str, float]:
    """Return how well the order of words in the claim agrees with the text."""
    places = []
    for place in range(len(claimed.content)):
        value, word = max((row.matches[place] for row in window), key=lambda one: one[0], default=(0.0, None))
        if value >= 0.7 and word is not None:
            places.append(word.start)
    pairs = len(places) * (len(places) - 1) / 2
    turned = sum(one > other for at, one in enumerate(places) for other in places[at + 1 :])
    near = sum(0 < other - one < 40 for one, other in pairwise(places))
    facts = [row.matches[place][1] for row in best for place in claimed.facts if row.matches[place][0] >= 0.8]
    starts = [word.start for word in facts if word is not None]
    return {
        "turned order": turned / pairs if pairs else 0.0,
        "in a row": near / max(1, len(claimed.content) - 1),
        "facts turned": float(
            sum(start > other for at, start in enumerate(starts) for other in starts[at + 1 :])
        ),
    }


def _said_back(claimed: Claimed, best: Sequence[Row]) -> float:
    """Return the share (0-1) of the supporting sentence, without its tag, that is in the claim."""
    words = [word for row in best for word in row.unit.words if word.weight > 0 and word not in row.unit.tag]
    total = sum(word.weight for word in words)
    if not total:
        return 0.0
    return (
        sum(
            word.weight * max((likeness(word, other) for other in claimed.content), default=0.0)
            for word in words
        )
        / total
    )


def _used(few: Sequence[Row], rows: Sequence[Row]) -> list[tuple[int, Unit]]:
    """Return the supporting sentences, each with its passage."""
    return [(row.text, row.unit) for row in few if any(value > 0 for value, _ in row.matches)] or [
        (row.text, row.unit) for row in rows[:1]
    ]
