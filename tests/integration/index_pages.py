"""A program: index pages. index_pages.py FOLDER PAGES.pickle"""

import pickle
import sys
from pathlib import Path

from vademecum.index.generations import Generations
from vademecum.index.update import index_sources

if __name__ == "__main__":
    folder, pages = map(Path, sys.argv[1:])
    sources = pickle.loads(pages.read_bytes())  # noqa: S301 - the test wrote it
    print(index_sources(Generations(folder), sources))  # noqa: T201
