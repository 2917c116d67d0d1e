"""What the recipes that fit on an index are called with."""

import argparse
from pathlib import Path
from typing import NamedTuple

from vademecum.index.generations import Generations
from vademecum.index.reader.index import Index


class Arguments(NamedTuple):
    """The index that is measured, and where the numbers are written; None for nowhere."""

    index: Index
    out: Path | None


def index_and_out(description: str | None) -> Arguments:
    """The arguments `--index DIR` and `--out FILE` of the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    generations = Generations(args.index)
    return Arguments(Index(generations.current(), generations), args.out)
