import "../styles/manage.css";
import "../styles/health.css";
import { useEffect } from "preact/hooks";
import type { Component } from "../api/client";
import { hashOf } from "../store/current";
import { health, healthProblem, isChecking, loadHealth, reindexSource } from "../store/health";
import { isOver, jobs } from "../store/jobs";
import { me } from "../store/session";
import { Command } from "../ask/ReadOn";
import { isForAdmins, NotShown } from "../shell/AdminsOnly";
import { Icon } from "../parts/Icon";
import { words } from "../text/health";
import { text } from "../text/en";
import { History } from "./History";
import { SourceTable } from "./SourceTable";

const REINDEX = /^ragadmin reindex( --full)?$/;
const COMMAND = /^(ragadmin|vademecum|sudo|systemctl|rm|chmod|chown|apt|timedatectl|kill) /;

/** How the server is, and what to do about each problem. */
export function HealthScreen() {
  useEffect(() => void loadHealth(), [me.value?.name]);
  const found = health.value;
  const problem = healthProblem.value;
  const isRefused = isForAdmins(problem);
  const problems = found?.components.filter(({ severity }) => severity !== "pass") ?? [];
  const lost = Object.values(jobs.value).filter((job) => job.state === "failed");
  const answersWork = !problems.some(({ severity }) => severity === "fail");
  const count = problems.length + lost.length;
  return (
    <div class="manage health" id="answers" tabIndex={-1}>
      <div class="manage-main">
        <header class="manage-head">
          <h1>
            {found
              ? count
                ? words.need(count, answersWork)
                : words.well
              : isRefused
                ? text.shell.health
                : words.checking}
          </h1>
          {found && (
            <button
              type="button"
              class="button"
              disabled={isChecking.value}
              onClick={() => void loadHealth()}
            >
              <Icon name="again" /> {words.again}
            </button>
          )}
        </header>
        <NotShown problem={problem} adminsOnly={words.adminsOnly} />
        {found && (
          <>
            {count > 0 && (
              <ul class="problems" aria-label={words.problems}>
                {problems.map((component) => (
                  <ProblemRow key={component.component} component={component} />
                ))}
                {lost.map((job) => (
                  <li key={job.id}>
                    <Icon name="warning" />
                    <div>
                      <p>
                        <b>{words.interrupted(job.collection.replace(/^@/, ""))}</b> {job.message}
                      </p>
                    </div>
                    {job.collection.startsWith("@") ? (
                      <button
                        type="button"
                        class="button"
                        onClick={() => void reindexSource(job.collection.slice(1))}
                      >
                        {words.goOn}
                      </button>
                    ) : (
                      <a class="button" href={hashOf({ kind: "collections", name: job.collection })}>
                        {words.goOn}
                      </a>
                    )}
                  </li>
                ))}
              </ul>
            )}
            <History />
            <SourceTable sources={found.sources} />
            <Checked components={found.components} />
          </>
        )}
      </div>
    </div>
  );
}

/** A problem, and its remedy: a command to copy, and a button where the page can do it. */
function ProblemRow({ component: { component, severity, message, remedy } }: { component: Component }) {
  const running = jobs.value["@"];
  const isRunning = running !== undefined && !isOver(running);
  return (
    <li>
      <Icon name={severity === "fail" ? "close" : "warning"} />
      <div>
        <p>
          <b>{words.components[component] ?? component}.</b> {message}
        </p>
        {COMMAND.test(remedy) ? (
          <p class="remedy">
            <span class="quiet">{words.terminal}</span> <Command line={remedy} />
          </p>
        ) : (
          remedy && <p class="quiet">{remedy}</p>
        )}
      </div>
      {REINDEX.test(remedy) && (
        <button type="button" class="button" disabled={isRunning} onClick={() => void reindexSource("")}>
          {isRunning ? words.sources.running(running.percent_complete) : words.reindex}
        </button>
      )}
    </li>
  );
}

/** All that was checked, also what is well. */
function Checked({ components }: { components: readonly Component[] }) {
  return (
    <details class="panel">
      <summary class="panel-line">{words.checked}</summary>
      <dl class="checked-list">
        {components.map(({ component, severity, message }) => (
          <div key={component}>
            <dt>
              <Icon name={severity === "pass" ? "check" : "warning"} />{" "}
              {words.components[component] ?? component}
            </dt>
            <dd>{message}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
