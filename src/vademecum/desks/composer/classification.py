"""What kind of request it is, what it rules out, and how the signals are weighed for it."""

from collections.abc import Collection
from functools import cache
from typing import Literal, NamedTuple

from vademecum.desks.composer.constraints import OS_OF, Kind, Named, named
from vademecum.desks.composer.exclusions import Exclusion, exclusions
from vademecum.desks.composer.package_names import KnownPackages, packages_in
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.phrases import lexicon
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

_WORDS = Pattern(r"[^\W_][\w.+/-]*[\w+]|[^\W_]", flags=0)
_KEYWORDS = frozenset(
    [
        "edge",
        "iot",
        "gateway",
        "minimal",
        "server",
        "cloud",
        "embedded",
        "headless",
        "industrial",
        "appliance",
        "baremetal",
        "virtual",
        "hardware",
        "security",
        "networking",
    ]
)
"""Technical keywords that are no capability: what they mean differs from template to template."""

_CHANGES = Pattern(
    r"^\W*(?:(?:please|now|then|also|and|ok|okay|can\s+you|could\s+you|would\s+you|i(?:'d|\s+would)?\s+(?:like|want)\s+(?:you\s+)?to)\b\W*)*"
    r"(?:add|install|include|put|remove|delete|drop|uninstall|take\s+out|leave\s+out|get\s+rid|change|set|switch|use|replace|swap|rename|"
    r"resize|increase|decrease|grow|shrink|enlarge|reduce|make\s+(?:it|the|this|that|them)|enable|disable|turn|move|give|create\s+a\s+(?:user|partition)|"
    r"undo|revert|go\s+back|bump|raise|lower|double|halve|expand|update|upgrade|downgrade|pin|mount|split|configure|call\s+it|name\s+it|"
    r"what|which|how\s+(?:many|big|large)|why|does|is|are|list|show|explain|summari[sz]e|describe|validate|check|save)\b"
)
_NEW = Pattern(
    r"\b(?:start(?:ing)?\s+(?:over|again|afresh|anew|from\s+scratch)|from\s+the\s+beginning|forget\s+(?:it|that|this|everything|all)|"
    r"(?:a|another|one)\s+(?:completely\s+|totally\s+|whole\s+)?new\s+(?:one|image|template|recipe|system)|(?:make|build|create|generate|give|find|show|get)\s+(?:me\s+)?"
    r"(?:an?other|a\s+new|a\s+different|an?\b(?!\s+(?:user|partition|swap|separate|account|group|repository|file|hostname)))(?:[^.;]*\b(?:image|template|recipe|iso|installer|one|system|server|desktop)\b)|"
    r"something\s+(?:else|different)|different\s+(?:image|template))"
)
"""How a change of the template in work, or a question about it, begins; and how something new is asked for."""


class Constraint(NamedTuple):
    """Something that a template must be, or must not be.

    Attributes:
        kind: `distribution`, `version`, `architecture`, `image_type` or `exclusion`.
        value: What the facts call it (`ubuntu`, `ubuntu24`, `aarch64`, `iso`); of an exclusion what is looked for: words of
            package names, names of capabilities, values of the target, parted by blanks; "" if it was not understood.
        said: The words of the request.
    """

    kind: Kind | Literal["exclusion"]
    value: str
    said: str


class Classification(NamedTuple):
    """What was made of a request.

    Attributes:
        type: One of the five.
        weights: The profile, after the settings.
        packages: Package names that it asks for, as the library knows them, in order.
        keywords: Technical keywords in it.
        constraints: What a template must be. Several of one kind: any of them will do.
        exclusions: What it must not have.
        density: Keywords over content words (0-1).
        reasons: Why this type, in sentences.
        ruled_out: The exclusions as they are looked for in facts.
        words: The request without what it rules out.
        bare_words: The same without the names of distributions, architectures and image types, too.
    """

    type: QueryType
    weights: Weights
    packages: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    exclusions: tuple[Constraint, ...] = ()
    density: float = 0.0
    reasons: tuple[str, ...] = ()
    ruled_out: tuple[Exclusion, ...] = ()
    words: str = ""
    bare_words: str = ""


