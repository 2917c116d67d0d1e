import { useSignal } from "@preact/signals";
import { copy } from "../parts/announce";
import { Icon } from "../parts/Icon";
import { useMenu } from "../parts/menu";
import { turns } from "../store/asking";
import type { Turn } from "../store/turn";
import { text } from "../text/en";
import { asMarkdown, FORMATS, written, type Format } from "./copyWith";

const SHOWN_MS = 2000;

/** Copies the answer in the form that is chosen, or exports all of the conversation. */
export function CopyMenu({ turn }: { turn: Turn }) {
  const done = useSignal(false);
  const { isOut, root, focus, onKeyDown } = useMenu<HTMLSpanElement>();
  const take = async (format: Format) => {
    isOut.value = false;
    focus();
    if (!(await copy(written(turn, format)))) return;
    done.value = true;
    setTimeout(() => (done.value = false), SHOWN_MS);
  };
  return (
    <span class="picker" ref={root} onKeyDown={onKeyDown}>
      <button
        type="button"
        class="button plain"
        aria-expanded={isOut.value}
        onClick={() => (isOut.value = !isOut.value)}
      >
        <Icon name={done.value ? "check" : "copy"} /> {done.value ? text.copied : text.answer.copyWith}
      </button>
      {isOut.value && (
        <span class="picker-list above" role="group" aria-label={text.answer.copyWith}>
          {FORMATS.map((format) => (
            <button key={format} type="button" class="button plain" onClick={() => void take(format)}>
              {text.answer.formats[format]}
            </button>
          ))}
          <button type="button" class="button plain" onClick={exportAll}>
            {text.answer.export}
          </button>
        </span>
      )}
    </span>
  );
}

/** Save all of the conversation as a file of Markdown. */
function exportAll(): void {
  const whole = turns.value.map(asMarkdown).join("\n---\n\n");
  const place = URL.createObjectURL(new Blob([whole], { type: "text/markdown" }));
  const link = document.createElement("a");
  link.href = place;
  link.download = "conversation.md";
  link.click();
  setTimeout(() => URL.revokeObjectURL(place), SHOWN_MS);
}
