"""From a request to a template, workflow first: the nearest template, the smallest change, every check, and an account of every wish.

No network and no model are needed; with a model, see `helping`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from vademecum.core.errors import AnswerError
from vademecum.core.trace import Json, Trace
from vademecum.desks.composer import lightness
from vademecum.desks.composer.aiming import Aim, aim_of
from vademecum.desks.composer.basing import CONSEQUENTIAL, Base, base_for, by_fit
from vademecum.desks.composer.editing import Outcome, Scene, apply_all
from vademecum.desks.composer.lay_words import phrases
from vademecum.desks.composer.library import Entry, TemplateLibrary
from vademecum.desks.composer.naming import LABELS, concept_of, present_of
from vademecum.desks.composer.patterns import Pattern
from vademecum.desks.composer.searching import Found, search
from vademecum.desks.composer.settings import ComposerSettings
from vademecum.desks.composer.surgery import Document
from vademecum.desks.composer.template.check import check, is_sound
from vademecum.desks.composer.template.findings import Finding
from vademecum.desks.composer.template.fixes import Fixed, fix
from vademecum.desks.composer.understanding import meant_by, met
from vademecum.desks.composer.wish import TARGETS, Wish
from vademecum.desks.composer.wishes import Wishes
from vademecum.sources.image_template import facts_of
from vademecum.text.words import terms

if TYPE_CHECKING:
    from vademecum.desks.composer.packages.states import PackageCheck, PackageIndex


_SURELY = 0.9
_LEAST = 0.4
"""Where a request asks for nothing by name, something must at least be hinted at as strongly."""

_OVERLAY = Pattern(
    r"\b(?:overlay|baseline|on\s+top\s+of\s+(?:an?|the)\s+(?:existing|ready|cloud)|existing\s+image)\b"
)


class Around:
    """What a draft is made of.

    Attributes:
        library: The templates.
        settings: Of the desk.
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
        document: The template.
        file: Where it would lie in the folder of templates.
        based_on: The stem of the template it began with; "" for bare defaults.
        says: Which one, in a sentence.
        outcomes: What came of each wish, in the order of the words.
        findings: What is still amiss; errors first.
        fixed: What was mended by rules.
        packages: What is known of its packages.
        notes: What a person should know beside, in sentences.
        wishes: What was asked for, so that it can be asked for again on another base.
        trace: Every step.
        found: The search behind it, if there was one.
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
        found: Found | None = None,
    ) -> None:
        self.request, self.document, self.file = request, document, file
        self.based_on, self.says, self.outcomes = based_on, says, outcomes
        self.wishes, self.trace, self.found = wishes, trace, found
        self.findings: list[Finding] = []
        self.fixed: list[Fixed] = []
        self.packages: list[PackageCheck] = []
        self.notes: list[str] = []

    @property
    def is_valid(self) -> bool:
        """Whether nothing is amiss that makes it invalid."""
        return all(map(is_sound, self.findings))

    @property
    def is_complete(self) -> bool:
        """Whether all that was asked for is in it."""
        return all(one.is_met for one in self.outcomes)


def draft(read: Wishes, around: Around, trace: Trace) -> Draft:
    """A first template for a request, not yet checked.

    Raises:
        AnswerError: The request can not be taken.
        ProviderError: A configured embedder can not be asked.
    """
    aim = aim_of(read.wishes)
    found = search(_searched(read), around.library, around.settings)
    for step in found.trace.steps:
        trace.record(step.name, **dict(step.saw))
    strengths = _strengths(found, read.wishes)
    if not read.wishes and _names_nothing(read.request, strengths):
        hint = 'Say of which distribution, and what for, as in: "minimal Debian 13 server with nginx".'
        raise AnswerError(
            f"It was not understood what the image shall be: {read.request[:100]!r} names neither a purpose nor anything in it.",
            hint=hint,
        )
    aim = aim._replace(
        usual={"imageType": frozenset(["raw"]), "arch": frozenset(["x86_64"])},
        strengths=strengths,
        lacking=_lacking(around.library.templates, read.wishes),
        minimal=lightness.asked(read.request) is not None,
        by_packages=_by_packages(read.wishes),
        asked=_consequential(read.wishes, strengths),
    )
    overlay = strengths.get("overlay", 0.0) > _SURELY or bool(_OVERLAY.search(read.request))
    base = base_for(aim, _reranked(found, read, aim), around.library, wants_overlay=overlay)
    trace.record(
        "base", template=base.entry.file if base.entry else "", target=dict(base.target), says=base.says
    )
    scene = scene_of(around, base.target["os"], base.file, drafting=True)
    wishes = with_index(
        tuple(one for one in read.wishes if one.kind not in TARGETS), around, base.document, scene
    )
    document, outcomes = apply_all(base.document, wishes, scene)
    outcomes = [*_target_outcomes(aim, base), *outcomes]
    if little := lightness.asked(read.request):
        facts = facts_of(around.library.resolve(document.data, base.file))
        outcomes.append(lightness.told(little, base.entry, facts, around.library.templates))
    trace.record("delta", outcomes=[told(one) for one in outcomes])
    made = Draft(
        request=read.request,
        document=document,
        file=base.file,
        based_on=base.entry.stem if base.entry else "",
        says=base.says,
        outcomes=sorted(outcomes, key=lambda one: one.wish.start),
        wishes=read.wishes,
        trace=trace,
        found=found,
    )
    made.notes += _notes(aim, base)
    return made


def _searched(read: Wishes) -> str:
    """The request as it is searched for: slips of the pen in names put right."""
    text = read.theme if any(map(str.isalnum, read.theme)) else read.request
    for wish in read.wishes:
        if " is taken for " in wish.note:
            text = text.replace(wish.said, LABELS.get(wish.value, wish.value))
    return text


