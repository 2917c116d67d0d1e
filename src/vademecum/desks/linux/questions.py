"""Evaluation questions over manual pages, with their expected answers.

    {"question": "...", "gold": ["chmod(1)"], "must_contain": ["chmod", "-R|--recursive"], "answerable": true}

Only `question` is required. `section` and `kind` group the results where they are given, any other key is ignored.
"""

from dataclasses import dataclass
from pathlib import Path

from vademecum.evaluation.cases import Fields, checked, read_cases, texts_in
from vademecum.evaluation.matching import options

EXAMPLE = '{"question": "How do I ...?", "gold": ["chmod(1)"]}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, and what is known of its answer.

    Attributes:
        gold: References of the documents that answer it, any of which will do; empty if not known.
        must_contain: What an answer must say, as in `evaluation.matching`; empty if not known.
        leads: What its lead must say, likewise, where several leads will do; any of them is enough.
        explains: The parts of a command line that is to be explained, each with a word of what its page says.
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
    """All questions of a file, in its order; at least one."""
    return read_cases(path, _question, what="question", example=EXAMPLE)


def _question(fields: Fields) -> Question:
    return Question(
        question=fields.required("question"),
        gold=fields.texts("gold"),
        must_contain=_with_options(fields.texts("must_contain"), "must_contain"),
        leads=_leads(fields.get("leads")),
        explains=_explains(fields.get("explains")),
        answerable=fields.flag("answerable", default=True),
        section=fields.group("section"),
        kind=fields.group("kind"),
    )


def _with_options(items: tuple[str, ...], key: str) -> tuple[str, ...]:
    for item in items:
        if not options(item):
            raise ValueError(
                f'"{key}" holds {item!r}, which has no option; part options by |: "-R|--recursive"'
            )
    return items


def _leads(values: object) -> tuple[tuple[str, ...], ...]:
    if values is None:
        return ()
    if not isinstance(values, list) or not all(values):
        raise ValueError('"leads" is not a list of lists, such as [["tail", "-n"], ["tac"]]')
    return tuple(_with_options(texts_in(value, "leads"), "leads") for value in values)


def _explains(values: object) -> tuple[tuple[str, str], ...]:
    if values is None:
        return ()
    name, wanted = '"explains"', "an object of strings"
    if not isinstance(values, dict):
        raise ValueError(f'{name} is not an object, such as {{"-x": "extract"}}')  # noqa: TRY004 - it becomes a ConfigError
    return tuple((checked(part, name, wanted), checked(word, name, wanted)) for part, word in values.items())
