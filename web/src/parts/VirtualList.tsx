import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

const AROUND = 10;
/** A list that is not longer is not cut, so that it needs no scrolling of its own. */
const SHORT = 100;
const WINDOW_PX = 480;

interface Props<T> {
  readonly items: readonly T[];
  readonly rowPx: number;
  readonly label: string;
  readonly keyOf: (item: T) => string;
  readonly children: (item: T) => ComponentChildren;
}

/** A list with rows of one height, of which only those that can be seen are in the page. */
export function VirtualList<T>({ items, rowPx, label, keyOf, children }: Props<T>) {
  const first = useSignal(0);
  const box = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // what was scrolled to may not be there any more
    if (box.current) first.value = Math.floor(box.current.scrollTop / rowPx);
  }, [items.length]);
  if (items.length <= SHORT) {
    return (
      <ul class="rows" aria-label={label}>
        {items.map((item) => (
          <li key={keyOf(item)}>{children(item)}</li>
        ))}
      </ul>
    );
  }
  const from = Math.max(0, first.value - AROUND);
  const to = Math.min(items.length, first.value + Math.ceil(WINDOW_PX / rowPx) + AROUND);
  return (
    <ul
      class="rows windowed"
      aria-label={label}
      tabIndex={0}
      ref={box}
      style={{ height: `${WINDOW_PX}px` }}
      onScroll={(event) => (first.value = Math.floor(event.currentTarget.scrollTop / rowPx))}
    >
      <li aria-hidden="true" style={{ height: `${from * rowPx}px` }} />
      {items.slice(from, to).map((item, at) => (
        <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={from + at + 1}>
          {children(item)}
        </li>
      ))}
      <li aria-hidden="true" style={{ height: `${(items.length - to) * rowPx}px` }} />
    </ul>
  );
}
