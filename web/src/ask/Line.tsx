import type { Part, Turn } from "../store/turn";
import { CopyButton } from "../parts/CopyButton";
import { text } from "../text/en";
import { Chip } from "./Chip";
import { Said } from "./Said";

const LINES = ["composed", "written"];

/** A line to type, with a button that copies it without the prompt. */
export function Line({ turn, part }: { turn: Turn; part: Part }) {
  const id = `${turn.id}-line`;
  return (
    <>
      <div class="line">
        <span class="prompt" aria-hidden="true">
          $
        </span>
        <code id={id}>{part.command}</code>
        <CopyButton of={() => part.command} describedBy={id} />
      </div>
      <p class="origin">
        {LINES.includes(part.origin) ? text.answer.putTogetherFrom : text.answer.asThePageHasIt}{" "}
        <Chips turn={turn} citations={part.citations} />
      </p>
    </>
  );
}

/** Code of a document, with a button that copies it. */
export function Code({ turn, code, citations }: { turn: Turn; code: string; citations: readonly number[] }) {
  const id = `${turn.id}-code-${citations.join("-")}`;
  return (
    <div class="line">
      <code id={id} class="several">
        {code}
      </code>
      <CopyButton of={() => code} describedBy={id} />
      <Chips turn={turn} citations={citations} />
    </div>
  );
}

/** Options and steps with the words of the page, a row each. */
export function Parts({ turn, parts }: { turn: Turn; parts: readonly Part[] }) {
  return (
    <dl class="parts">
      {parts.map((part) => (
        <div class="part" key={part.citations.join()}>
          <dt>{part.command}</dt>
          <dd>
            {part.text ? (
              <Said turn={turn} words={part.text} citations={part.citations} />
            ) : (
              <Chips turn={turn} citations={part.citations} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Chips({ turn, citations }: { turn: Turn; citations: readonly number[] }) {
  return (
    <>
      {citations.map((at) => {
        const citation = turn.citations[at];
        return citation && <Chip key={at} turn={turn} at={at} citation={citation} reworded={false} />;
      })}
    </>
  );
}
