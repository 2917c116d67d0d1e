"""Regular expressions that are compiled on first use, because a request needs few of them."""

import re
from typing import Any, cast


class _Lazy:
    """A regular expression with the methods of `re.Pattern`, which are bound when the first of them is used."""

    def __init__(self, source: str, flags: int) -> None:
        self._made = source, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copying and pickling look for methods that it has not
            raise AttributeError(name)
        compiled = re.compile(*self._made)
        for method in ("search", "match", "fullmatch", "finditer", "findall", "split", "sub", "pattern"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def Pattern(source: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:  # noqa: N802 - in the place of `re.Pattern`
    """Return a regular expression that is compiled on first use. It ignores case unless other flags are given."""
    return cast("re.Pattern[str]", _Lazy(source, int(flags)))
