"""Writes which packages distributions have: the names that requests may use, and those of the table of software for its test.

    python scripts/package_names.py --dictionary WORDS debian13=Packages.xz ubuntu24=main.xz,universe.xz

The files are the `Packages` indexes of all components of a release, compressed or not. WORDS is a list of English words, one a line:
a name that is one of them is marked, since it is mostly not meant as a package.
"""

import argparse
import lzma
import re
from pathlib import Path

from vademecum.desks.composer.packages.concepts import concepts
from vademecum.desks.composer.packages.distributions import distribution_of

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "src/vademecum/desks/composer/data/names.txt"
TESTED = ROOT / "tests/integration/packages/in_indexes.txt"
_PARTS = re.compile(
    r"(?:lib(?!reoffice|rewolf|virt)|node-|golang-|ruby-|r-cran-|r-bioc|haskell-|librust|elpa-|ghc|fonts-|texlive-lang|gir1|ocaml-|php\d|lua-|hunspell|aspell-|myspell|hyphen-|"
    r"mythes|task-|libreoffice-(?:help|l10n)|firefox-|thunderbird-|chromium-l10n|kde-l10n|language-pack|manpages-|gcc-\d|g\+\+-\d|cpp-\d|clang-\d|llvm-\d|linux-).*"
    r"|.*-(?:dev|doc|dbg|dbgsym|data|common|docs|examples|headers|perl|java|javadoc|l10n|locale|static|tests?|source)"
)
"""Names that nobody asks for by themselves: libraries, their parts, and translations."""


def names_in(file: Path) -> set[str]:
    """The names of all packages of an index."""
    data = file.read_bytes()
    text = (lzma.decompress(data) if file.suffix == ".xz" else data).decode()
    return {line.removeprefix("Package: ") for line in text.splitlines() if line.startswith("Package: ")}


def main() -> None:
    """Read the indexes and write both files."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dictionary", type=Path, required=True)
    parser.add_argument("releases", nargs="+", metavar="RELEASE=FILE[,FILE]")
    asked = parser.parse_args()
    known: dict[str, set[str]] = {}
    for argument in asked.releases:
        release, _, files = argument.partition("=")
        known[release] = set[str]().union(*(names_in(Path(file)) for file in files.split(",")))
    words = {word.lower() for word in asked.dictionary.read_text("utf-8").split()}
    lines = [
        f"# Packages of {', '.join(known)}: which of them have it, as a sum of 1, 2 and 4; a + marks an English word."
    ]
    for name in sorted(set[str]().union(*known.values())):
        if not _PARTS.fullmatch(name):
            having = sum(1 << place for place, names in enumerate(known.values()) if name in names)
            lines.append(f"{name} {having}{'+' if name in words else ''}")
    NAMES.write_text("\n".join(lines) + "\n", "utf-8")
    tested = []
    for release, names in known.items():
        distribution = distribution_of(release)
        if distribution is None:
            parser.error(f"{release} is not a release that templates can be made for.")
        wanted = {
            name
            for concept in concepts().values()
            for name in concept.names(distribution.name, release) or ()
        }
        tested.append(f"{release}: {' '.join(sorted(wanted & names))}\n")
    TESTED.write_text("".join(tested), "utf-8")


if __name__ == "__main__":
    main()
