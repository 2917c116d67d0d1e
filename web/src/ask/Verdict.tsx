import { useSignal } from "@preact/signals";
import { request } from "../api/client";
import { announce } from "../parts/announce";
import { Icon } from "../parts/Icon";
import { conversation } from "../store/current";
import type { Turn } from "../store/turn";
import { text } from "../text/en";

type Said = "" | "right" | "wrong";

/** Right or wrong, and for a wrong answer why: it goes into a file that the administrator of the server can measure with. */
export function Verdict({ turn }: { turn: Turn }) {
  const said = useSignal<Said>("");
  const why = useSignal("");
  const isKept = useSignal(false);
  if (!turn.number || !conversation.value) return null;
  const send = async (verdict: Said, reason = "") => {
    said.value = verdict;
    try {
      await request("/api/feedback", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ conversation: conversation.value, turn: turn.number, verdict, why: reason }),
      });
      isKept.value = verdict === "right" || reason !== "";
      announce(text.verdict.thanks);
    } catch {
      said.value = "";
      announce(text.verdict.notKept);
    }
  };
  return (
    <>
      <span class="verdict">
        <button
          type="button"
          class="button plain"
          aria-pressed={said.value === "right"}
          onClick={() => void send("right")}
        >
          <Icon name="check" /> {text.verdict.right}
        </button>
        <button
          type="button"
          class="button plain"
          aria-pressed={said.value === "wrong"}
          onClick={() => (said.value = "wrong")}
        >
          <Icon name="close" /> {text.verdict.wrong}
        </button>
      </span>
      {said.value === "wrong" && !isKept.value && (
        <form
          class="why-form"
          onSubmit={(event) => {
            event.preventDefault();
            void send("wrong", why.value || text.verdict.noReason);
          }}
        >
          <input
            aria-label={text.verdict.why}
            placeholder={text.verdict.why}
            maxLength={2000}
            value={why.value}
            onInput={(event) => (why.value = event.currentTarget.value)}
          />
          <button type="submit" class="button">
            {text.verdict.send}
          </button>
        </form>
      )}
      {isKept.value && <p class="origin">{text.verdict.thanks}</p>}
    </>
  );
}
