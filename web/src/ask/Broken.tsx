import { ask } from "../store/asking";
import type { Turn } from "../store/turn";
import type { Problem } from "../api/client";
import { isKeyWanted } from "../store/session";
import { text } from "../text/en";
import { SignIn } from "./SignIn";

/** What went wrong, in a sentence, and one button to go on. */
export function Broken({ turn }: { turn: Turn }) {
  if (turn.phase !== "broken" && turn.phase !== "stopped") return null;
  const said = turn.phase === "stopped" ? text.answer.stopped : inWords(turn.problem, turn.parts.length > 0);
  if (turn.problem?.status === 401 && isKeyWanted.value) return <SignIn />;
  return (
    <div class="broken" role={turn.phase === "broken" ? "alert" : undefined}>
      <p>{said}</p>
      <button type="button" class="button small" onClick={() => void ask(turn.question, turn.id, turn)}>
        {turn.parts.length ? text.answer.goOn : text.answer.again}
      </button>
    </div>
  );
}

function inWords(problem: Problem | null, something: boolean): string {
  if (!problem || problem.isOffline) return something ? text.answer.offline : text.answer.notReached;
  if (problem.status === 401) return text.answer.key;
  if (problem.status === 429 || problem.code === "BUSY") return text.answer.busy(problem.retryAfterS || 1);
  return [problem.detail || text.answer.failedToAnswer, problem.hint].filter(Boolean).join(" ");
}
