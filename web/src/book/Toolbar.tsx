import { useLayoutEffect, useRef } from "preact/hooks";
import { loaded, reading, selectedText } from "../store/book";
import type { Span } from "../text/codepoints";
import { CopyButton } from "../parts/CopyButton";
import { text } from "../text/en";
import { focusAsk } from "./focus";

const GAP = 8;

interface Props {
  /** Where the selection ends, from the corner of the page. */
  readonly at: () => { left: number; top: number } | null;
  readonly of: Span;
}

/** What can be done with the selection, below its end. */
export function Toolbar({ at, of }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = bar.current;
    const page = element?.offsetParent;
    const place = at();
    if (!element || !page) return;
    element.hidden = !place;
    if (!place) return;
    const most = page.clientWidth - element.offsetWidth;
    element.style.left = `${Math.max(0, Math.min(place.left - element.offsetWidth / 2, most))}px`;
    element.style.top = `${place.top + GAP}px`;
  });
  return (
    <div class="book-tools" role="toolbar" aria-label={text.book.tools} ref={bar}>
      <button type="button" class="button main" onClick={focusAsk}>
        {text.book.askThis} <kbd class="key">a</kbd>
      </button>
      <CopyButton plain of={() => cited(of)} label={text.book.copyWith} />
    </div>
  );
}

/** The selection as a quotation in Markdown, with its place. */
export function cited(span: Span): string {
  const now = loaded.value;
  const lines = selectedText().split("\n");
  const place = `${now?.reference ?? ""} (${reading.value?.source ?? ""}), characters ${span.start} to ${span.end}`;
  return [...lines.map((line) => `> ${line}`), "", `— ${place}`, ""].join("\n");
}
