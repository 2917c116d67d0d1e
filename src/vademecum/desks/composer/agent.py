"""The agent: draft or change a template, then validate, fix and look up until nothing is left to do. It has four tools.

    validate_template   the schema and the checks that no schema can make
    fix_errors          rules first; then what was asked for and cannot be; then a model, if there is one
    verify_packages     whether repositories have them
    suggest_packages    what the same distribution has instead

Their names are in the trace, with what each saw.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from vademecum.core.models import Message
from vademecum.core.trace import Json, Trace
from vademecum.desks.composer.draft import Around, Draft, draft, mended, scene_of, validated, with_index
from vademecum.desks.composer.editing.applying import apply_all
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Outcome
from vademecum.desks.composer.image_template import facts_of
from vademecum.desks.composer.image_template.capabilities import capabilities_of
from vademecum.desks.composer.request.frames import context_of
from vademecum.desks.composer.template.check import check, is_sound
from vademecum.desks.composer.template.findings import Finding
from vademecum.desks.composer.wish import TARGETS, Wish
from vademecum.desks.composer.wishes import Wishes, read_wishes

if TYPE_CHECKING:
    from vademecum.desks.composer.assistant import Assistant

TOOLS = ("validate_template", "verify_packages", "fix_errors", "suggest_packages")
"""The agent's tools, as they are called in the trace."""


