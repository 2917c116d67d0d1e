"""A conversation about one template. Each message is a stored turn that can be undone."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from vademecum.core.errors import AnswerError
from vademecum.desks.composer.agent import Agent, wish_told
from vademecum.desks.composer.draft import Draft
from vademecum.desks.composer.editing.applying import diff
from vademecum.desks.composer.editing.document import Document
from vademecum.desks.composer.editing.outcome import Outcome
from vademecum.desks.composer.image_template import Facts, facts_of
from vademecum.desks.composer.request.secrets import hide
from vademecum.desks.composer.request.words.intents import Meant, is_change, is_consent, meant
from vademecum.desks.composer.session import turns
from vademecum.desks.composer.session import undo as taking_back
from vademecum.desks.composer.session.corrections import by_context, corrected, with_last, with_pronouns
from vademecum.desks.composer.session.questions import answer, summary
from vademecum.desks.composer.session.sessions import Session, Turn
from vademecum.desks.composer.session.suggestions import Suggestion, suggestions
from vademecum.desks.composer.template.check import check
from vademecum.desks.composer.wish import TARGET_KEYS, TARGETS, Wish
from vademecum.desks.composer.wishes import Wishes
from vademecum.text.patterns import Pattern

_NOTHING_YET = "There is no template yet. Say what the image is to be."
_REMADE = "Another distribution, architecture or type needs a template of its own: it was rebuilt from everything said so far."

_THEN = Pattern(
    r"^(?P<undo>\W*(?:no\W+)?(?:undo|revert)\s+(?:that|it|this)(?:\s+(?:again|please))*)\s*[.;!]+\s+(?P<rest>\w(?s:.+))$"
)


class Said(NamedTuple):
    """What came of one turn.

    Attributes:
        kind: `new`, `refinement`, `question`, `undo`, `redo`, `start-over`, `suggestion`, `validate`, `diff`, `show`, `save`, `talk`.
        summary: What to tell the person, in some lines. It holds no password.
        text: The template as it is now; "" if there is none.
        save_as: Of `save`: where to; "" if it was not said.
    """

    kind: str
    summary: str
    text: str
    before: str = ""
    draft: Draft | None = None
    suggestions: tuple[Suggestion, ...] = ()
    save_as: str = ""

    @property
    def diff(self) -> str:
        """What the turn changed, as a unified diff; "" if nothing, or if there was no template before."""
        return diff(self.before, self.text) if self.before and self.text else ""


class Conversation:
    """A conversation."""

    def __init__(self, agent: Agent, session: Session) -> None:
        self.agent, self.session = agent, session

    @property
    def text(self) -> str:
        """The template as it is now; "" if there is none."""
        return self.session.text

    def summary(self) -> str:
        """The template in work in some lines."""
        return summary(self._facts()) if self.text else "There is no template yet."

    def say(self, message: str, *, fresh: bool = False) -> Said:
        """Take a turn."""
        if not fresh and (both := _THEN.match(message)):
            return self._both(both["undo"], both["rest"])
        hidden = hide(message)
        history = () if fresh else turns.history(self.session.turns)
        there = Document.read(self.text) if self.text and not fresh else None
        read = self.agent.read(message, there=there, file=turns.file_of(self.session.turns), history=history)
        offered = turns.offered(self.session.turns)
        last = self.session.turns[-1].kind if self.session.turns else ""
        if last == "start-over" and not is_change(hidden.text):
            fresh = any(wish.wanted and wish.kind in TARGETS for wish in read.wishes)
        what = (
            Meant("new")
            if fresh
            else meant(hidden.text, has_template=bool(self.text), has_suggestions=bool(offered))
        )
        said, noted = self._done(what, read, offered)
        self.session.turns.append(
            Turn(
                said=read.request,
                kind=said.kind,
                edits=(*_noted(said), *noted),
                text_after=said.text,
                summary=said.summary,
            )
        )
        return said

    def _both(self, undo: str, rest: str) -> Said:
        """As in "undo that. Take the first one out instead.": two turns, or none of them."""
        first = self.say(undo)
        try:
            second = self.say(rest)
        except AnswerError:
            self.session.turns.pop()
            raise
        return second._replace(before=first.before, summary=f"{first.summary}\n{second.summary}")

    def _done(
        self, what: Meant, read: Wishes, offered: Sequence[str]
    ) -> tuple[Said, tuple[dict[str, Any], ...]]:
        """What comes of a turn, and what is to be kept of it beside."""
        intent = what.intent
        if intent == "new":
            other = what.what and what.what != read.request
            return self._drafted(self.agent.read(what.what) if other else read), ()
        if intent in {"undo", "redo", "start-over"}:
            return self._taken_back(what)
        if intent == "suggest":
            return self._suggesting(read.request), ()
        if intent in {"validate", "diff", "show", "save"} and not self.text:
            return self._left(intent, _NOTHING_YET), ()
        if intent == "save":
            return self._left("save", "")._replace(save_as=what.what), ()
        if intent == "accept":
            taken = offered[what.turn - 1 if what.turn > 0 else what.turn :][:1] if what.turn else offered
            if not taken:
                return self._left("talk", f"{len(offered)} things were suggested."), ()
            wishes = tuple(Wish("package", term, said=term) for term in taken)
            return self._changed(read._replace(wishes=wishes, secrets={}), kind="suggestion"), ()
        if intent == "decline":
            return self._left("talk", "Nothing was changed."), ()
        if intent == "talk":
            said = "Is there anything to change?" if self.text else "Say what the image is to be."
            return self._left("talk", said), ()
        if intent == "refinement":
            if not read.wishes and is_consent(read.request):
                return self._left("talk", "Nothing was suggested that could be added."), ()
            return self._refined(read), ()
        return self._left(intent, self._told(intent, read)), ()

    def _left(self, kind: str, says: str) -> Said:
        """A turn that leaves the template as it is."""
        return Said(kind=kind, summary=says, text=self.text, before=self.text)

    # --- Turns ----------------------------------------------------------------------------------------------------

    def _drafted(self, read: Wishes) -> Said:
        made = self.agent.draft(read)
        offered = self._suggested(made.document, read.request, made.file)
        return Said(
            kind="new",
            summary=_sentence(made),
            text=made.document.text,
            before=self.text,
            draft=made,
            suggestions=offered,
        )

    def _refined(self, read: Wishes) -> Said:
        if self._changes_target(read):
            return self._rebased(read)
        read = with_pronouns(read, self.session.turns)
        read = with_last(read, self.session.turns)
        if meant_so := by_context(read, self.session.turns, Document.read(self.text)):
            return self._changed(meant_so, kind="refinement")
        if leaning := corrected(read, self.session.turns):
            return self._changed(leaning, kind="refinement")
        if not read.wishes:
            hint = "Say it as in: add nginx; change the disk size to 16 GiB; remove docker; set the hostname to web01."
            raise AnswerError("It was not understood what to change.", hint=hint)
        return self._changed(read, kind="refinement")

    def _changed(self, read: Wishes, *, kind: str, refused: Sequence[Outcome] = ()) -> Said:
        made = self.agent.change(read, Document.read(self.text), turns.file_of(self.session.turns))
        because = {(one.wish.kind, one.wish.value): one for one in refused if not one.is_met}
        for wish in read.wishes:
            if wish.kind in TARGETS:
                same = Outcome(wish, "already", "It is like that already.")
                made.outcomes.append(because.get((wish.kind, wish.value), same))
        return Said(kind=kind, summary=_sentence(made), text=made.document.text, before=self.text, draft=made)

    def _changes_target(self, read: Wishes) -> bool:
        """Return whether a target is named that the template does not have."""
        target = Document.read(self.text).get("target") or {}
        return any(
            wish.wanted and wish.kind in TARGET_KEYS and str(target.get(TARGET_KEYS[wish.kind])) != wish.value
            for wish in read.wishes
        )

    def _rebased(self, read: Wishes) -> Said:
        """The same wishes for another target: a template of its own, since packages of two distributions never mix."""
        made_by = turns.effective(self.session.turns)
        earlier = [wish for turn in made_by for wish in turns.wishes_of(turn)]
        kinds = {one.kind for one in read.wishes if one.kind in TARGETS}
        if kinds & {"distribution", "version"}:
            kinds |= {"distribution", "version"}
        target = Document.read(self.text).get("target") or {}
        same = [
            Wish(kind, str(target[name]), said=str(target[name]))
            for kind, name in TARGET_KEYS.items()
            if kind not in kinds and target.get(name)
        ]
        kept = [one for one in earlier if one.kind not in TARGETS | {"impossible", "unknown", "capability"}]
        theme = next((turn.said for turn in made_by if turn.kind == "new"), "")
        for one in earlier:
            if one.kind in TARGETS:
                theme = theme.replace(one.said, " ")
        request = f"{read.request} ({theme.strip()})" if theme.strip() else read.request
        wishes = (*same, *turns.merged([*kept, *read.wishes]))
        made = self.agent.draft(Wishes(request, wishes, read.secrets, f"{theme} {read.theme}"))
        if (
            made.document.get("target") == target
        ):  # what was asked for cannot be had: nothing else is to change, then
            return self._changed(read, kind="refinement", refused=made.outcomes)
        made.notes.append(_REMADE)
        return Said(
            kind="refinement", summary=_sentence(made), text=made.document.text, before=self.text, draft=made
        )

    def _told(self, intent: str, read: Wishes) -> str:
        """The answer to a question about the template."""
        if intent == "show":
            return ""
        kept = self.session.turns
        changes = diff(turns.first_text(kept), self.text)
        if intent == "diff":
            return changes or "Nothing has been changed since the first draft."
        around = self.agent.around
        document = Document.read(self.text)
        found = check(document.data, library=around.library, file=turns.file_of(kept))
        if intent == "validate":
            return answer("is it valid", self._facts(), found, ())
        return answer(
            read.request,
            self._facts(),
            found,
            read.wishes,
            based_on=turns.base_of(kept),
            changes=changes,
            reasons=turns.reasons_of(kept),
        )

    def _suggesting(self, request: str) -> Said:
        found = tuple(suggestions(self._facts(), request, self.agent.around.settings, asked_for=True))
        lines = [f"{at}. {', '.join(one.packages)}: {one.why}" for at, one in enumerate(found, 1)]
        says = "\n".join(lines) if lines else "Nothing comes to mind that it lacks."
        return self._left("question", says)._replace(suggestions=found)

    def _taken_back(self, what: Meant) -> tuple[Said, tuple[dict[str, Any], ...]]:
        kept = self.session.turns
        if what.intent == "start-over":
            done: taking_back.TakenBack | str = taking_back.begun_again(kept)
        elif what.intent == "redo":
            done = taking_back.redone(kept)
        elif what.turn or what.steps:
            done = taking_back.undone(kept, what.steps, what.turn)
        else:
            done = taking_back.undone_by_name(kept, what.what, self.agent.around)
        if isinstance(done, str):
            return self._left("talk", done), ()
        return (
            Said(kind=what.intent, summary=done.says, text=done.text, before=self.text),
            ({"stack": done.stack},),
        )

    # --- Around ---------------------------------------------------------------------------------------------------

    def _facts(self) -> Facts:
        document, file = Document.read(self.text), turns.file_of(self.session.turns)
        return facts_of(self.agent.around.library.resolve(document.data, file))

    def _suggested(self, document: Document, request: str, file: str) -> tuple[Suggestion, ...]:
        settings = self.agent.around.settings
        if not settings.agent.suggestions.enabled:
            return ()
        facts = facts_of(self.agent.around.library.resolve(document.data, file))
        return tuple(suggestions(facts, request, settings))


def _sentence(made: Draft) -> str:
    """What was made of a request, in a sentence or two, and what could not be."""
    done = [outcome.says for outcome in made.outcomes if outcome.state == "delivered"]
    already = [
        outcome.says
        for outcome in made.outcomes
        if outcome.state == "already" and outcome.wish.kind not in TARGETS
    ]
    missing = [outcome for outcome in made.outcomes if not outcome.is_met]
    lines = [made.says] if made.says else []
    if not lines and not done and not missing:
        lines += already or ["Nothing had to be changed."]
    lines += done
    lines += [f"Not delivered: {one.wish.said or one.wish.value}. {one.says}" for one in missing]
    return "\n".join(lines)


def _noted(said: Said) -> list[dict[str, Any]]:
    """What is kept of a turn beside its words: never a password."""
    noted: list[dict[str, Any]] = []
    if said.draft:
        noted += [
            wish_told(outcome.wish) | {"state": outcome.state, "says": outcome.says}
            for outcome in said.draft.outcomes
        ]
        noted.append({"base": said.draft.based_on, "file": said.draft.file, "why": said.draft.says})
    if said.suggestions:
        noted.append({"suggested": [suggestion.term for suggestion in said.suggestions]})
    return noted
