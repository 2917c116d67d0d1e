import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Collection, Upload } from "../api/client";
import { changeProblem, removeUpload, renameUpload, uploads } from "../store/collections";
import { follow } from "../store/jobs";
import { clear, send, sent, stopSending, type Sent } from "../store/uploadQueue";
import { Icon } from "../parts/Icon";
import { VirtualList } from "../parts/VirtualList";
import { words } from "../text/collections";
import { chosen, filesOf } from "./droppedFiles";

const said = words.files;
const ROW_PX = 44;
/** More files on their way are one row, and only their faults are listed. */
const MOST_ROWS = 8;
const MOST_FAULTS = 50;
const SEARCH_FROM = 20;

/** The files of a collection: dropped or chosen here, on their way, and stored. */
export function Files({ collection }: { collection: Collection }) {
  const list = uploads.value?.of === collection.name ? uploads.value.list : null;
  const stored = (list ?? []).reduce((sum, upload) => sum + upload.documents, 0);
  const outside = collection.documents - stored;
  const isIndexed = !sent.value.some((row) => row.collection === collection.name);
  return (
    <section class="panel" aria-labelledby="files-title">
      <h3 id="files-title" class="hidden">
        {said.title}
      </h3>
      {collection.may_change && <Drop name={collection.name} isEmpty={list?.length === 0} />}
      <OnTheirWay name={collection.name} />
      {list && list.length > 0 && <Stored collection={collection} list={list} />}
      {list && outside > 0 && isIndexed && <p class="panel-line quiet">{said.outside(outside)}</p>}
    </section>
  );
}

/** Not in Preact's types of attributes. */
const WHOLE_FOLDER = { webkitdirectory: true };

