import type { Reply } from "../api/client";
import { ask } from "../store/asking";
import { edit } from "../store/editing";
import { sources, titleOf } from "../store/sources";
import { EVERYTHING, type Turn } from "../store/turn";
import { Icon } from "../parts/Icon";
import { LeftOut } from "./LeftOut";
import { text } from "../text/en";
import { readDocument } from "../store/pane";

const LEAST_WORDS = 2;

/** Words after which a noun is missing, and words that cannot be the noun: `does a have`, `the size of a`. */
const BEFORE = /^(?:an?|the|my|your|our|of|in|on|at|for|with|from|to|by|into)$/i;
const NO_NOUN =
  /^(?:is|are|was|were|do|does|did|have|has|had|can|will|should|in|on|at|of|for|with|from|and|or|to)\W*$/i;

/** A question without some words, or "" where too little of it is left. */
export function without(question: string, words: readonly string[]): string {
  // without two words or more a question is hardly one any more
  if (words.length !== 1) return "";
  const dropped = new Set(words.map((word) => word.toLowerCase()));
  const isDropped = (word: string) => dropped.has(word.toLowerCase().replace(/^\W+|\W+$/g, ""));
  const parts = question.split(/\s+/);
  const kept = parts.filter((word) => !isDropped(word));
  if (kept.length === parts.length || kept.length < LEAST_WORDS) return "";
  const end = /[?!.]$/.exec(question)?.[0] ?? "";
  const at = parts.findIndex(isDropped);
  const next = parts[at + 1];
  if (BEFORE.test(parts[at - 1] ?? "") && (!next || NO_NOUN.test(next))) return "";
  const said = kept.join(" ");
  return said.endsWith(end) ? said : said + end;
}

/** What was not found, why, and what to do next; never a sentence that reads like an answer. */
export function Refusal({ turn, reply }: { turn: Turn; reply: Reply }) {
  if (turn.selection) return <SelectionRefusal turn={turn} reply={reply} />;
  const titles = turn.sources.map(titleOf);
  const known = without(turn.question, reply.unknown);
  return (
    <section class="refusal" aria-label={text.refusal.label}>
      <h3 class="first">{titles.length ? text.refusal.some(titles.join(", ")) : text.refusal.all}</h3>
      <LeftOut reply={reply} />
      {reply.unknown.length > 0 && <p class="reason">{text.refusal.unknown(reply.unknown)}</p>}
      <h4>{text.refusal.tryInstead}</h4>
      <div class="try">
        {known && (
          <button type="button" class="button" onClick={() => void ask(known, turn.id, turn)}>
            {known}
          </button>
        )}
        {turn.sources.length > 0 && (
          <button type="button" class="button" onClick={() => void ask(turn.question, turn.id, EVERYTHING)}>
            {text.refusal.wider}
          </button>
        )}
        <button type="button" class="button" onClick={() => edit(turn)}>
          <Icon name="pencil" /> {text.refusal.edit}
        </button>
      </div>
      {reply.see_also.length > 0 && (
        <>
          <h4>{text.refusal.nearest}</h4>
          <ul class="nearest">
            {reply.see_also.map((one) => (
              <li key={`${one.source}${one.document}${one.document_ref}`}>
                {one.document ? (
                  <button
                    type="button"
                    onClick={() => readDocument(one.source, one.document, one.document_ref)}
                  >
                    {one.document_ref}
                  </button>
                ) : (
                  <span>{one.document_ref}</span>
                )}
                <span class="of">{one.label === one.document_ref ? one.notes : one.label}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** A selection that does not answer: what it lacks, and the way to the rest. */
function SelectionRefusal({ turn, reply }: { turn: Turn; reply: Reply }) {
  const source = sources.value?.find((one) => one.name === turn.readIn);
  const whole = text.book.whole(source?.kind ?? "", source?.title ?? turn.readIn);
  return (
    <section class="refusal" aria-label={text.refusal.label}>
      <h3 class="first">{text.book.refused}</h3>
      {reply.unknown.length > 0 && <p class="reason">{text.book.lacks(reply.unknown)}</p>}
      <div class="try">
        <button
          type="button"
          class="button"
          onClick={() => void ask(turn.question, turn.id, { ...turn, selection: null })}
        >
          {text.book.askAll(whole)}
        </button>
        <button type="button" class="button" onClick={() => edit(turn)}>
          <Icon name="pencil" /> {text.refusal.edit}
        </button>
      </div>
    </section>
  );
}
