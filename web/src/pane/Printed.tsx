import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { pictureOf, Problem, printed, type PrintedPage } from "../api/client";
import type { Loaded } from "../store/proof";
import type { Span } from "../text/codepoints";
import { Icon } from "../parts/Icon";
import { text } from "../text/en";

interface Props {
  readonly loaded: Loaded;
  /** The quote that is shown; null where none holds. */
  readonly now: Span | null;
}

const MARK_AT = 0.4;

/** A PDF's page as it is printed, with the quote marked on it. */
export function Printed({ loaded, now }: Props) {
  const found = useSignal<PrintedPage | null>(null);
  const page = useSignal(0);
  const problem = useSignal("");
  const figure = useRef<HTMLElement>(null);
  const start = now?.start ?? loaded.start;
  const end = now?.end ?? loaded.start + 1;

  useEffect(() => {
    let isCurrent = true;
    problem.value = "";
    printed(loaded.source, loaded.id, start, end)
      .then((placed) => {
        if (!isCurrent) return;
        found.value = placed;
        page.value = placed.page;
      })
      .catch((error: unknown) => {
        if (!isCurrent) return;
        problem.value = error instanceof Problem && error.detail ? error.detail : text.pane.unreachable;
      });
    return () => {
      isCurrent = false;
    };
  }, [loaded.source, loaded.id, start, end]);

  const placed = found.value;
  const marks = placed && now && page.value === placed.page ? placed.rectangles : [];
  useEffect(() => {
    const sheet = figure.current?.closest(".paper");
    const first = marks[0];
    if (!sheet || !figure.current) return;
    const top = first ? figure.current.offsetTop + first[1] * figure.current.offsetHeight : 0;
    sheet.scrollTop = top - MARK_AT * sheet.clientHeight;
  }, [placed, page.value]);

  if (problem.value) return <p role="alert">{problem.value}</p>;
  if (!placed) return <p class="place">{text.pane.loading}</p>;
  return (
    <>
      <div class="printed-pages">
        <button
          type="button"
          class="button plain square"
          aria-label={text.pane.pageBefore}
          disabled={page.value <= 1}
          onClick={() => page.value--}
        >
          <Icon name="left" />
        </button>
        <span role="status">{text.pane.page(page.value, placed.pages)}</span>
        <button
          type="button"
          class="button plain square"
          aria-label={text.pane.pageAfter}
          disabled={page.value >= placed.pages}
          onClick={() => page.value++}
        >
          <Icon name="right" />
        </button>
      </div>
      {now && page.value === placed.page && !marks.length && <p class="warn">{text.pane.notPlaced}</p>}
      <figure
        class="printed"
        ref={figure}
        style={{ aspectRatio: page.value === placed.page ? `${placed.width} / ${placed.height}` : "" }}
      >
        <img
          src={pictureOf(loaded.source, loaded.id, page.value)}
          alt={text.pane.picture(page.value, loaded.reference)}
        />
        {marks.map(([left, top, right, bottom]) => (
          <span
            key={top}
            class="printed-mark"
            style={{
              left: percent(left),
              top: percent(top),
              width: percent(right - left),
              height: percent(bottom - top),
            }}
          />
        ))}
      </figure>
    </>
  );
}

function percent(share: number): string {
  return `${100 * share}%`;
}
