/** The collections of a person, and the documents of the one that is looked after. */
import { signal } from "@preact/signals";
import { json, Problem, request, sending, type Collection, type Upload } from "../api/client";
import { newest } from "./newest";
import { loadSources } from "./sources";
import { removeLater } from "./removal";

const PATH = "/api/collections";

export interface Settings {
  readonly description: string;
  readonly prompt: string | null;
  readonly max_tokens: number | null;
  readonly model: string | null;
}

export const collections = signal<readonly Collection[] | null>(null);
export const collectionsProblem = signal<Problem | null>(null);

/** The uploaded documents of a collection, and which it is. */
export const uploads = signal<{ readonly of: string; readonly list: readonly Upload[] } | null>(null);

/** What went wrong with the latest change; it stays until the next one. */
export const changeProblem = signal<unknown>(null);

/** Names of collections and ids of documents that go in a moment. */
const going = new Set<string>();

const loads = newest();
const looks = newest();

export async function loadCollections(): Promise<void> {
  const isNewest = loads();
  try {
    const found = (await json<{ collections: Collection[] }>(PATH)).collections;
    if (!isNewest()) return;
    collections.value = found.filter((collection) => !going.has(collection.name));
    collectionsProblem.value = null;
  } catch (error) {
    if (!isNewest()) return;
    collectionsProblem.value =
      error instanceof Problem ? error : new Problem("UNREADABLE", String(error), "", 0);
  }
}

export async function loadUploads(name: string): Promise<void> {
  const isNewest = looks();
  const found = await json<{ documents: Upload[] }>(`${pathOf(name)}/documents`);
  if (!isNewest()) return;
  uploads.value = { of: name, list: found.documents.filter((upload) => !going.has(upload.id)) };
}

/** Fetch what a change of the documents has changed. */
export async function loadChanged(name: string): Promise<void> {
  await Promise.all([
    loadCollections(),
    loadSources(),
    uploads.value?.of === name ? loadUploads(name).catch(() => null) : null,
  ]);
}

export function pathOf(name: string): string {
  return `${PATH}/${encodeURIComponent(name)}`;
}

/** Create a collection.
 * @throws {Problem} It was refused.
 */
export async function create(name: string, settings: Settings): Promise<void> {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
  await request(PATH, sending("POST", { name, ...given }));
  await loadCollections();
}

/** Change the settings of a collection.
 * @throws {Problem} It was refused.
 */
export async function change(name: string, changes: Record<string, unknown>): Promise<void> {
  await request(pathOf(name), sending("PATCH", changes));
  await loadCollections();
}

/** Give a document another name.
 * @throws {Problem} It was refused.
 */
export async function renameUpload(name: string, upload: Upload, to: string): Promise<string> {
  const path = `${pathOf(name)}/documents/${upload.id}`;
  const renamed = await json<{ job: { id: string } }>(path, sending("PATCH", { name: to }));
  await loadUploads(name);
  return renamed.job.id;
}

/** Take a collection out of the list, and delete it when there was time to undo that. */
export function removeCollection(name: string): void {
  later(name, name, pathOf(name), () => loadChanged(name));
  collections.value = collections.value?.filter((collection) => collection.name !== name) ?? null;
}

/** Take a document out of the list, and delete it when there was time to undo that. */
export function removeUpload(name: string, upload: Upload, whenGone: (job: string) => void): void {
  later(
    upload.id,
    upload.name,
    `${pathOf(name)}/documents/${upload.id}`,
    () => loadUploads(name),
    (response) => void response.json().then(({ id }: { id: string }) => whenGone(id)),
  );
  if (uploads.value?.of === name) {
    uploads.value = { of: name, list: uploads.value.list.filter((other) => other.id !== upload.id) };
  }
}

function later(
  id: string,
  title: string,
  path: string,
  load: () => Promise<void>,
  whenGone: (response: Response) => void = () => undefined,
): void {
  const show = () => {
    going.delete(id);
    void load().catch(() => null);
  };
  removeLater({
    title,
    undo: show,
    commit: () => {
      request(path, { method: "DELETE", keepalive: true })
        .then(whenGone)
        .catch((error: unknown) => (changeProblem.value = error))
        .finally(show);
    },
  });
  going.add(id);
}
