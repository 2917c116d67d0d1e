import { history } from "../store/health";
import { words } from "../text/health";

/** How long answers took and how questions ended, as two small charts with their figures in words. */
export function History() {
  const found = history.value;
  if (!found) return null;
  const { latency, outcomes } = words;
  const answers = found.hours.reduce((sum, hour) => sum + hour.answers, 0);
  const most = Math.max(...found.hours.map((hour) => hour.median_ms ?? 0));
  const { success = 0, partial = 0, no_results: refused = 0, error: failed = 0 } = found.outcomes;
  const all = success + partial + refused + failed;
  const shares = [
    ["answered", success],
    ["part", partial],
    ["refused", refused],
    ["failed", failed],
  ] as const;
  return (
    <div class="tiles">
      <section class="panel tile" aria-labelledby="latency-title">
        <h2 id="latency-title">{latency.title}</h2>
        {found.median_ms === null ? (
          <p class="tile-figure">{latency.none}</p>
        ) : (
          <>
            <p class="tile-figure">{latency.time(found.median_ms)}</p>
            <div class="columns" role="img" aria-label={latency.label(found.median_ms, answers)}>
              {found.hours.map((hour) => (
                <span
                  key={hour.begins}
                  title={latency.hour(hour.begins, hour.answers, hour.median_ms)}
                  style={{ height: `${(100 * (hour.median_ms ?? 0)) / most}%` }}
                />
              ))}
            </div>
            {found.p95_ms !== null && <p class="quiet">{latency.rest(found.p95_ms)}</p>}
          </>
        )}
      </section>
      <section class="panel tile" aria-labelledby="outcomes-title">
        <h2 id="outcomes-title">{outcomes.title(all)}</h2>
        {all === 0 ? (
          <p class="tile-figure">{latency.none}</p>
        ) : (
          <>
            <p class="tile-figure">{outcomes.figure((success + partial) / all)}</p>
            <div class="shares" role="img" aria-label={outcomes.rest(success, partial, refused, failed)}>
              {shares.map(([name, n]) => n > 0 && <span key={name} class={name} style={{ flexGrow: n }} />)}
            </div>
            <p class="quiet">{outcomes.rest(success, partial, refused, failed)}</p>
          </>
        )}
      </section>
    </div>
  );
}
