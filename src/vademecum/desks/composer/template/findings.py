"""Problems of a template, and how to fix them."""

from typing import Any, Literal, NamedTuple

Severity = Literal["error", "warning"]


class Fix(NamedTuple):
    """The one right way to mend something.

    Attributes:
        action: `set` writes `value` at the finding's place, `remove` takes the place out, `rename` gives its key the name `value`.
        says: What was done, in a sentence.
    """

    action: Literal["set", "remove", "rename"]
    says: str
    value: Any = None


class Finding(NamedTuple):
    """Something wrong in a template.

    Attributes:
        where: Dotted path of the value (`disk.partitions.1.end`), "" for the whole.
        message: What is wrong, in a sentence. It holds no password.
        severity: An `error` is refused by the tool that builds images; a `warning` is accepted by it.
        kind: A short fixed name: `field`, `rule`, `file`, `extends`, or one of `checks.KINDS`.
        fix: How it is mended, where one right way exists.
    """

    where: str
    message: str
    severity: Severity
    kind: str
    fix: Fix | None = None
