import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { inWords, urlOf, type Collection, type Job } from "../api/client";
import { changeProblem, loadUploads, pathOf, removeCollection } from "../store/collections";
import { go, hashOf } from "../store/current";
import { cancel, isOver, jobs, reindex } from "../store/jobs";
import { Icon } from "../parts/Icon";
import { words } from "../text/collections";
import { text } from "../text/en";
import { Files } from "./Files";
import { SettingsDialog } from "./SettingsDialog";
import { SharingDialog } from "./SharingDialog";
import { Thresholds } from "./Thresholds";

/** One collection: what it is, its files, and its thresholds. */
export function Detail({ collection }: { collection: Collection }) {
  const { name, may_change: mayChange } = collection;
  const isChanged = useSignal(false);
  const isShared = useSignal(false);
  useEffect(() => {
    changeProblem.value = null;
    loadUploads(name).catch((error: unknown) => (changeProblem.value = error));
  }, [name]);
  const tried = (work: Promise<unknown>) => {
    changeProblem.value = null;
    work.catch((error: unknown) => (changeProblem.value = error));
  };
  const embedded = collection.embedded;
  const job = jobs.value[name];
  const why = mayChange ? undefined : words.readOnly;
  return (
    <>
      <header class="manage-head">
        <div>
          <h2>{name}</h2>
          <p class="quiet">
            {[collection.description, words.documents(collection.documents)].filter(Boolean).join(" · ")}
            {embedded && embedded.passages < embedded.total && (
              <> · {words.embedding(embedded.passages, embedded.total)}</>
            )}
          </p>
        </div>
        <div class="manage-actions">
          <button
            type="button"
            class="button"
            disabled={!mayChange}
            title={why}
            onClick={() => (isShared.value = true)}
          >
            {words.sharing.button(collection.shared_with)}
          </button>
          <button
            type="button"
            class="button"
            disabled={!mayChange}
            title={why}
            onClick={() => (isChanged.value = true)}
          >
            {words.settings}
          </button>
          <button
            type="button"
            class="button"
            disabled={!mayChange || (job && !isOver(job))}
            title={why}
            onClick={() => tried(reindex(name))}
          >
            <Icon name="again" /> {words.reindex}
          </button>
        </div>
      </header>
      {!mayChange && <p class="note">{words.readOnly}</p>}
      {changeProblem.value !== null && (
        <p class="note bad" role="alert">
          {inWords(changeProblem.value, text.answer.notReached)}
        </p>
      )}
      <JobLine job={job} onGoOn={() => tried(reindex(name))} />
      <Files collection={collection} />
      <Thresholds collection={collection} />
      <p class="manage-foot">
        {collection.documents > 0 && (
          <a class="button plain" href={hashOf({ kind: "documents", source: name })}>
            {words.read}
          </a>
        )}
        <a class="button plain" href={urlOf(`${pathOf(name)}/export`).href} download={`${name}.zip`}>
          {words.export}
        </a>
        <button
          type="button"
          class="button plain"
          disabled={!mayChange}
          title={why}
          onClick={() => {
            removeCollection(name);
            go({ kind: "collections", name: "" });
          }}
        >
          {words.remove}
        </button>
      </p>
      <SettingsDialog isOpen={isChanged} collection={collection} />
      <SharingDialog isOpen={isShared} collection={collection} />
    </>
  );
}

/** What the latest job does, or how it ended. */
function JobLine({ job, onGoOn }: { job: Job | undefined; onGoOn: () => void }) {
  const said = words.job;
  if (!job) return null;
  if (!isOver(job)) {
    return (
      <div class="note job" role="status">
        <span>
          {job.state === "queued" ? said.queued : said.running(job.documents, job.percent_complete)}
        </span>
        <span
          class="bar"
          role="progressbar"
          aria-label={words.reindex}
          aria-valuenow={Math.floor(job.percent_complete)}
        >
          <span style={{ width: `${job.percent_complete}%` }} />
        </span>
        <button type="button" class="button small" onClick={() => void cancel(job)}>
          {said.stop}
        </button>
      </div>
    );
  }
  if (job.state === "succeeded") {
    return (
      <p class="quiet" role="status">
        {said.succeeded(job.message)}
      </p>
    );
  }
  return (
    <div class="note warn job" role="status">
      <Icon name="warning" />
      <span>{job.state === "failed" ? said.failed(job.message) : said.cancelled}</span>
      <button type="button" class="button small" onClick={onGoOn}>
        {said.goOn}
      </button>
    </div>
  );
}