/** Where files are dropped, or chosen. */
function Drop({ name, isEmpty }: { name: string; isEmpty: boolean }) {
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  const take = (event: Event & { currentTarget: HTMLInputElement }) => {
    const field = event.currentTarget;
    if (field.files) send(name, chosen(field.files));
    field.value = "";
  };
  return (
    <div
      class={`drop${isEmpty ? " empty" : ""}${isOver.value ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        if (event.dataTransfer) {
          filesOf(event.dataTransfer)
            .then((found) => send(name, found))
            .catch((error: unknown) => (changeProblem.value = error));
        }
      }}
    >
      <Icon name="upload" />
      <p>
        {isOver.value ? (
          said.letGo
        ) : (
          <>
            {said.drop}{" "}
            <button type="button" class="link" onClick={() => files.current?.click()}>
              {said.choose}
            </button>{" "}
            {said.or}{" "}
            <button type="button" class="link" onClick={() => folder.current?.click()}>
              {said.chooseFolder}
            </button>
            . {said.replaces}
            {isEmpty && <span class="kinds">{said.kinds}</span>}
          </>
        )}
      </p>
      <input ref={files} type="file" multiple hidden onChange={take} />
      <input ref={folder} type="file" multiple hidden onChange={take} {...WHOLE_FOLDER} />
    </div>
  );
}

/** The files that were dropped since the page was opened, with what became of each. */
function OnTheirWay({ name }: { name: string }) {
  const rows = sent.value.filter((row) => row.collection === name);
  if (!rows.length) return null;
  const files = rows.filter((row) => !row.isInside);
  const done = files.filter((row) => row.state !== "waiting" && row.state !== "sending").length;
  const faults = rows.filter((row) => row.state === "refused");
  const isMany = rows.length > MOST_ROWS;
  const shown = isMany ? faults.slice(0, MOST_FAULTS) : rows;
  return (
    <div class="on-their-way">
      <p class="panel-line" role="status">
        {done < files.length && (
          <span class="bar" aria-hidden="true">
            <span style={{ width: `${(100 * done) / files.length}%` }} />
          </span>
        )}
        <span>
          {said.progress(done, files.length)}
          {faults.length > 0 && <b class="bad-text">, {said.faults(faults.length)}</b>}
        </span>
        <span class="spread" />
        {done < files.length ? (
          <button type="button" class="button plain small" onClick={() => stopSending(name)}>
            {said.stop}
          </button>
        ) : (
          <button type="button" class="button plain small" onClick={() => clear(name)}>
            {said.clear}
          </button>
        )}
      </p>
      {shown.length > 0 && (
        <ul class="rows">
          {shown.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </ul>
      )}
      {isMany && faults.length > MOST_FAULTS && (
        <p class="panel-line quiet">{said.moreFaults(faults.length - MOST_FAULTS)}</p>
      )}
    </div>
  );
}

function Row({ row }: { row: Sent }) {
  const isDone = row.state === "stored" || row.state === "replaced";
  const isRefused = row.state === "refused";
  return (
    <li>
      <div class={`file-row${isRefused ? " refused" : ""}`}>
        <Icon name={isRefused ? "warning" : isDone ? "check" : "file"} />
        <span class="file-name">{row.name}</span>
        <span class="file-state">{isRefused ? row.fault : said.states[row.state]}</span>
        {(isDone || isRefused) && (
          <button
            type="button"
            class="button plain square small"
            aria-label={said.dismiss(row.name)}
            onClick={() => clear(row.collection, row.id)}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
    </li>
  );
}

/** All files of the collection, found by name, renamed and deleted. */
function Stored({ collection, list }: { collection: Collection; list: readonly Upload[] }) {
  const search = useSignal("");
  const renamed = useSignal("");
  const wanted = search.value.trim().toLowerCase();
  const found = wanted ? list.filter(({ name }) => name.toLowerCase().includes(wanted)) : list;
  return (
    <>
      <p class="panel-line">
        <span role="status">{wanted ? said.found(found.length, list.length) : said.count(list.length)}</span>
        <span class="spread" />
        {list.length >= SEARCH_FROM && (
          <input
            type="search"
            aria-label={said.search}
            placeholder={said.search}
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
        )}
      </p>
      <VirtualList items={found} rowPx={ROW_PX} label={said.title} keyOf={({ id }) => id}>
        {(upload) => (
          <div class="file-row">
            <Icon name="file" />
            {renamed.value === upload.id ? (
              <NewName
                upload={upload}
                onEnd={(name) => {
                  renamed.value = "";
                  if (!name || name === upload.name) return;
                  changeProblem.value = null;
                  renameUpload(collection.name, upload, name)
                    .then((job) => follow(job))
                    .catch((error: unknown) => (changeProblem.value = error));
                }}
              />
            ) : (
              <span class="file-name">{upload.name}</span>
            )}
            <span class="file-state">
              {[said.size(upload.size_bytes), upload.documents > 1 && said.records(upload.documents)]
                .filter(Boolean)
                .join(", ")}
            </span>
            {collection.may_change && (
              <>
                <button
                  type="button"
                  class="button plain square small"
                  aria-label={words.renameFile(upload.name)}
                  onClick={() => (renamed.value = upload.id)}
                >
                  <Icon name="pencil" />
                </button>
                <button
                  type="button"
                  class="button plain square small"
                  aria-label={words.removeFile(upload.name)}
                  onClick={() => removeUpload(collection.name, upload, (job) => void follow(job))}
                >
                  <Icon name="close" />
                </button>
              </>
            )}
          </div>
        )}
      </VirtualList>
    </>
  );
}

function NewName({ upload, onEnd }: { upload: Upload; onEnd: (name: string) => void }) {
  const hasEnded = useRef(false);
  const end = (name: string) => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    onEnd(name.trim());
  };
  return (
    <input
      type="text"
      class="file-name"
      aria-label={said.newName}
      defaultValue={upload.name}
      maxLength={200}
      ref={(field) => {
        if (field && document.activeElement !== field) field.focus();
      }}
      onBlur={(event) => end(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") end(event.currentTarget.value);
        if (event.key === "Escape") end("");
        if (event.key === "Enter" || event.key === "Escape") event.preventDefault();
      }}
    />
  );
}
