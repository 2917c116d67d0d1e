import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Citation } from "../api/client";
import {
  caret,
  fetchAround,
  here,
  loaded,
  problem,
  reading,
  select,
  selection,
  target,
  TEXT_ID,
} from "../store/book";
import { turns } from "../store/asking";
import { hashOf } from "../store/current";
import { openCitation, openTurn } from "../store/pane";
import { numberOf } from "../store/layout";
import { proofOf } from "../store/proof";
import type { Span } from "../text/codepoints";
import { DocumentText, MARK_ID } from "../pane/DocumentText";
import { More } from "../pane/More";
import { Ruler } from "../pane/Ruler";
import { text } from "../text/en";
import { blockAt, rangeOf, spanOf } from "./places";
import { Toolbar } from "./Toolbar";

const HIGHLIGHT = "vademecum-selection";
const MARK_AT = 0.4;
const TARGET_AT = 0.15;

/** The text, what is selected in it, and the quote that is shown. */
export function BookText() {
  const now = loaded.value;
  const paper = useRef<HTMLDivElement>(null);
  const isDragging = useSignal(false);
  const citation = hereCitation();
  const isInside =
    now !== null && citation !== null && now.start <= citation.start && citation.end <= now.end;
  const proof = citation ? proofOf(citation) : "checked";
  const mark = isInside && proof === "checked" ? { start: citation.start, end: citation.end } : null;
  const others = otherCitations(citation);
  const chosen = selection.value;

  useEffect(() => {
    if (citation && now && !isInside) void fetchAround(citation.start);
  }, [citation, now]);

  useLayoutEffect(() => {
    const element = document.getElementById(MARK_ID);
    if (element) scrollTo(paper.current, element, MARK_AT);
  }, [citation, isInside, proof, now?.id]);

  useLayoutEffect(() => {
    const at = target.value;
    const root = rootOf(paper.current);
    if (at === null || !now || !root || at < now.start || at > now.end) return;
    target.value = null;
    const block = blockAt(at, now);
    // a section begins with its heading
    const isHeaded = now.blocks[block]?.[1] === at && now.blocks[block - 1]?.[0] === "heading";
    const element = root.children[isHeaded && !selection.value ? block - 1 : block];
    if (element && !(selection.value && isInView(paper.current, element))) {
      scrollTo(paper.current, element, TARGET_AT);
    }
  }, [target.value, now]);

  useLayoutEffect(() => highlight(paper.current, mark), [chosen, now, mark?.start]);

  useEffect(() => {
    const onSelection = () => {
      const range = rangeNow();
      const root = rootOf(paper.current);
      const found = loaded.value;
      if (!range || !root || !found) return;
      const span = spanOf(range, root, found);
      if (span) select(span);
    };
    const onRelease = () => (isDragging.value = false);
    document.addEventListener("selectionchange", onSelection);
    document.addEventListener("pointerup", onRelease);
    document.addEventListener("pointercancel", onRelease);
    return () => {
      document.removeEventListener("selectionchange", onSelection);
      document.removeEventListener("pointerup", onRelease);
      document.removeEventListener("pointercancel", onRelease);
      CSS.highlights.delete(HIGHLIGHT);
    };
  }, []);

  const onScroll = () => {
    const root = rootOf(paper.current);
    const sheet = paper.current;
    if (!root || !sheet || !loaded.value) return;
    const top = sheet.scrollTop + TARGET_AT * sheet.clientHeight + 1;
    here.value = loaded.value.blocks[lowest(root, top)]?.[1] ?? 0;
    caret.value = null;
  };

  return (
    <div class="book-sheet">
      <div
        class="book-paper"
        ref={paper}
        id={TEXT_ID}
        tabIndex={0}
        role="document"
        aria-label={now?.title ?? text.book.loading}
        onScroll={onScroll}
        onPointerDown={(event) => (isDragging.value = !isControl(event))}
        onClick={(event) => {
          if (isControl(event) || rangeNow()) return;
          select(null);
          caret.value = clickedBlock(event, paper.current);
        }}
      >
        {now ? (
          <div class="book-page">
            {now.start > 0 && <More loaded={now} before onLoaded={(found) => (loaded.value = found)} />}
            <DocumentText
              loaded={now}
              now={mark}
              number={numberHere()}
              others={others.map(({ start, end }) => ({ start, end }))}
            />
            {now.end < now.length && <More loaded={now} onLoaded={(found) => (loaded.value = found)} />}
            {chosen && !isDragging.value && !isAsked(chosen) && (
              <Toolbar at={() => bottomOf(paper.current, chosen)} of={chosen} />
            )}
          </div>
        ) : problem.value ? (
          <div class="book-page">
            <p role="alert">{problem.value}</p>
            <p>
              <button type="button" class="button" onClick={() => void fetchAround(target.value ?? 0)}>
                {text.book.again}
              </button>{" "}
              <a class="button" href={hashOf({ kind: "documents", source: reading.value?.source ?? "" })}>
                {text.book.all}
              </a>
            </p>
          </div>
        ) : (
          <p class="book-page place late">{text.book.loading}</p>
        )}
      </div>
      {now && <Ruler length={now.length} now={mark} others={others} window={now} chosen={chosen} />}
    </div>
  );
}

