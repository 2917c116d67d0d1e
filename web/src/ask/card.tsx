/** The quote of a citation beside its chip, while it is pointed at or has the focus. */
import { signal } from "@preact/signals";
import type { Citation } from "../api/client";
import { open } from "../store/pane";
import { proofOf } from "../store/proof";
import { text } from "../text/en";

const WAIT_MS = 150;
const WIDTH = 304;
const GAP = 8;

interface Shown {
  readonly citation: Citation;
  readonly number: number;
  readonly left: number;
  readonly top: number;
  readonly chip: HTMLElement;
}

const shown = signal<Shown | null>(null);
let timer = 0;

export function hover(chip: HTMLElement, citation: Citation, number: number): void {
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    if (open.value) return; // the source itself is there
    const place = chip.getBoundingClientRect();
    const left = Math.max(GAP, Math.min(place.left, window.innerWidth - WIDTH - GAP));
    const isLow = place.bottom > window.innerHeight * 0.65;
    const top = isLow ? place.top - GAP : place.bottom + GAP;
    shown.value = { citation, number, left, top: isLow ? -(window.innerHeight - top) : top, chip };
    chip.setAttribute("aria-describedby", "card");
  }, WAIT_MS);
}

export function unhover(): void {
  clearTimeout(timer);
  timer = window.setTimeout(dismiss, WAIT_MS);
}

/** Hide the card at once; whether one was there. */
export function dismiss(): boolean {
  clearTimeout(timer);
  const was = shown.value;
  was?.chip.removeAttribute("aria-describedby");
  shown.value = null;
  return was !== null;
}

export function Card() {
  const now = shown.value;
  if (!now || open.value) return null;
  const proof = proofOf(now.citation);
  const place = now.top < 0 ? { bottom: `${-now.top}px` } : { top: `${now.top}px` };
  return (
    <div
      id="card"
      class="card"
      role="tooltip"
      style={{ position: "fixed", left: `${now.left}px`, ...place }}
      onPointerEnter={() => clearTimeout(timer)}
      onPointerLeave={unhover}
    >
      <span class={`tag ${proof === "checked" ? "ok" : proof === "failed" || proof === "gone" ? "bad" : ""}`}>
        {proof === "checked" ? text.citation.tag : text.citation.proof[proof]}
      </span>
      <blockquote>{now.citation.quote}</blockquote>
      <p class="place">{now.citation.document_ref}</p>
      <p class="place">
        <kbd class="key">Enter</kbd> {text.citation.enter}
      </p>
    </div>
  );
}
