import { useEffect, useRef } from "preact/hooks";
import { Answer } from "../ask/Answer";
import { QuestionBox } from "../ask/QuestionBox";
import { turns } from "../store/asking";
import { isAskOpen, measure, reading, select, selection } from "../store/book";
import { sources } from "../store/sources";
import type { Turn } from "../store/turn";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";
import { focusAsk } from "./focus";

/** What is asked, the questions to it with their answers, and the box. */
export function AskColumn() {
  const now = reading.value;
  const list = useRef<HTMLDivElement>(null);
  const shown = turns.value.filter((turn) => isOf(turn));
  const newest = shown.at(-1)?.id;
  useEffect(() => {
    const article = newest ? document.getElementById(newest) : null;
    if (article && list.current) list.current.scrollTop = article.offsetTop - list.current.offsetTop;
  }, [newest]);
  if (!now) return null;
  return (
    <aside class="book-ask" aria-label={text.book.ask}>
      <button
        type="button"
        class="handle"
        aria-label={text.book.ask}
        aria-expanded={isAskOpen.value}
        onClick={() => (isAskOpen.value = !isAskOpen.value)}
      />
      <ScopeBox />
      <div class="book-answers" id="answers" role="log" aria-label={text.answer.log} tabIndex={-1} ref={list}>
        {shown.map((turn) => (
          <Answer key={turn.id} turn={turn} />
        ))}
      </div>
      <div class="book-box" onFocusIn={() => (isAskOpen.value = true)}>
        <QuestionBox
          isFirst={false}
          placeholder={selection.value ? text.book.askSelection : text.book.askWhole}
        />
      </div>
    </aside>
  );
}

/** Whether a question belongs to what is read: asked here, or answered from this document. */
function isOf(turn: Turn): boolean {
  const now = reading.value;
  return (
    turn.readIn === now?.source ||
    turn.citations.some((one) => one.source === now?.source && one.document === now.document)
  );
}

function ScopeBox() {
  const amount = measure.value;
  const found = sources.value?.find((one) => one.name === reading.value?.source);
  const whole = text.book.whole(found?.kind ?? "", found?.title ?? reading.value?.source ?? "");
  if (!selection.value) {
    return (
      <p class="book-scope whole">
        {text.book.asking(whole)}
        <span class="how">
          <kbd class="key">s</kbd> {text.book.selects}
        </span>
      </p>
    );
  }
  return (
    <div class="book-scope" role="status">
      <p>
        <b>{text.book.only}</b>
        {amount && <span>{text.book.measure(amount.sentences, amount.words)}</span>}
      </p>
      <button type="button" class="button ask-this" onClick={focusAsk}>
        {text.book.askThis}
      </button>
      <button
        type="button"
        class="button ask-whole"
        onClick={() => {
          drop();
          focusAsk();
        }}
      >
        {text.book.askAll(whole)}
      </button>
      <button type="button" class="button plain square" aria-label={text.book.drop} onClick={drop}>
        <Icon name="close" />
      </button>
    </div>
  );
}

function drop(): void {
  document.getSelection()?.removeAllRanges();
  select(null);
}
