"""Check the task book, or files in its format, against the manual pages that are indexed on this machine.

    python scripts/check_book.py [FILE...]

Prints each fault with its file, line and task: a task without phrasings, a phrasing of two lines, a slot whose name occurs nowhere else,
and whatever keeps a line from being shown: an option or word that no installed page states. Tasks of commands that are not installed are
counted, and not checked. The exit code is 1 if there is a fault. No line is run.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from vademecum.command_lines.gate import proven
from vademecum.command_lines.pages import NO_PAGE, CommandPages
from vademecum.command_lines.slots import kinds_of, slots_of
from vademecum.index.reader.index import Index
from vademecum.library.internal import InternalLibrary
from vademecum.sources.man.tasks import BOOK, Task, owner_of, read_book

_UNCHECKED = NO_PAGE.partition("{")[0]


def faults(task: Task, index: Index) -> Iterator[str]:
    """Yield what keeps a task from being shown, given the installed pages."""
    if not index.named(task.reference or owner_of(task.line)):
        yield _UNCHECKED
    elif task.line and isinstance(why := proven(task.line, "", CommandPages(index)), str):
        yield why or "cannot be read"
    elif not task.line and (page := CommandPages(index).page_at(task.reference)):
        yield from (f"does not state {option}" for option in task.options if option not in page.document.text)


def main() -> int:
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, default=sorted(BOOK.glob("*.txt")))
    files = parser.parse_args().files
    tasks = [(file, task) for file in files for task in read_book(file.read_text(encoding="utf-8"))]
    book = [
        task for file in sorted(BOOK.glob("*.txt")) for task in read_book(file.read_text(encoding="utf-8"))
    ]
    slots = Counter(slot.rstrip("0123456789") for task in book for slot in set(slots_of(task.line)))
    lines = defaultdict[str, set[str]](set)
    for _, task in tasks:
        for phrasing in task.phrasings if task.line else ():
            lines[phrasing].add(task.line)
    library = InternalLibrary.open()
    index = library.corpus().index
    found = unchecked = 0
    for file, task in tasks:
        wrong = [] if task.phrasings else ["has no phrasing"]
        wrong += [
            f"“{said}” is a phrasing of another line, too" for said in task.phrasings if len(lines[said]) > 1
        ]
        for slot in slots_of(task.line):
            name = slot.rstrip("0123456789")
            if slots[name] <= (file.parent == BOOK) and not kinds_of(name.rpartition("_")[2]):
                wrong.append(f"{slot} is the name of no other slot")
        of_pages = list(faults(task, index))
        unchecked += any(fault.startswith(_UNCHECKED) for fault in of_pages)
        wrong += [fault for fault in of_pages if not fault.startswith(_UNCHECKED)]
        found += len(wrong)
        for fault in wrong:
            print(f"{file.name}:{task.place}: {task.line or task.reference}: {fault}")
    print(
        f"{len(tasks)} tasks, {found} faults; {unchecked} tasks have commands that are not installed and were not checked."
    )
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
