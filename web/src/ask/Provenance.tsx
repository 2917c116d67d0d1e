import { proofOf } from "../store/proof";
import type { Turn } from "../store/turn";
import { inWords } from "../parts/confidence";
import { Icon } from "../parts/Icon";
import { Scale } from "../parts/Scale";
import { text } from "../text/en";

/** How much of the answer is proved, how sure it is, and how long it took. */
export function Provenance({ turn }: { turn: Turn }) {
  const reply = turn.reply;
  const proofs = turn.citations.map(proofOf);
  const failed = proofs.filter((one) => one === "failed" || one === "gone").length;
  const words = reply ? inWords(reply.confidence, reply.threshold) : "";
  return (
    <div class="provenance">
      {proofs.length > 0 && (
        <Quotes
          checked={proofs.filter((one) => one === "checked").length}
          failed={failed}
          of={proofs.length}
        />
      )}
      {reply && (
        <>
          <Scale value={reply.confidence} threshold={reply.threshold} />
          <span>
            {reply.no_answer
              ? text.refusal.begins(reply.confidence, reply.threshold)
              : `${failed ? text.answer.was(words) : words}, ${text.answer.percent(reply.confidence)}`}
          </span>
          <span>{text.answer.ms(reply.latency_ms)}</span>
          {reply.model && <span>{text.answer.withModel(reply.model)}</span>}
        </>
      )}
    </div>
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
