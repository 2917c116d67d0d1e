"""Classify a request: its kind, what it excludes, and the weights of the signals."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from vademecum.desks.composer.image_template import Facts
from vademecum.desks.composer.image_template.model import SYSTEM_OF
from vademecum.desks.composer.packages.choice import meant_to_go
from vademecum.desks.composer.request.words.intents import is_change
from vademecum.desks.composer.request.words.phrases import lexicon
from vademecum.desks.composer.wish import TARGETS, Wish
from vademecum.desks.composer.wishes import Wishes
from vademecum.text.patterns import Pattern
from vademecum.text.words import STOP_WORDS, stem

QueryType = Literal["semantic", "package_explicit", "keyword_heavy", "refinement", "negation"]


class Weights(NamedTuple):
    """How much each signal counts."""

    semantic: float
    keyword: float
    package: float


USUAL = Weights(0.70, 0.20, 0.10)
PROFILES: dict[QueryType, Weights] = {
    "package_explicit": Weights(0.40, 0.20, 0.40),
    "keyword_heavy": Weights(0.50, 0.40, 0.10),
}
"""How the signals are weighed for a type; for the others as the settings say."""

_KEYWORDS = frozenset(
    """edge iot gateway minimal server cloud embedded headless industrial appliance baremetal virtual hardware security networking""".split()  # noqa: SIM905 - one list reads best
)
"""Technical keywords that are not a capability: what they mean differs from template to template."""

_WORD = re.compile(r"[^\W_][\w.+/-]*[\w+]|[^\W_]")
_FLAGS = {"encryption": "encrypted", "read_only_root": "read-only-root", "secure_boot": "secure-boot"}
"""Kinds of wishes that are capabilities, too."""

_NAMING = frozenset(
    ["user", "hostname", "image_name", "image_version", "description", "repository", "file", "timezone"]
)
"""Kinds of wishes whose words are names, and say nothing of an image's purpose."""


class Classification(NamedTuple):
    """What was made of a request.

    Attributes:
        constraints: What a template must be (`distribution`, `version`, `architecture`, `image_type`). Of several of one kind any will do.
        density: Keywords over content words (0-1).
        words: What it says of the image's purpose, without what it rules out.
        bare_words: The same without the names of distributions, releases and architectures.
    """

    type: QueryType
    weights: Weights
    packages: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    constraints: tuple[Wish, ...] = ()
    exclusions: tuple[Wish, ...] = ()
    asked: Mapping[str, str] = MappingProxyType({})
    density: float = 0.0
    reason: str = ""
    words: str = ""
    bare_words: str = ""
    not_understood: tuple[str, ...] = ()


def classify(
    read: Wishes,
    *,
    topics: Collection[str] = (),
    in_session: bool = False,
    usual: Weights = USUAL,
    package_threshold: int = 2,
    keyword_density: float = 0.5,
) -> Classification:
    """Classify a request."""
    targets = [wish for wish in read.wishes if wish.kind in TARGETS and wish.wanted]
    exact = {SYSTEM_OF.get(wish.value) for wish in targets}  # "Ubuntu, noble please" is about noble
    constraints = tuple(wish for wish in targets if wish.value not in exact)
    exclusions = tuple(wish for wish in read.wishes if not wish.wanted and _excludes(wish))
    packages = tuple(wish.value for wish in read.wishes if wish.kind == "package" and wish.wanted)
    words = _without(
        read.request, (wish.said for wish in read.wishes if wish in exclusions or wish.kind in _NAMING)
    )
    bare_words = _without(words, (wish.said for wish in targets if wish.kind != "image_type"))
    bare_words = _COMPUTER.sub(" ", bare_words)
    keywords, density = _keywords(_without(words, (wish.said for wish in targets)), len(constraints), topics)
    kind, reason = _type(
        packages,
        exclusions,
        density,
        is_change_of_work=in_session and is_change(read.request),
        package_threshold=package_threshold,
        keyword_density=keyword_density,
    )
    return Classification(
        type=kind,
        weights=PROFILES.get(kind, usual),
        packages=packages,
        keywords=keywords,
        constraints=constraints,
        exclusions=exclusions,
        asked={
            capability: wish.said
            for wish in read.wishes
            if wish.wanted and (capability := capability_of(wish))
        },
        density=density,
        reason=reason,
        words=words,
        bare_words=bare_words,
        not_understood=tuple(wish.said for wish in read.wishes if wish.kind == "unknown"),
    )


_COMPUTER = Pattern(r"\bcomputers?\b(?!\s+vision)")
"""A computer is not one that computes much."""


def capability_of(wish: Wish) -> str:
    """The capability that a wish is about; "" if none."""
    if wish.kind in {"capability", "artifact"}:
        return wish.value
    if wish.kind in {"kernel_flavour", "boot_loader"}:
        return {"rt": "real-time", "grub": "grub", "systemd-boot": "uki"}.get(wish.value, "")
    return _FLAGS.get(wish.kind, wish.kind if wish.kind in {"swap", "uki"} else "")


def broken(wish: Wish, facts: Facts, able: Collection[str]) -> str:
    """What a template has of that which a wish rules out, in words; "" if nothing."""
    if wish.kind in TARGETS:
        has = wish.value in {facts.distribution, facts.version, facts.architecture, facts.image_type}
        return f"it is {wish.value}" if has else ""
    if wish.kind == "package":
        names = meant_to_go(wish.value, (*facts.packages, *facts.kernel_packages))
        return f"it has {names[0]}" if names else ""
    capability = capability_of(wish)
    return f"it has: {_says(capability)}" if capability in able else ""


def _excludes(wish: Wish) -> bool:
    return wish.kind in TARGETS or wish.kind == "package" or bool(capability_of(wish))


def _type(
    packages: Collection[str],
    exclusions: Collection[Wish],
    density: float,
    *,
    is_change_of_work: bool,
    package_threshold: int,
    keyword_density: float,
) -> tuple[QueryType, str]:
    if is_change_of_work:
        return "refinement", "There is a template in work, and this changes it or asks about it."
    if len(packages) >= package_threshold:
        return "package_explicit", f"It names {len(packages)} packages: {', '.join(packages)}."
    if exclusions:
        return "negation", f"It rules out {', '.join(wish.said for wish in exclusions)}."
    if density > keyword_density:
        return "keyword_heavy", f"{density:.0%} of its words are technical keywords."
    return "semantic", f"It describes what is wanted ({density:.0%} of its words are technical keywords)."


def _keywords(words: str, constraints: int, topics: Collection[str]) -> tuple[tuple[str, ...], float]:
    """The technical keywords of a request, and their share of its content words."""
    content = [word for word in _WORD.findall(words.lower()) if word not in STOP_WORDS]
    keywords = [word for word in content if word in topics or stem(word) in _known_keywords()]
    count = len(content) + constraints
    return tuple(dict.fromkeys(keywords)), len(keywords) / count if count else 0.0


@cache
def _known_keywords() -> frozenset[str]:
    """The stems of technical keywords."""
    return frozenset(map(stem, {*lexicon().keywords, *_KEYWORDS} - {"image", "system"}))


def _without(text: str, said: Iterable[str]) -> str:
    for words in said:
        text = text.replace(words, " ")
    return " ".join(text.split())


def _says(name: str) -> str:
    from vademecum.desks.composer.image_template.capabilities import capabilities  # noqa: PLC0415 - for those that are left out only

    return next(capability.says for capability in capabilities() if capability.name == name)
