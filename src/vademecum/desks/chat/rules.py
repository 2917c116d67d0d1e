"""Compiled rules: parsed conditions, patterns grouped by field, parsed prompts."""

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vademecum.config.document import Node, joined
from vademecum.desks.chat.config.model import COMPARISONS, RESULT_VALUES, Configuration, Rule
from vademecum.desks.chat.config.normal_form import Fault
from vademecum.desks.chat.patterns import BadPattern, Pattern, PatternSet, read_pattern
from vademecum.desks.chat.profile import FIELDS, PROMOTED, Profile, Result, values_of
from vademecum.desks.chat.variables import Template, UnknownVariable, read_template
from vademecum.text.similar import closest

REGEXP = "_regexp"
_COMPARISON = re.compile(r"(>=?|<=?)\s*([0-9.]+)")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_KEYS = (*FIELDS, *(f"{name}{REGEXP}" for name in FIELDS), "intent_any")
_NOTHING = Template("", ("",))

Plain = str | int | float | None


class Exact(NamedTuple):
    """A key with its accepted values."""

    field: str
    values: tuple[Plain, ...]


class Compared(NamedTuple):
    """A key with comparisons, all of which must hold."""

    field: str
    holds: tuple[tuple[Callable[[float, float], bool], float], ...]

    def passes(self, profile: Profile) -> bool:
        """Return whether a profile passes. A profile without the number does not."""
        value = getattr(profile, self.field)
        return value is not None and all(holds(value, number) for holds, number in self.holds)


class Like(NamedTuple):
    """A key with a pattern, and the pattern's position among all patterns of the field."""

    field: str
    pattern: Pattern
    position: int


class Tried(NamedTuple):
    """A rule that was tried.

    Attributes:
        failed: The first key that did not pass, or "".
    """

    rule: int
    passed: bool
    failed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A compiled rule.

    Attributes:
        results: The accepted results; by default all.
        typed: The templates of `model`, `max_tokens` and `temperature`, if they are variables, by name.
    """

    place: int
    rule: Rule
    results: frozenset[Result]
    exact: tuple[Exact, ...]
    like: tuple[Like, ...]
    compared: tuple[Compared, ...]
    prompt: Template
    static_response: Template | None
    typed: dict[str, Template]

    def fields(self) -> Iterator[str]:
        """Yield the fields that the rule tests."""
        yield from (one.field for one in self.exact)
        yield from (one.field for one in self.like)
        yield from (one.field for one in self.compared)

    def shown(self) -> Iterator[str]:
        """Yield the fields that the texts of the rule name."""
        spoken = (self.static_response,) if self.static_response else (self.prompt, *self.typed.values())
        for template in spoken:
            yield from template.names


class Rules:
    """All rules of a configuration, in order."""

    def __init__(self, rules: Sequence[CompiledRule], patterns: dict[str, list[Pattern]]) -> None:
        self.rules = tuple(rules)
        self._sets = {name: PatternSet(found) for name, found in patterns.items()}

    def trying(self, profile: Profile) -> "Trying":
        """Return the rules, to be tried on a profile."""
        return Trying(self, profile)

    def hits(self, field: str, texts: Sequence[str]) -> frozenset[int]:
        """Return the positions of the patterns of a field that match at least one of the texts."""
        return self._sets[field].matching(texts)


class Trying:
    """Rules that are tried on a profile. The profile can change between two tries; pattern searches are cached."""

    def __init__(self, rules: Rules, profile: Profile) -> None:
        self._rules = rules
        self._profile = profile
        self._hits: dict[tuple[str, tuple[str, ...]], frozenset[int]] = {}

    def knowing(self, profile: Profile) -> "Trying":
        """Use a profile with more information, and return the same object."""
        self._profile = profile
        return self

    def needs_intent(self) -> bool:
        """Return whether the intent is needed to find the first rule that matches, or to write the rule's texts."""
        if self._profile.rag_result == "match":
            return False
        unsure = {"intent", *(PROMOTED if self._profile.rag_result == "partial" else ())}
        for rule in self._rules.rules:
            if not self._failed(rule, lambda field: field in unsure):
                return not unsure.isdisjoint((*rule.fields(), *rule.shown()))
        return False

    def first(self) -> tuple[CompiledRule, list[Tried]]:
        """Return the first rule that matches, and all rules that were tried."""
        tried = []
        for rule in self._rules.rules:
            failed = self._failed(rule, lambda _field: False)
            tried.append(Tried(rule.place, not failed, failed))
            if not failed:
                return rule, tried
        raise LookupError("no rule matches")

    def _failed(self, rule: CompiledRule, left_out: Callable[[str], bool]) -> str:
        """Return the first key that does not pass, or ""."""
        if self._profile.rag_result not in rule.results:
            return "rag_result"
        for exact in rule.exact:
            if not left_out(exact.field) and not set(exact.values).intersection(
                values_of(self._profile, exact.field)
            ):
                return exact.field
        for compared in rule.compared:
            if not left_out(compared.field) and not compared.passes(self._profile):
                return compared.field
        for like in rule.like:
            if not left_out(like.field) and like.position not in self._found(like.field):
                return f"{like.field}{REGEXP}"
        return ""

    def _found(self, field: str) -> frozenset[int]:
        texts = tuple(str(one) for one in values_of(self._profile, field) if one is not None)
        known = self._hits.get((field, texts))
        if known is None:
            known = self._hits[field, texts] = self._rules.hits(field, texts) if texts else frozenset()
        return known


