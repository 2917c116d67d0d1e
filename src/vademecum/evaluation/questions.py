"""Questions with what is known of their answers, from files of one JSON object a line.

    {"question": "...", "gold": ["chmod(1)"], "must_contain": ["chmod", "-R|--recursive"], "answerable": true}

Only `question` must be there; `null` is as good as absent. `section` and `kind` group the results where
they are given, any other key is ignored. Blank lines are skipped.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from vademecum.core.errors import ConfigError
from vademecum.evaluation.matching import options

EXAMPLE = '{"question": "How do I ...?", "gold": ["chmod(1)"]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and what is known of its answer.

    Attributes:
        question: As a person asks it.
        gold: References of the documents that answer it, any of which will do; empty if not known.
        must_contain: What an answer must say, as in `evaluation.matching`; empty if not known.
        leads: What its lead must say, likewise, where several leads will do; any of them is enough.
        explains: The parts of a command line that is to be explained, each with a word of what its page says.
        answerable: Whether the documents hold an answer.
        section: A group given in the file, or "".
        kind: Another, or "".
    """

    question: str
    gold: tuple[str, ...] = ()
    must_contain: tuple[str, ...] = ()
    leads: tuple[tuple[str, ...], ...] = ()
    explains: tuple[tuple[str, str], ...] = ()
    answerable: bool = True
    section: str = ""
    kind: str = ""

    @property
    def lead_must(self) -> tuple[tuple[str, ...], ...]:
        """What its lead must say: any of these; empty if not known."""
        return self.leads or ((self.must_contain,) if self.must_contain else ())


def read_questions(path: Path) -> list[Question]:
    """All questions of a file, in its order; at least one.

    Raises:
        ConfigError: The file cannot be read, is empty, or a line is not as it must be. The message
            names file and line, the hint says what to write.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {error.strerror or error}",
            hint="Give a file of questions, one JSON object a line.",
        ) from error
    lines = raw.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    questions = [
        _question(line, _Place(path, number)) for number, line in enumerate(lines, start=1) if line.strip()
    ]
    if not questions:
        raise _Place(path, 1).fault("the file holds no question", f"Write one JSON object a line: {EXAMPLE}")
    return questions


@dataclass(frozen=True, slots=True)
class _Place:
    """A line of a file, which knows how to complain."""

    path: Path
    line: int

    def fault(self, what: str, hint: str) -> ConfigError:
        return ConfigError(f"{self.path}, line {self.line}: {what}", hint=hint)


def _question(line: bytes, place: _Place) -> Question:
    """One line's question."""
    try:
        fields = json.loads(line.decode())
    except UnicodeDecodeError as error:
        raise place.fault("the line is not UTF-8", "Save the file as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        raise place.fault(
            f"the line is not JSON ({error})", f"Write one JSON object a line: {EXAMPLE}"
        ) from error
    if not isinstance(fields, dict):
        raise place.fault("the line is not a JSON object", f"Write one JSON object a line: {EXAMPLE}")
    question = _text(fields, "question", place)
    if not question.strip():
        what = '"question" is empty' if fields.get("question") is not None else 'there is no "question"'
        raise place.fault(what, f"Every line needs a question: {EXAMPLE}")
    return Question(
        question=question,
        gold=_texts(fields, "gold", place),
        must_contain=_must_contain(fields, "must_contain", place),
        leads=_leads(fields, place),
        explains=_explains(fields, place),
        answerable=_flag(fields, "answerable", place),
        section=_group(fields, "section", place),
        kind=_group(fields, "kind", place),
    )


def _text(fields: Mapping[str, object], key: str, place: _Place) -> str:
    """A string, "" if absent."""
    value = fields.get(key)
    return "" if value is None else _checked(value, f'"{key}"', "a string", place)


def _checked(value: object, name: str, wanted: str, place: _Place) -> str:
    """A string that can be written out again."""
    if not isinstance(value, str):
        raise place.fault(f"{name} is not {wanted}", f"Write it like this: {EXAMPLE}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise place.fault(
            f"{name} holds half a character", "Replace the lone surrogate (\\ud800-\\udfff)."
        ) from error
    return value


def _texts(fields: Mapping[str, object], key: str, place: _Place) -> tuple[str, ...]:
    """A list of strings, none blank; empty if absent."""
    wanted = "a list of strings"
    values = fields.get(key)
    if values is None:
        return ()
    if not isinstance(values, list):
        raise place.fault(f'"{key}" is not {wanted}', f'Write a list, also for one: "{key}": ["..."]')
    texts = tuple(_checked(value, f'"{key}"', wanted, place) for value in values)
    if not all(text.strip() for text in texts):
        raise place.fault(f'"{key}" holds an empty string', f'Leave it out, or leave "{key}" out.')
    return texts


def _must_contain(fields: Mapping[str, object], key: str, place: _Place) -> tuple[str, ...]:
    """The items, each with an option."""
    items = _texts(fields, key, place)
    for item in items:
        if not options(item):
            raise place.fault(
                f'"{key}" holds {item!r}, which has no option',
                'Part the options of a choice by |: "-R|--recursive".',
            )
    return items


def _leads(fields: Mapping[str, object], place: _Place) -> tuple[tuple[str, ...], ...]:
    """Lists of such items; empty if absent."""
    values = fields.get("leads")
    if values is None:
        return ()
    if not isinstance(values, list) or not all(values):
        raise place.fault(
            '"leads" is not a list of lists',
            'Write a list for each lead: "leads": [["tail", "-n"], ["tac"]].',
        )
    return tuple(_must_contain({"leads": value}, "leads", place) for value in values)


def _explains(fields: Mapping[str, object], place: _Place) -> tuple[tuple[str, str], ...]:
    """The parts and their words; empty if absent."""
    values = fields.get("explains")
    if values is None:
        return ()
    if not isinstance(values, dict):
        raise place.fault(
            '"explains" is not an object', 'Write a word for each part: "explains": {"-x": "extract"}.'
        )
    return tuple(
        (
            _checked(part, '"explains"', "an object of strings", place),
            _checked(word, '"explains"', "an object of strings", place),
        )
        for part, word in values.items()
    )


def _flag(fields: Mapping[str, object], key: str, place: _Place) -> bool:
    """True or false, true if absent."""
    value = fields.get(key)
    if value is None:
        return True
    if not isinstance(value, bool):
        raise place.fault(
            f'"{key}" is neither true nor false', f'Write "{key}": true or false, without quotes.'
        )
    return value


def _group(fields: Mapping[str, object], key: str, place: _Place) -> str:
    """A name to group by, where a number is a name too; "" if absent."""
    value = fields.get(key)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return _text(fields, key, place).strip()
