import { useSignal, type Signal } from "@preact/signals";
import type { Citation, Problem } from "../api/client";
import { laidOut, numberOf } from "../store/layout";
import { proofOf } from "../store/proof";
import type { Part, Turn } from "../store/turn";
import { isCopied } from "../text/copied";
import { words } from "../text/widget";

const COPIED_MS = 2000;

interface Shown {
  readonly turn: Turn;
  /** The position of the citation whose quote is shown; -1 for none. */
  readonly open: Signal<number>;
}

/** A question, its answer, and the quote of the citation that was chosen. */
export function Answer({ turn, onAgain }: { turn: Turn; onAgain: () => void }) {
  const open = useSignal(-1);
  const { line, lead, sentences, options } = laidOut(turn);
  const isRefused = turn.phase === "done" && turn.reply?.no_answer === true && !turn.parts.length;
  const cited = turn.citations[open.value];
  return (
    <article id={turn.id}>
      <h3>{turn.question}</h3>
      {turn.phase === "searching" && <p class="quiet late">{words.searching}</p>}
      {isRefused ? <Refusal turn={turn} /> : <Provenance turn={turn} />}
      {!isRefused && (
        <>
          {line && <Line turn={turn} part={line} open={open} />}
          {[...(lead ? [lead] : []), ...sentences].map((said, at) => {
            const Shown = said.isCode ? "pre" : "p";
            return (
              <Shown key={at} class={at || line ? "" : "lead"}>
                <Said turn={turn} said={said.text} citations={said.citations} open={open} />
              </Shown>
            );
          })}
          {options.length > 0 && (
            <dl>
              {options.map((part, at) => (
                <div key={at}>
                  <dt>{part.command}</dt>
                  <dd>
                    <Said turn={turn} said={part.text} citations={part.citations} open={open} />
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </>
      )}
      {cited && <Quote citation={cited} />}
      {turn.problem && <Broken problem={turn.problem} onAgain={onAgain} />}
    </article>
  );
}

function Provenance({ turn }: { turn: Turn }) {
  const proofs = turn.citations.map(proofOf);
  const failed = proofs.filter((proof) => proof === "failed" || proof === "gone").length;
  const checked = proofs.filter((proof) => proof === "checked").length;
  const confidence = turn.reply?.confidence;
  if (!proofs.length) return null;
  return (
    <p class="provenance">
      {failed ? (
        <span class="bad" role="alert">
          ! {words.failed(failed)}
        </span>
      ) : (
        <span class={checked === proofs.length ? "ok" : "quiet"}>
          {checked === proofs.length && "✓ "}
          {words.checked(checked, proofs.length)}
        </span>
      )}
      {typeof confidence === "number" && <span class="quiet">{words.confidence(confidence)}</span>}
    </p>
  );
}

function Refusal({ turn }: { turn: Turn }) {
  const missing = turn.reply?.unknown ?? [];
  return (
    <div class="refusal">
      <p class="lead">{words.refused}</p>
      {missing.length > 0 && <p class="quiet">{words.unknown(missing)}</p>}
    </div>
  );
}

/** A line to type, with a button that copies it. */
function Line({ turn, part, open }: Shown & { part: Part }) {
  const isCopied = useSignal(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(part.command);
    } catch {
      return; // the line can still be selected
    }
    isCopied.value = true;
    setTimeout(() => (isCopied.value = false), COPIED_MS);
  };
  return (
    <div class="line">
      <code>{part.command}</code> <Chips turn={turn} citations={part.citations} open={open} />
      <button type="button" onClick={() => void copy()}>
        {isCopied.value ? words.copied : words.copy}
      </button>
    </div>
  );
}

/** Words and the chips that prove them: in serif where the quote says just this. */
function Said({ turn, said, citations, open }: Shown & { said: string; citations: readonly number[] }) {
  const quotes = citations.map((at) => turn.citations[at]?.quote ?? "");
  return (
    <span class={isCopied(said, quotes) ? "copied" : "reworded"}>
      {said}
      <Chips turn={turn} citations={citations} open={open} />
    </span>
  );
}

function Chips({ turn, citations, open }: Shown & { citations: readonly number[] }) {
  return (
    <span class="chips">
      {citations.map((at) => {
        const citation = turn.citations[at];
        if (!citation) return null;
        const proof = proofOf(citation);
        const number = numberOf(turn, at);
        const isFailed = proof === "failed" || proof === "gone";
        return (
          <button
            key={at}
            type="button"
            class={`chip${isFailed ? " failed" : proof === "checked" ? "" : " pending"}`}
            aria-label={words.citation(number, citation.document_ref, words.proofs[proof])}
            aria-expanded={open.value === at}
            onClick={() => (open.value = open.value === at ? -1 : at)}
          >
            {isFailed && "! "}
            {number}
          </button>
        );
      })}
    </span>
  );
}

/** Where a quote is from, and its words. */
function Quote({ citation }: { citation: Citation }) {
  const proof = proofOf(citation);
  return (
    <blockquote>
      <p class="quiet">{citation.document_ref}</p>
      <p class="copied">
        <mark>{citation.quote}</mark>
      </p>
      {proof === "failed" && (
        <p class="bad" role="alert">
          {words.notInDocument}
        </p>
      )}
    </blockquote>
  );
}

function Broken({ problem, onAgain }: { problem: Problem; onAgain: () => void }) {
  const said =
    problem.code === "BUDGET_USED"
      ? words.usedUp
      : problem.isOffline
        ? words.offline
        : problem.status === 429 || problem.code === "BUSY"
          ? words.busy
          : [problem.detail, problem.hint].filter(Boolean).join(" ");
  return (
    <div class="broken" role="alert">
      <p>{said}</p>
      {problem.code !== "BUDGET_USED" && (
        <button type="button" onClick={onAgain}>
          {words.again}
        </button>
      )}
    </div>
  );
}
