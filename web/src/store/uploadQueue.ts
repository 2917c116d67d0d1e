/** Files on their way into a collection: sent in batches, one after the other, each with what became of it. */
import { signal } from "@preact/signals";
import { inWords, json, Problem, type Job, type Upload } from "../api/client";
import { loadUploads, pathOf } from "./collections";
import { follow } from "./jobs";
import { text } from "../text/en";

const BATCH_FILES = 200;
const BATCH_BYTES = 16 << 20;
const LONGEST_WAIT_S = 30;

export interface Sent {
  readonly id: number;
  readonly collection: string;
  /** The name that it gets, with its folders. */
  readonly name: string;
  readonly state: "waiting" | "sending" | "stored" | "replaced" | "refused";
  /** Why it was refused. */
  readonly fault: string;
  /** Whether it is a file of a zip, which counts as one. */
  readonly isInside: boolean;
}

export interface Named {
  readonly name: string;
  readonly file: File;
}

interface Taken {
  readonly documents: readonly Upload[];
  readonly replaced: readonly Upload[];
  readonly refused: readonly Fault[];
  readonly job: Job;
}

interface Fault {
  readonly name: string;
  readonly message: string;
  readonly hint: string;
}

export const sent = signal<readonly Sent[]>([]);

const waiting: { id: number; collection: string; named: Named }[] = [];
let last = 0;
let isSending = false;

/** Put files at the end of those that wait. */
export function send(collection: string, files: readonly Named[]): void {
  const added = files.map((named) => ({ id: ++last, collection, named }));
  waiting.push(...added);
  sent.value = [
    ...sent.value,
    ...added.map(({ id, named }): Sent => ({
      id,
      collection,
      name: named.name,
      state: "waiting",
      fault: "",
      isInside: false,
    })),
  ];
  if (!isSending) void run();
}

/** Take back the files that have not been sent yet. */
export function stopSending(collection: string): void {
  const isWaiting = new Set(waiting.filter((item) => item.collection === collection).map(({ id }) => id));
  waiting.splice(0, waiting.length, ...waiting.filter((item) => item.collection !== collection));
  sent.value = sent.value.filter((row) => !isWaiting.has(row.id));
}

/** Take rows off the list. */
export function clear(collection: string, id?: number): void {
  sent.value = sent.value.filter((row) =>
    id === undefined
      ? row.collection !== collection || row.state === "waiting" || row.state === "sending"
      : row.id !== id,
  );
}

async function run(): Promise<void> {
  isSending = true;
  while (waiting.length) {
    const batch = nextBatch();
    const collection = batch[0]?.collection ?? "";
    const ids = new Set(batch.map(({ id }) => id));
    mark(ids, () => ({ state: "sending" }));
    try {
      const taken = await hand(
        collection,
        batch.map(({ named }) => named),
      );
      report(ids, taken.refused, taken.replaced, batch);
      void follow(taken.job.id);
    } catch (error) {
      const faults = faultsOf(error, batch);
      report(ids, faults, [], batch, words(faults[0] ?? { name: "", message: String(error), hint: "" }));
    }
    // the list of thousands of files is not fetched again for every hundred of them
    const isLast = waiting[0]?.collection !== collection;
    if (isLast || waiting.length < BATCH_FILES) await loadUploads(collection).catch(() => null);
  }
  isSending = false;
}

/** Files of one collection, as many as fit in one request. */
function nextBatch(): typeof waiting {
  let bytes = 0;
  let count = 0;
  const collection = waiting[0]?.collection;
  for (const { collection: of, named } of waiting) {
    bytes += named.file.size;
    if (of !== collection || count === BATCH_FILES || (count > 0 && bytes > BATCH_BYTES)) break;
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Send files; a server that has too much to do is asked again. */
async function hand(collection: string, files: readonly Named[]): Promise<Taken> {
  for (;;) {
    const body = new FormData();
    for (const { name, file } of files) body.append("file", file, name);
    try {
      return await json<Taken>(`${pathOf(collection)}/documents`, { method: "POST", body });
    } catch (error) {
      if (!(error instanceof Problem) || (error.status !== 429 && error.status !== 503)) throw error;
      await new Promise((resolve) =>
        setTimeout(resolve, 1000 * Math.min(error.retryAfterS || 1, LONGEST_WAIT_S)),
      );
    }
  }
}

/** What a refused request says of each file. */
function faultsOf(error: unknown, batch: typeof waiting): Fault[] {
  const said = error instanceof Problem ? error.said.refused : null;
  if (Array.isArray(said)) return said as Fault[];
  const message = inWords(error, text.answer.notReached);
  return batch.map(({ named }) => ({ name: named.name, message, hint: "" }));
}

/** Note what became of files. A zip has the faults of the files in it; where all was refused, so was the zip. */
function report(
  ids: ReadonlySet<number>,
  refused: readonly Fault[],
  replaced: readonly Upload[],
  batch: typeof waiting,
  otherwise = "",
): void {
  const faults = new Map(refused.map((fault) => [fault.name, words(fault)]));
  const old = new Set(replaced.map(({ name }) => name));
  mark(ids, (row) => {
    const fault = faults.get(row.name);
    faults.delete(row.name);
    if (fault !== undefined || otherwise) return { state: "refused", fault: fault ?? otherwise };
    return { state: old.has(row.name) ? "replaced" : "stored" };
  });
  const collection = batch[0]?.collection ?? "";
  const inside = [...faults].map(([name, fault]): Sent => ({
    id: ++last,
    collection,
    name,
    state: "refused",
    fault,
    isInside: true,
  }));
  if (inside.length) sent.value = [...sent.value, ...inside];
}

function words({ message, hint }: Fault): string {
  return [message, hint].filter(Boolean).join(" ");
}

function mark(ids: ReadonlySet<number>, change: (row: Sent) => Partial<Sent>): void {
  sent.value = sent.value.map((row) => (ids.has(row.id) ? { ...row, ...change(row) } : row));
}
