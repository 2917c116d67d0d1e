import { useEffect, useRef } from "preact/hooks";
import { ask, draft, LONGEST_QUESTION, running, stop } from "../store/asking";
import { editing } from "../store/editing";
import { isOnline } from "../store/connection";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";

export const BOX_ID = "question";

interface Props {
  readonly isFirst: boolean;
  /** What an empty box says after the first question. */
  readonly placeholder?: string;
}

/** The one box: Enter asks, Shift-Enter begins a line. Stop takes the place of Ask. */
export function QuestionBox({ isFirst, placeholder = text.box.next }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (isFirst) area.current?.focus();
  }, [isFirst]);
  const length = draft.value.trim().length;
  const tooLong = length > LONGEST_QUESTION;
  const send = () => {
    const question = draft.value;
    if (!question.trim() || tooLong || !isOnline.value) return;
    const instead = editing.value ?? undefined;
    editing.value = null;
    draft.value = "";
    void ask(question, instead);
  };
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (running.value) stop();
        else send();
      }}
    >
      <div class="box">
        <label class="hidden" for={BOX_ID}>
          {text.box.label}
        </label>
        <textarea
          id={BOX_ID}
          ref={area}
          rows={1}
          placeholder={!isOnline.value ? text.box.waiting : isFirst ? text.box.first : placeholder}
          value={draft.value}
          aria-invalid={tooLong}
          aria-describedby={tooLong ? "too-long" : undefined}
          onInput={(event) => (draft.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
        <button type="submit" class="button main">
          {running.value ? (
            <>
              <Icon name="stop" /> {text.box.stop}
            </>
          ) : (
            text.box.ask
          )}
        </button>
      </div>
      {tooLong && (
        <p id="too-long" class="box-note" role="alert">
          {text.box.tooLong(length, LONGEST_QUESTION)}
        </p>
      )}
    </form>
  );
}
