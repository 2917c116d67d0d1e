import { useSignal } from "@preact/signals";
import type { Reply } from "../api/client";
import { fetchWhy, type LeftOut as Sentence } from "../why/trace";
import { text } from "../text/en";

/** How many sentences did not hold; opened, it says which, and why. */
export function LeftOut({ reply }: { reply: Reply }) {
  const found = useSignal<readonly Sentence[] | null>(null);
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
        {found.value?.map((one, at) => (
          <li key={at}>
            <span class="dropped">{one.text}</span> <span class="of">{one.why}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
