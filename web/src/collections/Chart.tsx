import type { Signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { words } from "../text/collections";
import { axisEnd, FARTHEST, flips, moved, outcomeOf, type Lines, type Tried } from "./thresholds";

const said = words.thresholds;
const STEPS: Record<string, number> = {
  ArrowLeft: -0.01,
  ArrowDown: -0.01,
  ArrowRight: 0.01,
  ArrowUp: 0.01,
  PageDown: -0.05,
  PageUp: 0.05,
  Home: -FARTHEST,
  End: FARTHEST,
};

interface Props {
  readonly tried: readonly Tried[];
  readonly lines: Signal<Lines>;
  /** The lines that are in force, if there are any. */
  readonly before: Lines | null;
  /** The questions that should not be answered. */
  readonly unexpected: Signal<ReadonlySet<string>>;
}

/** A row for each question, all with one axis, and the thresholds across them. */
export function Chart({ tried, lines, before, unexpected }: Props) {
  const end = axisEnd(tried, before);
  const at = (value: number) => `${(100 * Math.min(value, end)) / end}%`;
  return (
    <div class="chart">
      <div class="chart-lines">
        {before &&
          (["match", "partial"] as const).map(
            (name) =>
              before[name] !== lines.value[name] && (
                <span key={name} class="line-before" style={{ left: at(before[name]) }}>
                  <span>{said.before(before[name])}</span>
                </span>
              ),
          )}
        <Handle name="match" {...{ tried, lines, before, end }} />
        <Handle name="partial" {...{ tried, lines, before, end }} />
      </div>
      <p class="chart-axis chart-head" aria-hidden="true">
        <span>{said.expected}</span>
        <span>{said.axis}</span>
        <span>{said.outcome}</span>
      </p>
      <ul>
        {tried.map(({ question, distance }) => {
          const outcome = outcomeOf(distance, lines.value);
          const was = before ? outcomeOf(distance, before) : outcome;
          const { outcomes } = said;
          return (
            <li key={question} class={`chart-row${was === outcome ? "" : " flips"}`}>
              <label class="chart-question">
                <input
                  type="checkbox"
                  aria-label={said.expectedOf(question)}
                  title={said.expected}
                  checked={!unexpected.value.has(question)}
                  onChange={(event) => {
                    const others = new Set(unexpected.value);
                    if (event.currentTarget.checked) others.delete(question);
                    else others.add(question);
                    unexpected.value = others;
                  }}
                />
                <span>{question}</span>
              </label>
              <span
                class="track"
                role="img"
                aria-label={distance >= FARTHEST ? said.nothing : said.distance(distance)}
              >
                <span class={`dot ${outcome}`} style={{ left: at(distance) }} />
              </span>
              <span class="chart-outcome">
                <span class="quiet">{distance >= FARTHEST ? "" : said.at(distance)}</span>{" "}
                {was === outcome ? outcomes[outcome] : said.flips(outcomes[was], outcomes[outcome])}
              </span>
            </li>
          );
        })}
      </ul>
      <p class="chart-axis">
        <span />
        <span class="ends">
          <span>{said.nearest}</span>
          <span>{said.farthest(end)}</span>
        </span>
        <span />
      </p>
    </div>
  );
}

interface HandleProps {
  readonly name: keyof Lines;
  readonly tried: readonly Tried[];
  readonly lines: Signal<Lines>;
  readonly before: Lines | null;
  readonly end: number;
}

function Handle({ name, tried, lines, before, end }: HandleProps) {
  const handle = useRef<HTMLSpanElement>(null);
  const value = lines.value[name];
  const move = (to: number) => (lines.value = moved(lines.value, name, to, end));
  const follow = (event: PointerEvent) => {
    const track = handle.current?.parentElement?.getBoundingClientRect();
    if (track?.width) move((end * (event.clientX - track.left)) / track.width);
  };
  return (
    <span
      ref={handle}
      class={`threshold ${name}`}
      role="slider"
      tabIndex={0}
      aria-label={said.names[name]}
      aria-valuemin={0}
      aria-valuemax={end}
      aria-valuenow={value}
      aria-valuetext={said.handle(said.names[name], value, flips(tried, before, lines.value), tried.length)}
      style={{ left: `${(100 * value) / end}%` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.currentTarget.focus();
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) follow(event);
      }}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (step === undefined) return;
        event.preventDefault();
        move(value + step);
      }}
    >
      <span class="threshold-label">
        {said.names[name]} {value.toFixed(2)}
      </span>
    </span>
  );
}
