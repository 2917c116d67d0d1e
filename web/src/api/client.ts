/** The server's routes. Every failure is a `Problem`; nothing else is thrown. */
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Source = Schemas["SourceInfo"];
export type Reply = Schemas["AskResponse"];
export type Citation = Schemas["CitationInfo"];
export type Statement = Schemas["StatementInfo"];
export type Nearest = Schemas["NearestInfo"];
export type DocumentText = Schemas["DocumentText"];
export type DocumentInfo = Schemas["DocumentInfo"];
export type DocumentList = Schemas["DocumentList"];
export type Selection = Schemas["SelectionInfo"];
export type PrintedPage = Schemas["PrintedPage"];
export type Me = Schemas["Me"];
export type Conversation = Schemas["ConversationInfo"];
export type ConversationTurns = Schemas["ConversationTurns"];
export type Collection = Schemas["CollectionInfo"];
export type Upload = Schemas["UploadInfo"];
export type Rules = Schemas["Rules"];
export type CheckedRules = Schemas["CheckedRules"];
export type RuleRow = Schemas["RuleRow"];
export type Position = Schemas["Position"];
export type Health = Schemas["Health"];
export type Component = Schemas["Component"];
export type SourceHealth = Schemas["SourceHealth"];
export type HealthHistory = Schemas["History"];
export type Job = Schemas["JobInfo"];

/** What a server says of an error (RFC 9457), or what the page says where there is no server. */
export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly detail: string,
    readonly hint: string,
    readonly status: number,
    readonly retryAfterS = 0,
    /** All that the server says. */
    readonly said: Readonly<Record<string, unknown>> = {},
  ) {
    super(detail);
  }

  /** Whether the server did not answer at all. */
  get isOffline(): boolean {
    return this.code === OFFLINE;
  }
}

export const OFFLINE = "OFFLINE";

/** Of pictures of pages, in pixels: enough for the pane on a screen with two pixels to the point. */
const PICTURE_WIDTH = 1400;

let base = new URL(".", document.baseURI);
let credentials: RequestCredentials = "same-origin";
let authorization = "";

/** Ask another server than the one of this page, with a key and without cookies. */
export function askWith(server: URL, key: string): void {
  base = server;
  credentials = "omit";
  authorization = `Bearer ${key}`;
}

/** The URL of a route, also where the page lies below a path. */
export function urlOf(path: string): URL {
  return new URL(path.replace(/^\//, ""), base);
}

/** Ask the server; the response is a good one.
 * @throws {Problem} It is not, or there is none.
 */
export async function request(path: string, options: RequestInit = {}): Promise<Response> {
  let response: Response;
  try {
    const headers = new Headers(options.headers);
    if (authorization) headers.set("Authorization", authorization);
    response = await fetch(urlOf(path), { credentials, ...options, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Problem(OFFLINE, "", "", 0);
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<Problem> {
  const retryAfterS = Number(response.headers.get("Retry-After") ?? 0) || 0;
  try {
    const data: unknown = await response.json();
    return problemFrom(data, response.status, retryAfterS);
  } catch {
    return new Problem(
      "UNREADABLE",
      `${response.status} ${response.statusText}`,
      "",
      response.status,
      retryAfterS,
    );
  }
}

/** A problem as the server sends it, also in an event `error`. */
export function problemFrom(data: unknown, status = 0, retryAfterS = 0): Problem {
  const said = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  const text = (name: string) => (typeof said[name] === "string" ? said[name] : "");
  return new Problem(text("code") || "UNREADABLE", text("detail"), text("hint"), status, retryAfterS, said);
}

/** What went wrong, and what to do about it, in words. */
export function inWords(error: unknown, offline: string): string {
  if (!(error instanceof Problem)) return String(error);
  return error.isOffline ? offline : [error.detail, error.hint].filter(Boolean).join(" ");
}

/** The options of a request with a body. */
export function sending(method: string, data: unknown): RequestInit {
  return { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) };
}

export async function json<T>(path: string, options?: RequestInit): Promise<T> {
  return (await (await request(path, options)).json()) as T;
}

export async function sources(): Promise<Source[]> {
  return (await json<Schemas["SourceList"]>("/api/sources")).sources;
}

export function me(): Promise<Me> {
  return json<Me>("/api/me");
}

function pathOf(source: string, id: string): string {
  return `/api/sources/${encodeURIComponent(source)}/documents/${encodeURIComponent(id)}`;
}

/** The page of a PDF that a stretch of its text is on, and what the stretch covers there. */
export function printed(source: string, id: string, start: number, end: number): Promise<PrintedPage> {
  return json<PrintedPage>(`${pathOf(source, id)}/pages?start=${start}&end=${end}`);
}

/** Where the picture of a PDF's page is. */
export function pictureOf(source: string, id: string, page: number): string {
  return urlOf(`${pathOf(source, id)}/pages/${page}?width=${PICTURE_WIDTH}`).href;
}

/** Where the file of a document is downloaded. */
export function originalOf(source: string, id: string): string {
  return urlOf(`${pathOf(source, id)}/original`).href;
}

/** The documents of a source, or those that have some words in their names, titles or lines. */
export function documents(source: string, words: string, skip: number, limit: number): Promise<DocumentList> {
  const query = new URLSearchParams({ q: words, skip: String(skip), limit: String(limit) });
  return json<DocumentList>(`/api/sources/${encodeURIComponent(source)}/documents?${query.toString()}`);
}

/** A document, or the lines of it around a stretch, in code points. */
export function documentText(
  source: string,
  id: string,
  start?: number,
  end?: number,
): Promise<DocumentText> {
  const query = new URLSearchParams();
  if (start !== undefined) query.set("start", String(start));
  if (end !== undefined) query.set("end", String(end));
  return json<DocumentText>(`${pathOf(source, id)}?${query.toString()}`);
}
