"""Report the mistakes of sources, which can be programs of other packages."""

from pathlib import Path

from vademecum.text.printable import printable

SOURCE_MISTAKE = "This is a mistake in the source's program, not in your files; please report it."

_LONGEST = 300


def described(error: Exception) -> str:
    """Return an exception as text, with the file and line that raised it: `KeyError: 'date' (ics.py, line 40)`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    text = f"{type(error).__name__}: {printable(str(error), _LONGEST)}".rstrip(": ")
    if trace is None:
        return text
    return f"{text} ({Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"
