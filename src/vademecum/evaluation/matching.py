"""Check whether an answer contains the expected facts.

`must_contain` is a list of items, all of which must be found. An item is a choice, its options parted
by `|`, of which one is enough: `["chmod", "-R|--recursive"]`. An item made of `|` alone stands for
itself (the pipe, `||`).

An option is found as a *word*, with its case:

- if it begins with a letter, digit, `_` or `-`, none of `[A-Za-z0-9_-]` may stand before it;
- if it ends with a letter, digit or `_`, none of `[A-Za-z0-9_]` may follow;
- if it ends with `-`, none of `[A-Za-z0-9_-]` may follow;
- an edge of another sort (`of=`, `+x`, `.gz`, `|`) may touch anything;
- white space in it stands for any white space, line ends too.

So `-R` is found in `chmod -R,` but neither in `-Rf` nor in `--R`, and `of=` is found in `of=FILE`.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_WORD = "A-Za-z0-9_"


def options(item: str) -> tuple[str, ...]:
    """The options of a `must_contain` item, without white space around them; empty if it has none."""
    item = item.strip()
    if item and not item.strip("|"):
        return (item,)
    return tuple(option for part in item.split("|") if (option := part.strip()))


def lacking(text: str, must_contain: Iterable[str]) -> tuple[str, ...]:
    """The items of `must_contain` that `text` lacks, in order; an item without options is never met."""
    return tuple(item for item in must_contain if not _pattern(item).search(text))


@lru_cache(maxsize=4096)
def _pattern(item: str) -> re.Pattern[str]:
    """What finds any of the item's options as a word."""
    return re.compile("|".join(_as_word(option) for option in options(item)) or r"(?!)")


def _as_word(option: str) -> str:
    """The expression that finds one option, by the rules above."""
    before = f"(?<![{_WORD}-])" if re.match(f"[{_WORD}-]", option) else ""
    after = f"(?![{_WORD}])" if re.search(f"[{_WORD}]$", option) else ""
    if option.endswith("-"):
        after = f"(?![{_WORD}-])"
    return before + r"\s+".join(re.escape(word) for word in option.split()) + after
