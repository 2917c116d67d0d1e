import type { Reply } from "../api/client";
import { proofOf } from "../store/proof";
import type { Turn } from "../store/turn";
import { inWords } from "../parts/confidence";
import { Icon } from "../parts/Icon";
import { Scale } from "../parts/Scale";
import { text } from "../text/en";

/** How much of the answer is proved, how sure it is, and how long it took. */
export function Provenance({ turn }: { turn: Turn }) {
  const reply = turn.reply;
  const proofs = turn.citations.map(proofOf).filter((one) => one !== "elsewhere");
  const failed = proofs.filter((one) => one === "failed" || one === "gone").length;
  const checked = proofs.filter((one) => one === "checked").length;
  const confidence = reply?.confidence ?? null;
  return (
    <div class="provenance">
      {proofs.length > 0 && <Quotes checked={checked} failed={failed} of={proofs.length} />}
      {reply && (
        <>
          {confidence !== null && <Certainty reply={reply} confidence={confidence} isDoubtful={failed > 0} />}
          <span>{text.answer.ms(reply.latency_ms)}</span>
          {reply.model && <span>{reply.grounded === false ? reply.model : byModel(reply)}</span>}
          {reply.routing && <span class="rule">{text.answer.rule(reply.routing)}</span>}
        </>
      )}
    </div>
  );
}

/** What the model did: it chose the sentences, or wrote some of them. */
function byModel(reply: Reply): string {
  const statements = [...reply.summary, ...reply.steps];
  const count = (origin: string) => statements.filter((one) => one.origin === origin).length;
  if (count("written")) return text.answer.composedBy(reply.model);
  return count("reworded") || count("replaced")
    ? text.answer.writtenBy(reply.model, count("reworded"), statements.length)
    : text.answer.chosenBy(reply.model);
}

interface CertaintyProps {
  readonly reply: Reply;
  readonly confidence: number;
  /** Whether a quote did not hold. */
  readonly isDoubtful: boolean;
}

function Certainty({ reply, confidence, isDoubtful }: CertaintyProps) {
  // rules may answer what would else be refused
  const words = inWords(confidence, reply.no_answer ? reply.threshold : 0);
  return (
    <>
      <Scale value={confidence} threshold={reply.threshold} />
      <span>
        {reply.no_answer
          ? text.refusal.begins(confidence, reply.threshold)
          : `${isDoubtful ? text.answer.was(words) : words}, ${text.answer.percent(confidence)}`}
      </span>
    </>
  );
}

function Quotes({ checked, failed, of }: { checked: number; failed: number; of: number }) {
  if (failed) {
    return (
      <span class="checked failed" role="alert">
        <Icon name="warning" /> {text.answer.failed(failed)}
      </span>
    );
  }
  const isDone = checked === of;
  return (
    <span class={`checked${isDone ? "" : " pending"}`}>
      <Icon name={isDone ? "shield" : "clock"} /> {text.answer.checked(checked, of)}
    </span>
  );
}
