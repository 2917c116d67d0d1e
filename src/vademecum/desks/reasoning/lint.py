"""Check a library of templates: near-duplicates, templates that no question reaches, missing fields."""

from collections import Counter
from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from vademecum.desks.reasoning.index import TemplateIndex
from vademecum.desks.reasoning.naive_bayes import wording
from vademecum.desks.reasoning.ranking import rank
from vademecum.desks.reasoning.scaffold import scaffold_of
from vademecum.desks.reasoning.templates import Template

SAME = 0.8
"""Cosine of two templates' words from which on they are nearly one."""

_FEW_EXAMPLES = 4


class Finding(NamedTuple):
    """Something amiss.

    Attributes:
        kind: `near-duplicate`, `unreached`, `missing`, `unknown-near` or `warning`.
    """

    kind: str
    template: str
    message: str


def lint(templates: Sequence[Template], nothing: Sequence[str]) -> list[Finding]:
    """Everything amiss, by template."""
    found = [
        finding for template in templates for finding in _own(template, {other.id for other in templates})
    ]
    chosen = [template for template in templates if not template.is_fallback]
    return [*found, *_duplicates(chosen), *_unreached(chosen, nothing)]


def _own(one: Template, known: set[str]) -> list[Finding]:
    """What can be seen in a template alone."""
    found = [Finding("warning", one.id, text) for text in one.warnings]
    missing = [name for name in ("description", "keywords", "use_when") if not getattr(one, name)]
    if len(one.examples) < _FEW_EXAMPLES and not one.is_fallback:
        missing.append(f"examples ({len(one.examples)} of at least {_FEW_EXAMPLES})")
    scaffold = scaffold_of(one.name, one.content)
    missing += ["numbered steps"] if len(scaffold.steps) < 2 else []
    missing += [] if scaffold.checklist else ["checklist"]
    found += [
        Finding("missing", one.id, f"It has no {name}." if "(" not in name else f"It has few {name}.")
        for name in missing
    ]
    strangers = [other for other in one.near if other not in known]
    return found + [
        Finding("unknown-near", one.id, f"It names {other} as near, which is not here.")
        for other in strangers
    ]


def _duplicates(templates: Sequence[Template]) -> list[Finding]:
    """Pairs that say nearly the same, by the pairs of neighbouring words in them."""
    bags = [_pairs_of(template) for template in templates]
    found = []
    for at, (bag, length) in enumerate(bags):
        for other, (bag_2, length_2) in enumerate(bags[:at]):
            shared = sum(count * bag_2[words] for words, count in bag.items() if words in bag_2)
            cosine = shared / ((length * length_2) or 1.0)
            if cosine >= SAME:
                message = f"It is nearly the same as {templates[other].id} (cosine {cosine:.2f})."
                found.append(Finding("near-duplicate", templates[at].id, message))
    return found


def _pairs_of(one: Template) -> tuple[dict[str, int], float]:
    """How often each pair of neighbouring words is in a template, and the length of that as a vector."""
    lines = (one.description, *one.use_when, *one.examples, *one.content.split("\n"))
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(
            {
                words: count
                for words, count in wording(line).items()
                if " " in words and words.replace(" ", "").isalpha()
            }
        )
    return dict(counts), sqrt(sum(count * count for count in counts.values()))


def _unreached(templates: Sequence[Template], nothing: Sequence[str]) -> list[Finding]:
    """Templates that none of their own questions reaches: other templates, or the fallback, always come first."""
    if not templates:
        return []
    index = TemplateIndex(templates, nothing)
    found = []
    for at, template in enumerate(templates):
        questions = (*template.examples, *template.use_when) or (template.description or template.name,)
        ranked = [rank(question, index.measure(question)) for question in questions]
        if not any(each.order[0] == at and each.decides for each in ranked):
            found.append(
                Finding("unreached", template.id, "None of its examples and situations finds it first.")
            )
    return found
