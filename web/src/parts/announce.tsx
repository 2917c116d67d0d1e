/** The one place that speaks to screen readers of what happened. */
import { signal } from "@preact/signals";
import { text } from "../text/en";

const said = signal("");

export function announce(words: string): void {
  said.value = words;
}

/** Put a text on the clipboard, and say whether it is there. */
export async function copy(words: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(words);
    announce(text.copied);
    return true;
  } catch {
    announce(text.notCopied);
    return false;
  }
}

export function Announcer() {
  return (
    <div class="hidden" role="status">
      {said.value}
    </div>
  );
}
