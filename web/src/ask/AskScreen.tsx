import { useEffect, useRef } from "preact/hooks";
import { turns } from "../store/asking";
import { text } from "../text/en";
import { Answer } from "./Answer";
import { Home } from "./Home";
import { QuestionBox } from "./QuestionBox";

/** The conversation, and the box below it; or, before the first question, the home screen. */
export function AskScreen() {
  const log = useRef<HTMLDivElement>(null);
  const newest = turns.value.at(-1)?.id;
  useEffect(() => {
    const article = newest ? document.getElementById(newest) : null;
    if (article && log.current) log.current.scrollTop = article.offsetTop - log.current.offsetTop;
  }, [newest]);
  if (!turns.value.length) return <Home />;
  return (
    <>
      <div class="scroll" ref={log}>
        <div
          class="column"
          id="answers"
          role="log"
          aria-label={text.answer.log}
          aria-live="polite"
          tabIndex={-1}
        >
          <h1 class="hidden">{text.answer.log}</h1>
          {turns.value.map((turn) => (
            <Answer key={turn.id} turn={turn} />
          ))}
        </div>
      </div>
      <div class="foot">
        <div class="column">
          <QuestionBox isFirst={false} />
          <Hints />
        </div>
      </div>
    </>
  );
}

function Hints() {
  const { write, citations, all } = text.box.hints;
  return (
    <p class="hints" aria-hidden="true">
      <span>
        <kbd class="key">/</kbd> {write}
      </span>
      <span>
        <kbd class="key">[</kbd> <kbd class="key">]</kbd> {citations}
      </span>
      <span>
        <kbd class="key">?</kbd> {all}
      </span>
    </p>
  );
}
