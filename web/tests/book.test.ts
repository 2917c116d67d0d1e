import { describe, expect, it } from "vitest";
import { blockAt, rangeOf, spanOf } from "../src/book/places";
import type { Loaded } from "../src/store/proof";
import { hashOf, viewOf } from "../src/store/current";
import { CodePoints } from "../src/text/codepoints";
import { grown, measured, shrunk, trimmed } from "../src/text/sentences";

const ID = `notes:${"a1".repeat(32)}`;
const TEXT = "Moorings 😀\nOur berth is 41 😀. It is on the east pier.\nThe end.";
/** A window that begins at code point 100 of its document. */
const STRETCH = { start: 100, end: 100 + new CodePoints(TEXT).length, points: new CodePoints(TEXT) };

function span(words: string) {
  const start = 100 + new CodePoints(TEXT.slice(0, TEXT.indexOf(words))).length;
  return { start, end: start + new CodePoints(words).length };
}

function textOf({ start, end }: { start: number; end: number }): string {
  return STRETCH.points.slice(start - 100, end - 100);
}

describe("an address", () => {
  it.each([
    ["#", { kind: "ask", conversation: null }],
    [`#c/${"0f".repeat(16)}`, { kind: "ask", conversation: "0f".repeat(16) }],
    ["#d", { kind: "documents", source: "" }],
    ["#d/man-pages", { kind: "documents", source: "man-pages" }],
    [`#d/notes/${ID}`, { kind: "book", source: "notes", document: ID, span: null }],
    [`#d/notes/${ID}/5-12`, { kind: "book", source: "notes", document: ID, span: { start: 5, end: 12 } }],
  ] as const)("names a view: %s", (hash, view) => {
    expect(viewOf(hash)).toEqual(view);
    expect(hashOf(view)).toBe(hash);
  });

  it.each(["", "#zork", "#c/0", "#d/../x", "#d/notes/notes:00", "#d/notes/<img>"])(
    "that names nothing is a new question: %s",
    (hash) => {
      expect(viewOf(hash)).toEqual({ kind: "ask", conversation: null });
    },
  );

  it("selects nothing where its offsets are none", () => {
    expect(viewOf(`#d/notes/${ID}/12-5`)).toMatchObject({ span: null });
  });
});

describe("a selection", () => {
  it("is measured in sentences and words", () => {
    expect(measured("One two. Three!\n• four")).toEqual({ sentences: 3, words: 4 });
    expect(measured("— …")).toEqual({ sentences: 0, words: 0 });
  });

  it("has no white space at its ends", () => {
    const wide = { start: span("Moorings").start + 8, end: span("It is").start };
    expect(textOf(wide)).toBe(" 😀\nOur berth is 41 😀. ");
    expect(textOf(trimmed(STRETCH, wide) ?? wide)).toBe("😀\nOur berth is 41 😀.");
    expect(trimmed(STRETCH, { start: 110, end: 111 })).toBeNull();
  });

  it("grows and shrinks by sentences", () => {
    const first = span("Our berth is 41 😀.");
    const both = grown(STRETCH, first, 100);
    expect(textOf(both)).toBe("Our berth is 41 😀. It is on the east pier.");
    expect(shrunk(STRETCH, both)).toEqual(first);
    expect(shrunk(STRETCH, first)).toEqual(first);
    const all = grown(STRETCH, both, 100);
    expect(grown(STRETCH, all, 100)).toEqual(all);
  });
});

describe("a place in the page", () => {
  const blocks: [string, number, number][] = [
    ["heading", span("Moorings 😀").start, span("Moorings 😀").end],
    ["paragraph", span("Our berth").start, span("east pier.").end],
    ["paragraph", span("The end.").start, span("The end.").end],
  ];
  const loaded = { ...STRETCH, blocks } as unknown as Loaded;
  const root = document.createElement("div");
  const mark = document.createElement("mark");
  mark.append("41 😀");
  for (const pieces of [
    ["Moorings 😀"],
    ["Our berth is ", mark, ". It is on the east pier."],
    ["The end."],
  ]) {
    const block = document.createElement("div");
    block.append(...pieces);
    root.append(block);
  }
  document.body.append(root);

  it.each(["Our berth", "41 😀. It", "😀", "east pier.\nThe end.", "Moorings 😀\nOur"])(
    "is an offset, and back: %s",
    (words) => {
      const range = rangeOf(span(words), root, loaded);
      expect(range?.toString()).toBe(words.replace("\n", ""));
      expect(range && spanOf(range, root, loaded)).toEqual(span(words));
    },
  );

  it("is found by its block", () => {
    expect(blockAt(99, loaded)).toBe(0);
    expect(blockAt(span("berth").start, loaded)).toBe(1);
    expect(blockAt(10_000, loaded)).toBe(2);
  });

  it("outside of the document is none", () => {
    const other = document.createElement("p");
    other.textContent = "before";
    document.body.prepend(other);
    const range = document.createRange();
    range.selectNodeContents(other);
    expect(spanOf(range, root, loaded)).toBeNull();
    expect(rangeOf({ start: 3, end: 5 }, root, loaded)).toBeNull();
  });
});