class Agent:
    """Makes drafts that are checked."""

    def __init__(self, around: Around, assistant: "Assistant | None" = None) -> None:
        self.around = around
        self.assistant = assistant

    def read(
        self, text: str, *, there: Document | None = None, file: str = "", history: Sequence[Message] = ()
    ) -> Wishes:
        """A request as wishes: by rules, and by the model where there is one, which may only add what is in the words."""
        library = self.around.library
        context = context_of(library.resolve(there.data, file).data) if there else None
        named = None if there else library.named_in(text)
        read = read_wishes(named[1] if named else text, library.packages(), context)
        if named:
            read = read._replace(base=named[0].file)
        if self.assistant is None:
            return read
        shown = history[-self.around.settings.conversation.max_history :]
        return self.assistant.read(read, self.around, there=there, history=shown)

    def draft(self, read: Wishes) -> Draft:
        """A template for a request."""
        trace = Trace()
        trace.record("read", wishes=[wish_told(wish) for wish in read.wishes], **_by(self.assistant))
        made = draft(read, self.around, trace)
        self.work(made)
        self._name_what_is_left(read, made)
        return made

    def change(self, read: Wishes, document: Document, file: str) -> Draft:
        """The same template, changed as a request says and not otherwise."""
        trace = Trace()
        trace.record("read", wishes=[wish_told(wish) for wish in read.wishes], **_by(self.assistant))
        system = str((document.get("target") or {}).get("os", ""))
        scene = scene_of(self.around, system, file, drafting=False)
        wishes = tuple(wish for wish in read.wishes if wish.kind not in TARGETS)
        wishes = with_index(wishes, self.around, document, scene)
        changed, outcomes = apply_all(document, wishes, scene)
        made = Draft(
            request=read.request,
            document=changed,
            file=file,
            based_on="",
            says="",
            outcomes=sorted(outcomes, key=lambda one: one.wish.start),
            wishes=wishes,
            trace=trace,
            origin=document,
        )
        trace.record(
            "delta",
            outcomes=[
                {"asked": outcome.wish.said, "state": outcome.state, "says": outcome.says}
                for outcome in made.outcomes
            ],
        )
        self.work(made, before=document)
        self._name_what_is_left(read, made)
        return made

    def _name_what_is_left(self, read: Wishes, made: Draft) -> None:
        able = capabilities_of(facts_of(self.around.library.resolve(made.document.data, made.file)))
        hinted = [words for capability, words in read.hints if capability not in able]
        if hinted:
            made.notes.append(
                f"Nothing was done about: {'; '.join(dict.fromkeys(hinted))}. Name the software, or the setting, if it matters."
            )
        if read.background:
            made.notes.append(f"Read as background: {'; '.join(read.background)}.")

    def work(self, made: Draft, before: Document | None = None) -> None:
        """Check, mend and look up, as far as the settings say."""
        rules = self.around.settings.agent
        if not rules.enabled or not rules.auto_validate:
            return
        old = {(one.where, one.message) for one in self._validate(before, made)} if before else set()
        made.findings = self.validate_template(made)
        if rules.auto_fix:
            self.fix_errors(made, old)
        if rules.verify_packages:
            self.verify_packages(made)
            self.suggest_packages(made)

    # --- Tools ----------------------------------------------------------------------------------------------------

    def validate_template(self, made: Draft) -> list[Finding]:
        """Check the draft against schema and sense."""
        found = validated(made, self.around)
        seen: list[Json] = [
            {"where": one.where, "severity": one.severity, "kind": one.kind, "message": one.message}
            for one in found
        ]
        made.trace.record("validate_template", valid=all(map(is_sound, found)), findings=seen)
        return found

    def fix_errors(self, made: Draft, old: set[tuple[str, str]]) -> None:
        """Mend what is amiss: by rules, then by leaving out the wish that brought it, then by the model."""
        if not made.findings:
            return
        done = mended(made, made.findings)
        if done:
            made.fixed += done
            made.trace.record(
                "fix_errors", by="rules", fixed=[{"where": one.where, "message": one.message} for one in done]
            )
            made.findings = self.validate_template(made)
        if self._new_errors(made, old):
            self._leave_out(made, old)
        attempts = self.around.settings.agent.max_fix_attempts if self.assistant else 0
        for attempt in range(1, attempts + 1):
            if not self._new_errors(made, old) or self.assistant is None:
                return
            changed, says = self.assistant.repaired(made, self.around)
            made.trace.record(
                "fix_errors", by=self.assistant.name, attempt=attempt, says=says, changed=changed is not None
            )
            if changed is not None:
                made.document = changed
                made.findings = self.validate_template(made)

    def verify_packages(self, made: Draft) -> None:
        """Look the packages up in what is kept of the repositories."""
        index = self.around.index
        if index is None:
            return
        resolved = self.around.library.resolve(made.document.data, made.file).data
        system = resolved.get("systemConfig")
        system = system if isinstance(system, dict) else {}
        kernel = system.get("kernel") if isinstance(system.get("kernel"), dict) else {}
        names = [
            one
            for found in (system.get("packages"), (kernel or {}).get("packages"))
            for one in (found if isinstance(found, list) else [])
            if isinstance(one, str)
        ]
        target = resolved.get("target", {})
        further: tuple[str, ...] = ()
        if resolved.get("packageRepositories"):
            from vademecum.desks.composer.packages.repositories import urls_named_by  # noqa: PLC0415 - few templates name any

            further = urls_named_by(resolved)
        made.packages = index.check(
            dict.fromkeys(names),
            distribution=str(target.get("os", "")),
            version=str(target.get("dist", "")),
            architecture=str(target.get("arch", "")),
            repositories=further,
        )
        counts: dict[str, Json] = {}
        for package in made.packages:
            counts[package.state] = int(str(counts.get(package.state, 0))) + 1
        missing = [package.name for package in made.packages if package.state == "not_available"]
        made.trace.record("verify_packages", packages=len(names), states=counts, missing=missing)

    def suggest_packages(self, made: Draft) -> None:
        """For packages that cannot be had: take the one that is the same thing, else leave out what was asked for and name the others."""
        missing = {package.name: package for package in made.packages if package.state == "not_available"}
        if not missing:
            return
        suggestions: dict[str, Json] = {name: list(one.alternatives) for name, one in missing.items()}
        made.trace.record("suggest_packages", suggestions=suggestions)
        for number, outcome in enumerate(made.outcomes):
            gone = [name for name in outcome.packages if name in missing]
            if (
                outcome.wish.kind != "package"
                or not outcome.wish.wanted
                or outcome.state != "delivered"
                or not gone
            ):
                continue
            own = made.document.get("systemConfig", "packages") or []
            for name in gone:
                if name in own:
                    made.document = made.document.remove(("systemConfig", "packages", own.index(name)))
                    own = made.document.get("systemConfig", "packages") or []
            kept = tuple(name for name in outcome.packages if name not in gone)
            others = ", ".join(dict.fromkeys(other for name in gone for other in missing[name].alternatives))
            hint = f" It has: {others}." if others else ""
            why = f"No repository of the distribution has {', '.join(gone)}.{hint}"
            made.outcomes[number] = Outcome(outcome.wish, "undeliverable", why, kept)
            made.packages = [package for package in made.packages if package.name not in gone]

    # --------------------------------------------------------------------------------------------------------------

    def _validate(self, document: Document, made: Draft) -> Sequence[Finding]:
        return check(document.data, library=self.around.library, file=made.file)

    def _new_errors(self, made: Draft, old: set[tuple[str, str]]) -> list[Finding]:
        return [
            finding
            for finding in made.findings
            if not is_sound(finding) and (finding.where, finding.message) not in old
        ]

    def _leave_out(self, made: Draft, old: set[tuple[str, str]]) -> None:
        """Apply the wishes one by one again, leaving out those that make the template invalid."""
        wishes = [
            outcome.wish for outcome in made.outcomes if outcome.wish.kind not in {*TARGETS, "capability"}
        ]
        kept: dict[int, Outcome] = {}
        start = made.document
        target = made.origin.get("target") or {}
        scene = scene_of(self.around, str(target.get("os", "")), made.file, drafting=bool(made.based_on))
        document = made.origin
        for number, wish in enumerate(wishes):
            tried, outcomes = apply_all(document, [wish], scene)
            if tried.text != document.text:
                errors = [
                    one
                    for one in self._validate(tried, made)
                    if not is_sound(one) and (one.where, one.message) not in old
                ]
                if errors:
                    kept[number] = Outcome(
                        wish, "undeliverable", f"The template would be invalid: {errors[0].message}"
                    )
                    continue
            document, kept[number] = tried, outcomes[0]
        if not any(
            one.state == "undeliverable" and one.says.startswith("The template would")
            for one in kept.values()
        ):
            made.document = start
            return
        by_wish = {id(wish): kept[number] for number, wish in enumerate(wishes)}
        made.outcomes = [by_wish.get(id(outcome.wish), outcome) for outcome in made.outcomes]
        made.document = document
        made.trace.record(
            "fix_errors",
            by="leaving out",
            left_out=[one.wish.said for one in kept.values() if one.says.startswith("The template would")],
        )
        made.findings = self.validate_template(made)


def wish_told(wish: Wish) -> dict[str, Json]:
    """A wish as plain data, without its secret."""
    return {
        "kind": wish.kind,
        "value": wish.value,
        "wanted": wish.wanted,
        "said": wish.said,
        **({"details": dict(wish.details)} if wish.details else {}),
        **({"note": wish.note} if wish.note else {}),
        **({"secret": "hidden"} if wish.secret else {}),
    }


def _by(assistant: "Assistant | None") -> dict[str, Json]:
    return {"model": assistant.name if assistant else ""}