def _strengths(found: Found, wishes: Sequence[Wish]) -> dict[str, float]:
    """How surely the request speaks of each capability: by its words, and by what it asks for."""
    strengths = {one.capability: one.strength for one in met(found.classification.words)}
    for wish in wishes:
        if wish.wanted and wish.kind in _OF_KINDS:
            strengths[_OF_KINDS[wish.kind]] = 1.0
    strengths |= dict.fromkeys(_by_packages(wishes), 1.0)
    if _SERVER.search(found.classification.words) and strengths.get("desktop", 0.0) < 1.0:
        strengths["desktop"] = 0.0
    return strengths


def _consequential(wishes: Sequence[Wish], strengths: Mapping[str, float]) -> frozenset[str]:
    """What is asked for of that which nobody gets unasked."""
    asked: set[str] = {wish.kind for wish in wishes if wish.wanted}
    if "secure_boot" in asked:
        asked.add("read_only_root")
    if strengths.get("slots", 0.0) > _SURELY:
        asked.add("slots")
    return frozenset(asked) & {*CONSEQUENTIAL}


def _by_packages(wishes: Sequence[Wish]) -> frozenset[str]:
    """What an image can do by the software that is asked for."""
    concepts_ = [phrases().get(one.value, "") for one in wishes if one.wanted and one.kind == "package"]
    return frozenset(_BY_CONCEPT[one] for one in concepts_ if one in _BY_CONCEPT)


_SERVER = Pattern(r"\b(?:servers?|headless)\b")
_OF_CONCEPTS = {
    "containers": "docker docker-ce container-runtime podman containerd docker-compose docker-buildx buildah skopeo cri-o lxc",
    "kubernetes": "kubernetes kubectl k3s helm", "web-server": "nginx apache web-server caddy lighttpd php reverse-proxy haproxy",
    "database": "postgresql mariadb mysql sqlite redis valkey mongodb influxdb etcd", "mqtt": "mqtt-broker mqtt-client rabbitmq",
    "monitoring": "monitoring prometheus alertmanager grafana node-exporter", "virtualisation": "kvm qemu virt-manager virtinst libvirt+",
    "desktop": "desktop kde xfce lxqt mate cinnamon gdm lightdm xorg", "kiosk": "kiosk", "robotics": "ros2 turtlesim gazebo realsense", "simulation": "gazebo",
    "inference": "openvino onnxruntime pytorch tensorflow", "video-analytics": "dlstreamer", "gpu-compute": "opencl rocm cuda",
    "development": "build-tools gcc gpp clang cmake git nodejs golang rust jdk gdb", "slots": "rauc mender swupdate", "ostree": "ostree",
    "storage": "samba nfs-server mdadm lvm iscsi-target zfs", "router": "frr dnsmasq radvd keepalived bird", "selinux": "selinux",
    "industrial": "modbus pymodbus opcua can-utils", "rescue": "ddrescue testdisk partclone fsarchiver", "depth-camera": "realsense",
    "cloud": "cloud-init growpart", "real-time": "rt-tests", "signage": "mpv", "built-drivers": "dkms",
}  # fmt: skip
_BY_CONCEPT = {concept: name for name, concepts in _OF_CONCEPTS.items() for concept in concepts.split()}
"""What an image can do by software that is asked for."""

_OF_KINDS = {
    "encryption": "encrypted", "read_only_root": "read-only-root", "secure_boot": "secure-boot", "kernel_flavour": "real-time",
}  # fmt: skip


def _reranked(found: Found, read: Wishes, aim: Aim) -> list[Entry]:
    """The templates that were found, the nearest first."""
    wanted = [one.value for one in read.wishes if one.kind == "package" and one.wanted]
    present = {
        one.file: sum(
            bool(present_of(term, one.entry.facts.packages, one.entry.facts.distribution)) for term in wanted
        )
        / len(wanted)
        for one in found.ranked
        if wanted
    }
    return by_fit([(one.entry, one.score) for one in found.ranked], aim.strengths, present, aim.lacking)


def _lacking(entries: Sequence[Entry], wishes: Sequence[Wish]) -> dict[str, float]:
    """The share of the software asked for that each release has no package for, as far as the tables know."""
    wanted = [one.value for one in wishes if one.kind == "package" and one.wanted]
    concepts_ = [one for term in wanted if (one := concept_of(term))]
    releases = {(one.facts.distribution, one.facts.version) for one in entries}
    if not concepts_:
        return {}
    return {
        release: sum(
            one.names(distribution, release) == () and not one.own_names(distribution) for one in concepts_
        )
        / len(concepts_)
        for distribution, release in releases
    }


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


def _names_nothing(request: str, strengths: Mapping[str, float]) -> bool:
    """Whether a request names neither a purpose nor anything else that a template could be known by."""
    words = set(terms(request)) - set(terms(_VAGUE))
    hinted = max(strengths.values(), default=0.0)
    return (
        not words
        or hinted < _LEAST
        or (
            len(words) <= _FEW
            and hinted < _SURELY
            and not meant_by(request)
            and not any(meant_by(word) for word in request.split() if terms(word))
        )
    )


_VAGUE = "make makes made give get build create want need like do fast quick better best nice good great cool new please hello hi thing something anything work works"
_FEW = 2
"""So many content words may be anything, unless they are a name."""


def _target_outcomes(aim: Aim, base: Base) -> list[Outcome]:
    lost = {id(one.wish) for one in base.outcomes}
    fields = {"distribution": "os", "version": "dist", "architecture": "arch", "image_type": "imageType"}
    met = []
    for wish in aim.open:
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
    return [*aim.outcomes, *base.outcomes, *met]


def _notes(aim: Aim, base: Base) -> list[str]:
    notes = []
    if "os" not in aim.target:
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