def classify(
    query: str,
    *,
    known: KnownPackages,
    topics: Collection[str] = (),
    in_session: bool = False,
    usual: Weights = USUAL,
    package_threshold: int = 2,
    keyword_density: float = 0.5,
) -> Classification:
    """Classify a request.

    Args:
        query: The request.
        known: Names of packages.
        topics: Words that are keywords beside those of the capabilities, such as those in the names of templates; lower case.
        in_session: Whether there is a template in work.
        usual: The weights of all types that have no profile of their own.
        package_threshold: From so many packages on a request is about packages.
        keyword_density: Above this share of keywords a request is made of keywords.
    """
    ruled_out = exclusions(query, known)
    understood = [one for one in ruled_out if one.is_understood]
    outside = _blanked(query, [(one.start, one.end) for one in ruled_out])
    packages = packages_in(outside, known)
    targets = _targets(query, ruled_out, [(one.start, one.end) for one in packages])
    words = _blanked(query, [(one.start, one.end) for one in understood])
    keywords, density = _keywords(outside, targets, topics)
    names = tuple(one.name for one in packages)
    type_, reason = _type(
        names,
        understood,
        density,
        is_change_of_work=in_session and is_change(query),
        package_threshold=package_threshold,
        keyword_density=keyword_density,
    )
    return Classification(
        type=type_,
        weights=PROFILES.get(type_, usual),
        packages=names,
        keywords=keywords,
        constraints=tuple(Constraint(one.kind, one.value, one.said) for one in targets),
        exclusions=tuple(Constraint("exclusion", _looked_for(one), one.said) for one in ruled_out),
        density=density,
        reasons=(reason, *_more_reasons(ruled_out)),
        ruled_out=tuple(ruled_out),
        words=words,
        bare_words=_blanked(words, [(one.start, one.end) for one in targets]),
    )


def is_change(query: str) -> bool:
    """Whether a request asks to change, or asks about, the template in work, instead of asking for a new one."""
    return bool(_CHANGES.match(query)) and not _NEW.search(query)


def _type(
    packages: Collection[str],
    ruled_out: Collection[Exclusion],
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
    if ruled_out:
        return "negation", f"It rules out {', '.join(one.said for one in ruled_out)}."
    if density > keyword_density:
        return "keyword_heavy", f"{density:.0%} of its words are technical keywords."
    return "semantic", f"It describes what is wanted ({density:.0%} of its words are technical keywords)."


def _more_reasons(ruled_out: Collection[Exclusion]) -> tuple[str, ...]:
    return tuple(
        f'It was not understood what "{one.said}" rules out.' for one in ruled_out if not one.is_understood
    )


def _targets(
    query: str, ruled_out: Collection[Exclusion], packages: Collection[tuple[int, int]]
) -> list[Named]:
    """What is named of the target, each once; nothing that is ruled out or is part of a package's name."""
    taken = [*((one.start, one.end) for one in ruled_out if one.targets), *packages]
    found: dict[str, Named] = {}
    for one in named(query):
        if not any(start <= one.start and one.end <= end for start, end in taken):
            found.setdefault(one.value, one)
    exact = {OS_OF.get(value) for value in found}
    return [one for value, one in found.items() if value not in exact]


def _keywords(
    query: str, targets: Collection[Named], topics: Collection[str]
) -> tuple[tuple[str, ...], float]:
    """The technical keywords of a request, and their share of its content words."""
    text = _blanked(query, [(one.start, one.end) for one in targets])
    content = [word.lower() for word in _WORDS.findall(text) if word.lower() not in STOP_WORDS]
    keywords = [word for word in content if word in topics or stem(word) in _known_keywords()]
    count = len(content) + len(targets)
    return tuple(dict.fromkeys(keywords)), len(keywords) / count if count else 0.0


@cache
def _known_keywords() -> frozenset[str]:
    """The stems of technical keywords."""
    return frozenset(map(stem, {*lexicon().keywords, *_KEYWORDS} - {"image", "system"}))


def _looked_for(one: Exclusion) -> str:
    return " ".join(dict.fromkeys((*one.packages, *one.capabilities, *(each.value for each in one.targets))))


def _blanked(text: str, spans: Collection[tuple[int, int]]) -> str:
    """A text with some stretches replaced by as many blanks, so that all others stay where they are."""
    for start, end in spans:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text
