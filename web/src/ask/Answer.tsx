import { lastTurn } from "../store/asking";
import type { Selection } from "../api/client";
import { loaded } from "../store/book";
import { hashOf } from "../store/current";
import type { Turn } from "../store/turn";
import { proofOf } from "../store/proof";
import { RULES, sources } from "../store/sources";
import { text } from "../text/en";
import { Actions } from "./Actions";
import { Broken } from "./Broken";
import { laidOut, type Sentence } from "../store/layout";
import { LeftOut } from "./LeftOut";
import { Provenance } from "./Provenance";
import { ReadOn } from "./ReadOn";
import { Refusal } from "./Refusal";
import { Said } from "./Said";
import { Code, Line, Parts } from "./Line";

const DATE = new Intl.DateTimeFormat("en", { dateStyle: "long", timeStyle: "short" });

/** A question and its answer: the lead first and largest, and below it what may be left unread. */
export function Answer({ turn }: { turn: Turn }) {
  const isGuess = turn.reply?.no_answer === true && turn.parts.length > 0;
  const isRefusal = turn.phase === "done" && turn.reply?.no_answer === true && !isGuess;
  return (
    <article
      class="answer"
      aria-labelledby={`${turn.id}-question`}
      id={turn.id}
      // pieces of words are read out when the answer is whole
      aria-busy={turn.sources[0] === RULES && turn.phase === "answering"}
    >
      <h2 id={`${turn.id}-question`}>{turn.question}</h2>
      <Provenance turn={turn} />
      {turn.at && <Restored turn={turn} />}
      {turn.reply?.read_as && <p class="origin">{text.answer.readAs(turn.reply.read_as)}</p>}
      {turn.phase === "searching" && <Waiting turn={turn} />}
      {isGuess && <p class="warn">{text.refusal.guess}</p>}
      {isRefusal ? <Refusal turn={turn} reply={turn.reply} /> : <Body turn={turn} />}
      {turn.selection && <Selected turn={turn} selection={turn.selection} />}
      <Broken turn={turn} />
      <Notes turn={turn} />
      {turn.phase === "done" && !isRefusal && !turn.selection && <ReadOn turn={turn} />}
      {turn.phase !== "searching" && turn.phase !== "answering" && (
        <Actions turn={turn} isLast={lastTurn.value === turn.id} />
      )}
    </article>
  );
}

function Body({ turn }: { turn: Turn }) {
  if (!turn.parts.length) return null;
  const { line, lead, sentences, options, others } = laidOut(turn);
  return (
    <>
      <section aria-label={text.answer.lead}>
        {line && <Line turn={turn} part={line} />}
        {lead && <Statement turn={turn} said={lead} style="lead" />}
      </section>
      <Sentences turn={turn} sentences={sentences} />
      {options.length > 0 && <Parts turn={turn} parts={options} />}
      {others.map((other) => (
        <details key={other.reference} class="more">
          <summary>{text.answer.more(other.reference)}</summary>
          <Sentences turn={turn} sentences={other.sentences} />
          {other.options.length > 0 && <Parts turn={turn} parts={other.options} />}
        </details>
      ))}
    </>
  );
}

function Sentences({ turn, sentences }: { turn: Turn; sentences: readonly Sentence[] }) {
  if (!sentences.length) return null;
  const shown = sentences.map((said, at) => <Statement key={at} turn={turn} said={said} style="sentence" />);
  return <div class="sentences">{shown}</div>;
}

function Statement({ turn, said, style }: { turn: Turn; said: Sentence; style: string }) {
  if (said.isCode) return <Code turn={turn} code={said.text} citations={said.citations} />;
  return (
    <p class={`${style}${said.copied ? " copied" : ""}`}>
      <Said turn={turn} words={said.text} citations={said.citations} />
    </p>
  );
}

/** An answer of another visit: when it was given, and whether its documents are still what they were. */
function Restored({ turn }: { turn: Turn }) {
  const isChanged = turn.citations.some((one) => proofOf(one) === "gone");
  return (
    <div class="notes restored">
      <p>{text.answer.of(DATE.format(new Date(turn.at)))}</p>
      {isChanged && <p class="warn">{text.answer.changed}</p>}
    </div>
  );
}

/** Where a question was put to a selection alone: whether the quotes lie in it, as this page sees, and the way there. */
function Selected({ turn, selection }: { turn: Turn; selection: Selection }) {
  const { source, document, start, end } = selection;
  const isInside = turn.citations.every(
    (one) => one.source === source && one.document === document && start <= one.start && one.end <= end,
  );
  const address = hashOf({ kind: "book", source, document, span: { start, end } });
  const [first] = turn.citations;
  if (!first) {
    return (
      <p class="origin">
        <a href={address}>{text.book.show}</a>
      </p>
    );
  }
  const found = loaded.value?.id === document ? loaded.value : null;
  const section = found?.sections.findLast((one) => one.start <= first.start)?.title;
  return isInside ? (
    <p class="origin inside">
      {text.book.inside} <a href={address}>{[first.document_ref, section].filter(Boolean).join(", ")}</a>.
    </p>
  ) : (
    <p class="warn" role="alert">
      {text.book.outside}
    </p>
  );
}

function Waiting({ turn }: { turn: Turn }) {
  const asked = turn.sources.length || (sources.value ?? []).filter((one) => !one.problem).length;
  return (
    <div class="waiting late">
      <p class="origin">{text.answer.searching(asked)}</p>
      <div class="bar" />
      <div class="bar" />
    </div>
  );
}

function Notes({ turn }: { turn: Turn }) {
  const reply = turn.reply;
  if (!reply || reply.no_answer) return null;
  const reasons = reply.status === "partial" ? reply.reasons : [];
  const said = [...new Set([...reasons, ...reply.warnings])];
  const isUngrounded = reply.grounded === false;
  if (!said.length && !reply.dropped && !isUngrounded) return null;
  return (
    <div class="notes">
      {isUngrounded && <p class="warn">{text.answer.ungrounded(reply.model)}</p>}
      {said.map((one) => (
        <p key={one} class="warn">
          {one}
        </p>
      ))}
      <LeftOut reply={reply} />
    </div>
  );
}
