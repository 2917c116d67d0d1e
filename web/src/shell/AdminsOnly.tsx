import { inWords, Problem } from "../api/client";
import { SignIn } from "../ask/SignIn";
import { text } from "../text/en";

/** Whether a screen was refused, because it is for administrators. */
export function isForAdmins(problem: unknown): boolean {
  return problem instanceof Problem && (problem.status === 401 || problem.status === 403);
}

/** Why a screen cannot be shown: it is for administrators, who can sign in here; or something went wrong. */
export function NotShown({ problem, adminsOnly }: { problem: unknown; adminsOnly: string }) {
  if (problem === null) return null;
  if (!isForAdmins(problem)) {
    return (
      <p class="note bad" role="alert">
        {inWords(problem, text.answer.notReached)}
      </p>
    );
  }
  return (
    <>
      <p class="note">{adminsOnly}</p>
      <SignIn />
    </>
  );
}