# --- compiling ---


class Compiler:
    """A compiler of rules, which collects their faults."""

    def __init__(self, configuration: Configuration, root: Node) -> None:
        self._configuration = configuration
        self._root = root
        self._patterns: dict[str, list[Pattern]] = {}
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []

    def rules(self) -> Rules | None:
        """Return the compiled rules, or None if there are faults."""
        found = [self._rule(place, rule) for place, rule in enumerate(self._configuration.responses)]
        return None if self.faults else Rules(found, self._patterns)

    def _rule(self, place: int, rule: Rule) -> CompiledRule:
        node = self._root.at(("responses", place))
        exact, like, compared = self._keys(rule, node.at(("match",)))
        prompt = self._template(rule.prompt, node, "prompt")
        static = (
            None
            if rule.static_response is None
            else self._template(rule.static_response, node, "static_response")
        )
        typed = {}
        for name in ("model", "max_tokens", "temperature"):
            value = getattr(rule, name)
            if isinstance(value, str) and (name != "model" or "${" in value or "{{" in value):
                typed[name] = self._typed(value, node, name)
        results = rule.match.get("rag_result", RESULT_VALUES)
        return CompiledRule(
            place=place,
            rule=rule,
            results=frozenset(results) if isinstance(results, list | tuple) else frozenset(),
            exact=exact,
            like=like,
            compared=compared,
            prompt=prompt,
            static_response=static,
            typed=typed,
        )

    def _keys(
        self, rule: Rule, node: Node
    ) -> tuple[tuple[Exact, ...], tuple[Like, ...], tuple[Compared, ...]]:
        exact, like, compared = [], [], []
        for key, value in rule.match.items():
            field = key.removesuffix(REGEXP)
            if key == "rag_result":
                continue
            if field not in FIELDS:
                message = f"{joined('', key)} is not a key of match."
                self._fault(node, key, message, closest(key, _KEYS))
            elif key == "answerability":
                compared += self._compared(key, value, node)
            elif key != field:
                like += self._like(field, value, node, key)
            elif values := self._values(value, node, key):
                exact.append(Exact(field, values))
        return tuple(exact), tuple(like), tuple(compared)

    def _compared(self, field: str, value: object, node: Node) -> list[Compared]:
        text = f">= {value}" if isinstance(value, int | float) and not isinstance(value, bool) else value
        if not isinstance(text, str) or not re.match(COMPARISONS, text):
            self._fault(node, field, 'It must be a comparison, such as "> 0.5" or ">= 0.2, < 0.5".')
            return []
        found = []
        for sign, number in _COMPARISON.findall(text):
            try:
                found.append((_SIGNS[sign], float(number)))
            except ValueError:
                self._fault(node, field, f"{number} is not a number.")
        return [Compared(field, tuple(found))]

    def _like(self, field: str, value: object, node: Node, key: str) -> list[Like]:
        if not isinstance(value, str):
            self._fault(node, key, "It must be a pattern, such as /kubernetes/i.")
            return []
        try:
            pattern = read_pattern(value)
        except BadPattern as error:
            self._fault(node, key, str(error))
            return []
        if pattern.warning:
            self.warnings.append(self._named(node, key, pattern.warning))
        of_field = self._patterns.setdefault(field, [])
        of_field.append(pattern)
        return [Like(field, pattern, len(of_field) - 1)]

    def _values(self, value: object, node: Node, key: str) -> tuple[Plain, ...]:
        given = value if isinstance(value, list) else [value]
        found = [
            one for one in given if one is None or (isinstance(one, str | int | float) and one is not True)
        ]
        if len(found) < len(given) or any(one is False for one in found) or not given:
            self._fault(node, key, "It must be a string or a number, or a list of these.")
            return ()
        services = self._configuration.rag_services
        if key in {"service", "identifier"}:
            for one in found:
                service = str(one).partition("/")[0]
                if one is not None and service not in services:
                    self._fault(
                        node, key, f"There is no service {joined('', service)}.", closest(service, services)
                    )
        return tuple(found)

    def _template(self, text: str, node: Node, key: str) -> Template:
        try:
            return read_template(text)
        except UnknownVariable as error:
            self._fault(node, key, error.message, f"${{{error.meant}}}" if error.meant else "")
            return _NOTHING

    def _typed(self, text: str, node: Node, key: str) -> Template:
        template = self._template(text, node, key)
        if key == "model":
            return template
        alone = len(template.parts) == 3 and not template.parts[0].strip() and not template.parts[2].strip()
        if template is not _NOTHING and not alone:
            self._fault(node, key, "It must be a number, or one variable, such as ${service.tokens}.")
        return template

    def _fault(self, node: Node, key: str, message: str, nearest: str = "") -> None:
        self.faults.append(self._named(node, key, message)._replace(meant=nearest))

    @staticmethod
    def _named(node: Node, key: str, message: str) -> Fault:
        found = node.at((key,))
        path = found.path if found is not node else joined(node.path, key)
        return Fault(path, found.line, message)
