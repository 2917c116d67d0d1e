"""The kind of answer that a question asks for, by its words: an instruction, an amount, a person, a reason.

A book about a thing may not say what it weighs, what it costs or who made it. So the standard for an amount, a name, a date
or an instruction is higher than for a reason or a yes. The calibration of running text learns the difference.
"""

import re

from vademecum.text.instructions import DOING

_I = re.IGNORECASE

_AUXILIARY = r"(?:is|are|am|was|were|can|could|do|does|did|will|would|should|may|must|has|have|isn't|aren't|doesn't|don't|can't)"
_YES_NO = re.compile(rf"(?:^|[,.:;] ){_AUXILIARY}\b", _I)
_ASKING = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", _I)
_WAY = re.compile(
    r"\bhow (?:do|can|to|would|should|could) (?!\w+ (?:differ|relate|compare))|\bway to\b|\bstep by step\b",
    _I,
)
_FIRST_WORD = re.compile(r"[a-z]+", _I)
ANSWER_KINDS = {
    "amount": re.compile(
        r"\bhow (?:many|much|long|often|far|fast|large|big|heavy|old|high|deep|wide|accurate|small|quick(?:ly)?)\b|"
        r"\b(?:limit|maximum|minimum|max|min|default|size|number|rate|frequency|percentage|share|price|costs?|weight|mass|"
        r"length|width|height|range|timeout|latency|duration|speed|values?|port|memory|space|fee|tolerance|power|"
        r"temperature|dimensions|capacity|bandwidth|amount)\b",
        _I,
    ),
    "version": re.compile(
        r"\bversions?\b|\brelease\b|\bsupport(?:s|ed)?\b|\bcompatib\w*|\bworks? (?:with|on)\b|\brun on\b", _I
    ),
    "person": re.compile(
        r"\bwho(?:m|se)?\b|\bwhich (?:company|person|people|university|team|vendor|organi[sz]ation)\b", _I
    ),
    "time": re.compile(
        r"\bwhen (?:was|did|will|does|is)\b|\b(?:what|which) (?:year|date|day|month)\b|\bdate\b|\b(?:until|since) when\b",
        _I,
    ),
    "reason": re.compile(r"\bwhy\b|\breasons?\b|\bwhat causes\b|\bpurpose\b", _I),
    "comparison": re.compile(
        r"\bdifferences?\b|\bversus\b|\bvs\b|\bbetter\b|\bagainst\b|\bcompared?\b|\badvantages?\b|\bfaster\b| or ",
        _I,
    ),
    "meaning": re.compile(r"\bmean(?:ing|s)?\b|\bwhat(?: is|'s)\b|\bexplain\b", _I),
    "count": re.compile(r"\bhow many\b|\bnumber of\b", _I),
    "duration": re.compile(
        r"\bhow (?:long|soon|quick(?:ly)?|fast|late|old)\b|\b(?:milli|micro)?seconds?\b|\bminutes?\b|\bhours?\b|\bdays?\b|"
        r"\b(?:timeout|latency|delay|duration|interval|period|warranty|age|term|ms)\b|"
        r"\b(?:flight|battery|response|reaction|waiting|charging|build|boot|settling|run) ?time\b",
        _I,
    ),
    "measure": re.compile(
        r"\bhow (?:far|tall|wide|high|deep|close|thick|big|large|heavy|fast|often|hot)\b|\bweighs?\b|"
        r"\b(?:kilo|centi|milli)?met(?:er|re)s?\b|\b(?:k?m?g?hz|kg|grams?|k?m?g?b|fps|fov|mah|ram)\b|"
        r"\b(?:distance|range|wingspan|height|length|width|radius|diameter|altitude|dimensions?|thickness|spacing|clearance|"
        r"resolution|weight|mass|payload|rate|frequency|speed|bandwidth|velocity|throughput|cutoff|size|memory|flash|disk|"
        r"storage|voltage|volts?|current|amps?|power|ohms?|watts?|temperatures?|angles?|degrees?|field of view|tilt)\b|"
        r"\b(?:bytes?|characters?|pixels?|baud\w*|resist\w+)\b",
        _I,
    ),
    "money": re.compile(
        r"\b(?:costs?|prices?|paid|pay|cheap\w*|fees?|salary|buy|funding|dollars?|euros?|rent\w*)\b|"
        r"\bhow much (?:is|are|do|does|did|will|would)\b(?!.*\bweighs?\b)",
        _I,
    ),
    "default": re.compile(r"\bdefaults?\b", _I),
    "extreme": re.compile(
        r"\b(?:max(?:imum)?|min(?:imum)?|largest|smallest|lowest|highest|longest|shortest|at most|at least|limit|up to)\b",
        _I,
    ),
    "terms": re.compile(r"\blicen[cs]e\b|\bpasswords?\b|\bencrypt\w*\b|\bcertif\w+\b", _I),
}
"""The kinds that words indicate. The form of the question indicates `way` and `yes_no`."""

NAMES = ("way", "yes_no", *ANSWER_KINDS)
"""All kinds, in the order of `answer_kinds`."""


def answer_kinds(text: str) -> tuple[bool, ...]:
    """Return for each of `NAMES` whether a question asks for it; often none, sometimes several.

    >>> [name for name, wanted in zip(NAMES, answer_kinds("Rename a model"), strict=True) if wanted]
    ['way']
    """
    asks = bool(_YES_NO.search(text))
    first = _FIRST_WORD.search(text)
    is_request = not asks and not _ASKING.search(text) and first is not None and first[0].lower() in DOING
    return (
        is_request or bool(_WAY.search(text)),
        asks,
        *(bool(kind.search(text)) for kind in ANSWER_KINDS.values()),
    )


def asks_way(text: str) -> bool:
    """Return whether a question asks how to do something, so that its answer is a procedure."""
    return answer_kinds(text)[NAMES.index("way")]
