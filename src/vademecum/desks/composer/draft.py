"""Draft a template: the nearest template, the smallest change, all checks, and the outcome of each wish.

No network and no model are needed; with a model, see `assistant`.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.core.errors import AnswerError
from vademecum.core.trace import Json, Trace
from vademecum.desks.composer.base import Base, Target, asked_of, described, select, target_of
from vademecum.desks.composer.editing.applying import apply_all
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Outcome, Scene
from vademecum.desks.composer.library import TemplateLibrary
from vademecum.desks.composer.packages.choice import LABELS
from vademecum.desks.composer.search.search import Found, search, strengths_of
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.template.check import check, is_sound
from vademecum.desks.composer.template.findings import Finding
from vademecum.desks.composer.template.fixes import Fixed, fix
from vademecum.desks.composer.wish import TARGETS, Wish
from vademecum.desks.composer.wishes import Wishes

if TYPE_CHECKING:
    from vademecum.desks.composer.packages.states import PackageCheck, PackageIndex

_LEAST = 0.6
"""Where a request asks for nothing by name, something must at least be hinted at as strongly."""


class Around:
    """What a draft is made of.

    Attributes:
        index: What is known of repositories; `None` to look nothing up.
    """

    __slots__ = ("index", "library", "settings")

    def __init__(
        self, *, library: TemplateLibrary, settings: ComposerSettings, index: "PackageIndex | None" = None
    ) -> None:
        self.library, self.settings, self.index = library, settings, index


class Draft:
    """A template in work, with the account of how it came about.

    Attributes:
        request: As said, with marks in the place of passwords.
        based_on: The stem of the template it began with; "" for bare defaults.
        outcomes: What came of each wish, in the order of the words.
        findings: What is still amiss; errors first.
        wishes: What was asked for, so that it can be asked for again on another base.
        origin: The document that the wishes were applied to.
    """

    def __init__(
        self,
        *,
        request: str,
        document: Document,
        file: str,
        based_on: str,
        says: str,
        outcomes: list[Outcome],
        wishes: tuple[Wish, ...],
        trace: Trace,
        origin: Document,
        found: Found | None = None,
    ) -> None:
        self.request, self.document, self.file = request, document, file
        self.based_on, self.says, self.outcomes = based_on, says, outcomes
        self.wishes, self.trace, self.origin, self.found = wishes, trace, origin, found
        self.findings: list[Finding] = []
        self.fixed: list[Fixed] = []
        self.packages: list[PackageCheck] = []
        self.notes: list[str] = []

    @property
    def is_valid(self) -> bool:
        """Return whether nothing is amiss that makes it invalid."""
        return all(map(is_sound, self.findings))

    @property
    def is_complete(self) -> bool:
        """Return whether all that was asked for is in it."""
        return all(outcome.is_met for outcome in self.outcomes)


def draft(read: Wishes, around: Around, trace: Trace) -> Draft:
    """A first template for a request, not yet checked."""
    target = target_of(read.wishes)
    found = search(read, around.library, around.settings)
    for step in found.trace.steps:
        trace.record(step.name, **dict(step.saw))
    strengths = {name: met.strength for name, met in strengths_of(found.classification, read.theme).items()}
    if not read.wishes and max(strengths.values(), default=0.0) < _LEAST:
        raise AnswerError(
            f"It was not understood what the image is to be: {read.request[:100]!r} names neither a purpose nor anything in it.",
            hint='Say of which distribution, and what for, as in: "minimal Debian 13 server with nginx".',
        )
    base = select(target, asked_of(read.wishes, strengths), found, around.library, preferred=read.base)
    trace.record(
        "base", template=base.entry.file if base.entry else "", target=dict(base.target), says=base.says
    )
    scene = scene_of(around, base.target["os"], base.file, drafting=True)
    wishes = with_index(
        tuple(one for one in read.wishes if one.kind not in TARGETS), around, base.document, scene
    )
    if not any(wish.kind in {"read_only_root", "secure_boot"} and wish.wanted for wish in wishes):
        wishes = tuple(
            wish._replace(details={**wish.details, "writable": "yes"}) if wish.kind == "grow" else wish
            for wish in wishes
        )
    document, outcomes = apply_all(base.document, wishes, scene)
    stem = base.entry.stem if base.entry else ""
    if stem and any(outcome.state == "delivered" for outcome in outcomes):
        document = described(document, around.library, base.file, stem)
    outcomes = [*_target_outcomes(target, base), *outcomes]
    trace.record("delta", outcomes=[told(outcome) for outcome in outcomes])
    made = Draft(
        request=read.request,
        document=document,
        file=base.file,
        based_on=stem,
        says=base.says,
        outcomes=sorted(outcomes, key=lambda one: one.wish.start),
        wishes=read.wishes,
        trace=trace,
        origin=base.document,
        found=found,
    )
    made.notes += _notes(target, base, is_named=bool(read.base))
    return made


def scene_of(around: Around, distribution: str, file: str, *, drafting: bool) -> Scene:
    """What an edit needs to know."""
    every, own = around.library.packages(), around.library.packages(distribution)
    return Scene(library=around.library, file=file, known=own, elsewhere=every - own, drafting=drafting)


def with_index(
    wishes: tuple[Wish, ...], around: Around, document: Document, scene: Scene
) -> tuple[Wish, ...]:
    """The wishes, where names that nobody knew are packages if a repository has them, or has what provides them."""
    unknown = [one for one in wishes if one.kind == "unknown" and one.detail("shape") == "package"]
    if not unknown or around.index is None:
        return wishes
    target = scene.section(document, "target")
    where = [str(target.get(key, "")) for key in ("os", "dist", "arch")]
    names = around.index.among([one.value for one in unknown], *where)
    there = scene.packages(document)

    def known(wish: Wish) -> Wish:
        if wish not in unknown:
            return wish
        indexed = {"literal": "yes", "indexed": "yes"}
        if wish.value in names:
            return wish._replace(kind="package", details=indexed)
        if given := around.index.providers(wish.value, *where) if around.index else ():
            by = next((one for one in given if one in there), given[0])
            return wish._replace(
                kind="package", value=by, details=indexed, note=f"{wish.value} is given by {by}"
            )
        return wish

    return tuple(map(known, wishes))


def _target_outcomes(target: Target, base: Base) -> list[Outcome]:
    lost = {id(outcome.wish) for outcome in base.outcomes}
    fields = {"distribution": "os", "version": "dist", "architecture": "arch", "image_type": "imageType"}
    met = []
    for wish in target.open:
        if id(wish) in lost:
            continue
        value = base.target[fields[wish.kind]]
        note = f" ({wish.note})" if wish.note else ""
        if value == wish.value:
            met.append(Outcome(wish, "already", f"It is {LABELS.get(value, value)}{note}."))
        else:
            met.append(
                Outcome(
                    wish,
                    "undeliverable",
                    f"It is {LABELS.get(value, value)}, for want of a template or defaults for {wish.value}.",
                )
            )
    return [*target.outcomes, *base.outcomes, *met]


def _notes(target: Target, base: Base, *, is_named: bool) -> list[str]:
    notes = []
    if "os" not in target.values and not is_named:
        label = LABELS.get(base.target["os"], base.target["os"])
        notes.append(
            f"No distribution was named: {label} ({base.target['dist']}) is that of the nearest template. Name one to have another."
        )
    files = base.document.get("systemConfig", "additionalFiles")
    if isinstance(files, list) and files and base.entry:
        notes.append(f"It takes {len(files)} files from beside {base.entry.file}; keep them with it.")
    return notes


def told(outcome: Outcome) -> dict[str, Json]:
    """An outcome as plain data."""
    wish = outcome.wish
    return {
        "asked": wish.said,
        "kind": wish.kind,
        "wanted": wish.wanted,
        "value": wish.value if wish.kind != "impossible" else "",
        "state": outcome.state,
        "says": outcome.says,
        "packages": list(outcome.packages),
        **({"note": wish.note} if wish.note else {}),
    }


def validated(made: Draft, around: Around) -> list[Finding]:
    """What is amiss in the draft."""
    return check(made.document.data, library=around.library, file=made.file)


def mended(made: Draft, findings: Sequence[Finding]) -> list[Fixed]:
    """Mend by rules what can be, in the draft itself, and say what was done."""
    data, done = fix(made.document.data, findings)
    if done:
        made.document = made.document.adjusted(data)
    return done