/** The citation that is shown, if it is one of this document. */
function hereCitation(): Citation | null {
  const citation = openCitation.value;
  const now = reading.value;
  return citation && citation.document === now?.document && citation.source === now.source ? citation : null;
}

function otherCitations(citation: Citation | null): Citation[] {
  return (openTurn.value?.citations ?? []).filter(
    (one) => one !== citation && one.document === citation?.document && proofOf(one) === "checked",
  );
}

function numberHere(): number {
  const turn = openTurn.value;
  const at = turn?.citations.findIndex((one) => one === openCitation.value) ?? -1;
  return turn && at >= 0 ? numberOf(turn, at) : 0;
}

/** Whether something happened to a button, and not to the text. */
function isControl(event: Event): boolean {
  return event.target instanceof Element && event.target.closest("button, a, [role='toolbar']") !== null;
}

/** Where the block begins that was clicked; null beside the text. */
function clickedBlock(event: Event, paper: HTMLElement | null): number | null {
  const root = rootOf(paper);
  const block = event.target instanceof Element ? event.target.closest(".document > div") : null;
  const at = root && block ? Array.prototype.indexOf.call(root.children, block) : -1;
  return loaded.value?.blocks[at]?.[1] ?? null;
}

/** Whether a selection has been asked; its tools are then out of the way. */
function isAsked(span: Span): boolean {
  const document_ = reading.value?.document;
  return turns.value.some(
    ({ selection: asked }) =>
      asked?.document === document_ && asked?.start === span.start && asked.end === span.end,
  );
}

/** What is selected in the browser, if that is anything. */
function rangeNow(): Range | null {
  const now = document.getSelection();
  return now?.rangeCount && !now.isCollapsed ? now.getRangeAt(0) : null;
}

function rootOf(paper: HTMLElement | null): Element | null {
  return paper?.querySelector(".document") ?? null;
}

/** Paint the selection everywhere but where the quote is marked: yellow stays yellow. */
function highlight(paper: HTMLElement | null, mark: Span | null): void {
  const root = rootOf(paper);
  const now = loaded.value;
  const span = selection.value;
  const spans = !span
    ? []
    : mark && mark.start < span.end && span.start < mark.end
      ? [
          { start: span.start, end: mark.start },
          { start: mark.end, end: span.end },
        ]
      : [span];
  const ranges = spans.flatMap((one) => {
    const range = root && now && one.start < one.end ? rangeOf(one, root, now) : null;
    return range ? [range] : [];
  });
  CSS.highlights.set(HIGHLIGHT, new Highlight(...ranges));
}

/** Whether a block can be seen, and what is below it, too. */
function isInView(sheet: HTMLElement | null, element: Element): boolean {
  const frame = sheet?.getBoundingClientRect();
  const block = element.getBoundingClientRect();
  return frame !== undefined && block.top >= frame.top && block.bottom <= frame.bottom - 0.2 * frame.height;
}

function scrollTo(sheet: HTMLElement | null, element: Element, share: number): void {
  if (!sheet) return;
  const offset = element.getBoundingClientRect().top - sheet.getBoundingClientRect().top;
  sheet.scrollTop += offset - share * sheet.clientHeight;
}

/** Where a stretch ends on the page: the corner below its last character; null where it is not here. */
function bottomOf(paper: HTMLElement | null, span: Span): { left: number; top: number } | null {
  const root = rootOf(paper);
  const now = loaded.value;
  const range = root && now ? rangeOf({ start: span.end - 1, end: span.end }, root, now) : null;
  const corner = range?.getBoundingClientRect();
  const page = root?.parentElement?.getBoundingClientRect();
  return corner && page ? { left: corner.right - page.left, top: corner.bottom - page.top } : null;
}

/** The number of the last child that begins above a height. */
function lowest(root: Element, top: number): number {
  let low = 0;
  let high = root.children.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((root.children[middle] as HTMLElement).offsetTop <= top) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
