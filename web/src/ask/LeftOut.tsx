import { useSignal } from "@preact/signals";
import type { Reply } from "../api/client";
import { fetchWhy } from "../why/trace";
import { text } from "../text/en";

/** How many sentences did not hold; opened, it says why of each. Their words are not shown: they may be meant to mislead a reader. */
export function LeftOut({ reply }: { reply: Reply }) {
  const found = useSignal<readonly string[] | null>(null);
  const problem = useSignal("");
  if (!reply.dropped) return null;
  const look = () => {
    if (found.value) return;
    problem.value = "";
    fetchWhy(reply.trace_id)
      .then((why) => (found.value = why.leftOut))
      .catch(() => (problem.value = text.why.gone));
  };
  return (
    <details class="left-out" onToggle={(event) => event.currentTarget.open && look()}>
      <summary>{text.answer.leftOut(reply.dropped)}</summary>
      {problem.value && <p>{problem.value}</p>}
      <ul>
        {found.value?.map((why, at) => (
          <li key={at}>{text.answer.why(at + 1, why)}</li>
        ))}
      </ul>
    </details>
  );
}
