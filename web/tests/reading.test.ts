import { describe, expect, it } from "vitest";
import { EventParser } from "../src/api/events";
import { isCopied } from "../src/text/copied";
import { CodePoints } from "../src/text/codepoints";
import { cells } from "../src/pane/marked";

describe("code points", () => {
  const samples = ["plain", "", "a😀b", "😀😀", "e\u0301 ẞ 😀 \u{10ffff}!", "\ud800 alone", "x\udc00y"];

  it.each(samples)("slices %j as Python does", (text) => {
    const points = Array.from(text);
    const made = new CodePoints(text);
    expect(made.length).toBe(points.length);
    for (let start = 0; start <= points.length; start++) {
      for (let end = start; end <= points.length; end++) {
        expect(made.slice(start, end)).toBe(points.slice(start, end).join(""));
      }
    }
  });
});

describe("events", () => {
  const stream =
    'event: token\ndata: {"text": "a\\n\\nb"}\n\n: still there\n\nevent: final\r\ndata: {}\r\n\r\n';

  it("are the same in whatever pieces they arrive", () => {
    for (let size = 1; size <= stream.length; size++) {
      const parser = new EventParser();
      const found = [];
      for (let at = 0; at < stream.length; at += size)
        found.push(...parser.push(stream.slice(at, at + size)));
      expect(found).toEqual([
        { name: "token", data: { text: "a\n\nb" } },
        { name: "final", data: {} },
      ]);
    }
  });

  it("leave out what is not JSON, and what is not ended", () => {
    const parser = new EventParser();
    expect(parser.push("event: token\ndata: {\n\nevent: final\ndata: {}")).toEqual([]);
  });
});

describe("a copied sentence", () => {
  it("is in its quote, line breaks aside", () => {
    expect(isCopied("output the last part", ["tail - output the\nlast part of files"])).toBe(true);
    expect(isCopied("outputs the last part", ["tail - output the last part of files"])).toBe(false);
    expect(isCopied("anything", [])).toBe(false);
    expect(isCopied("", ["anything"])).toBe(false);
  });

  it("may be a table row: each cell, and the name of its column", () => {
    expect(isCopied("Port: 8765; Host: loopback", ["Port Host", "8765 loopback"])).toBe(true);
    expect(isCopied("Port: 9999", ["Port Host", "8765 loopback"])).toBe(false);
  });
});

describe("rows of tables", () => {
  it("are cells whose text is that of the row", () => {
    const row = [
      { text: "Part | Pr", mark: "" },
      { text: "ice | 20 | g", mark: "now" },
    ] as const;
    const found = cells(row);
    expect(found.map((cell) => cell.map(({ text }) => text))).toEqual([
      ["Part", " | "],
      ["Pr", "ice", " | "],
      ["20", " | "],
      ["g"],
    ]);
    expect(
      found
        .flat()
        .map(({ text }) => text)
        .join(""),
    ).toBe("Part | Price | 20 | g");
  });
});
