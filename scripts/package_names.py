"""Writes which packages of the table of software the indexes of distributions have, for the test that holds the table against them.

    python scripts/package_names.py debian13=Packages.xz ubuntu24=main.xz,universe.xz > tests/integration/packages/in_indexes.txt

The files are the `Packages` indexes of all components of a release, compressed or not.
"""

import lzma
import sys
from pathlib import Path

from vademecum.desks.composer.packages.concepts import concepts
from vademecum.desks.composer.packages.distributions import distribution_of


def names_in(file: Path) -> set[str]:
    """The names of all packages of an index."""
    data = file.read_bytes()
    text = (lzma.decompress(data) if file.suffix == ".xz" else data).decode()
    return {line.removeprefix("Package: ") for line in text.splitlines() if line.startswith("Package: ")}


def main() -> None:
    """Print a line for each release."""
    for argument in sys.argv[1:]:
        release, _, files = argument.partition("=")
        known = set[str]().union(*(names_in(Path(file)) for file in files.split(",")))
        distribution = distribution_of(release)
        if distribution is None:
            sys.exit(f"{release} is not a release that templates can be made for.")
        wanted = {
            name
            for concept in concepts().values()
            for name in concept.names(distribution.name, release) or ()
        }
        print(f"{release}: {' '.join(sorted(wanted & known))}")


if __name__ == "__main__":
    main()
