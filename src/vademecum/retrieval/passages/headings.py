"""Headings that most documents have, and that therefore do not describe their content."""

from functools import lru_cache

USUAL = frozenset(
    {
        "NAME", "SYNOPSIS", "LIBRARY", "DESCRIPTION", "OPTIONS", "RETURN VALUE", "ERRORS", "NOTES", "BUGS",
        "SEE ALSO", "AUTHOR", "AUTHORS", "COPYRIGHT", "REPORTING BUGS", "ATTRIBUTES", "STANDARDS", "VERSIONS",
        "CONFORMING TO", "EXAMPLES", "EXAMPLE", "FILES", "ENVIRONMENT", "EXIT STATUS", "HISTORY", "VERSION",
        "FLAGS", "GCLOUD WIDE FLAGS", "REQUIRED FLAGS", "OPTIONAL FLAGS", "POSITIONAL ARGUMENTS", "PROGRAM SOURCE",
    }
)  # fmt: skip


@lru_cache(maxsize=4096)
def telling(path: str) -> str:
    """Return the headings of a path that are specific to the document: only `Output` of `OPTIONS > Output`."""
    return " ".join(heading for heading in path.split(" > ") if heading.upper() not in USUAL)
