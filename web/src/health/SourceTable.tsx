import type { SourceHealth } from "../api/client";
import { jobNameOf, reindexSource } from "../store/health";
import { cancel, isOver, jobs } from "../store/jobs";
import { Icon, type IconName } from "../parts/Icon";
import { words } from "../text/health";
import { text } from "../text/en";

const said = words.sources;
const { columns } = said;
const SIGNS: Record<SourceHealth["state"], [IconName, string]> = {
  current: ["check", "ok"],
  changed: ["warning", "warn"],
  new: ["warning", "warn"],
  failed: ["close", "bad"],
};

/** The sources of the machine: of which kind and size, how old, and in which state. */
export function SourceTable({ sources }: { sources: readonly SourceHealth[] }) {
  return (
    <section class="panel" aria-labelledby="sources-title">
      <header class="panel-head">
        <h2 id="sources-title">{said.title}</h2>
      </header>
      {sources.length === 0 ? (
        <p class="panel-line quiet">{said.none}</p>
      ) : (
        <table class="manage-table source-table">
          <thead>
            <tr>
              {Object.values(columns).map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
              <td />
            </tr>
          </thead>
          <tbody>
            {sources.map((source) => (
              <Row key={source.name} source={source} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({ source }: { source: SourceHealth }) {
  const [icon, sign] = SIGNS[source.state];
  const job = jobs.value[jobNameOf(source.name)];
  const isRunning = job !== undefined && !isOver(job);
  return (
    <tr>
      <th scope="row" title={source.location}>
        {source.name}
      </th>
      <td data-label={columns.kind}>{source.kind}</td>
      <td data-label={columns.documents}>{text.number(source.documents)}</td>
      <td data-label={columns.size}>{said.size(source.size_bytes)}</td>
      <td data-label={columns.updated}>{source.updated ? said.date(source.updated) : said.never}</td>
      <td>
        <span class={`tag ${sign}`}>
          <Icon name={icon} /> {said.states[source.state]}
        </span>
        {source.state === "failed" && <span class="quiet">{source.message}</span>}
      </td>
      <td>
        {isRunning ? (
          <span class="running" role="status">
            {said.running(job.percent_complete)}{" "}
            <button type="button" class="button small" onClick={() => void cancel(job)}>
              {said.stop}
            </button>
          </span>
        ) : (
          <button
            type="button"
            class="button small"
            aria-label={said.reindexOf(source.name)}
            onClick={() => void reindexSource(source.name)}
          >
            {source.state === "failed" ? said.tryAgain : said.reindex}
          </button>
        )}
      </td>
    </tr>
  );
}
