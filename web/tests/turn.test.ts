import { describe, expect, it } from "vitest";
import type { Citation, Reply } from "../src/api/client";
import { asMarkdown, written } from "../src/ask/copyWith";
import { commandFor } from "../src/ask/ReadOn";
import { without } from "../src/ask/Refusal";
import { markedBlocks } from "../src/pane/marked";
import { laidOut, numberOf } from "../src/store/layout";
import { equals, type Loaded } from "../src/store/proof";
import { EVERYTHING, newTurn, reduce, restoredTurn, stopped, type Turn } from "../src/store/turn";
import { CodePoints } from "../src/text/codepoints";

const citation = (document: string, quote: string, start = 0): Citation => ({
  number: 1,
  source: "man-pages",
  alias: "man-pages",
  document,
  document_ref: document,
  location: document,
  start,
  end: start + quote.length,
  quote,
});

const CITED = [
  citation("tail(1)", "tail - output the last part of files"),
  citation("less(1)", "less - opposite of more"),
  citation("tail(1)", "tail -f app.log", 50),
  citation("tail(1)", "-f\noutput appended data", 90),
];

const REPLY = {
  summary: [
    { text: "tail - output the last part of files", command: "", citations: [0] },
    { text: "less - opposite of more", command: "", citations: [1] },
  ],
  steps: [
    { text: "", command: "tail -f app.log", citations: [2] },
    { text: "output appended data", command: "-f", citations: [3] },
  ],
  citations: CITED,
} as unknown as Reply;

const token = (part: string, at: number, text: string, command = "") => ({
  name: "token",
  data: { text: "…", part, sentence: text, command, citations: [at] },
});

const events = [
  { name: "retrieval", data: { sources: [] } },
  token("steps", 2, "", "tail -f app.log"),
  { name: "citation", data: CITED[2] },
  token("summary", 0, "tail - output the last part of files"),
  { name: "final", data: REPLY },
];

const RULED = [
  { name: "retrieval", data: { routing: {} } },
  { name: "token", data: { text: "Hold it for " } },
  { name: "token", data: { text: "seven seconds. [1][2]" } },
  { name: "citation", data: CITED[0] },
  { name: "citation", data: CITED[1] },
  { name: "token", data: { text: " Then let go. [1]" } },
  { name: "citation", data: CITED[2] },
];

const asked = () => newTurn("t", "How?", EVERYTHING);
const after = (turn: Turn, list = events) => list.reduce(reduce, turn);

describe("a turn", () => {
  it("by rules takes words as they come, and what they rest on behind them", () => {
    const turn = after(asked(), RULED as typeof events);
    expect(turn.parts).toMatchObject([
      { text: "Hold it for seven seconds.", citations: [0, 1] },
      { text: "Then let go.", citations: [2] },
    ]);
    const routing = { rule: 2, rag_result: "match" };
    const reply = { ...REPLY, routing, confidence: null } as Reply;
    const done = reduce(turn, { name: "final", data: { response: "…", session: "s", reply } });
    expect(done).toMatchObject({ phase: "done", number: 0, reply: { conversation: "s", routing } });
    expect(restoredTurn("r", "How?", reply, { number: 3, at: "", response: "" }).sources).toEqual(["chat"]);
  });

  it("goes from searching to its answer", () => {
    const phases = events.map((_, at) => after(asked(), events.slice(0, at + 1)).phase);
    expect(phases).toEqual(["searching", "answering", "answering", "answering", "done"]);
    expect(after(asked()).citations).toBe(REPLY.citations);
    expect(after(asked()).parts).toHaveLength(4);
  });

  it("keeps what came when it breaks or is stopped, and takes no more", () => {
    const some = after(asked(), events.slice(0, 3));
    const cut = reduce(some, {
      name: "error",
      data: { code: "STOPPING", detail: "The server is being stopped." },
    });
    expect([cut.phase, cut.parts.length, cut.problem?.detail]).toEqual([
      "broken",
      1,
      "The server is being stopped.",
    ]);
    expect(reduce(cut, { name: "final", data: REPLY })).toBe(cut);
    const ended = stopped(some);
    expect(reduce(ended, token("summary", 0, "more"))).toBe(ended);
  });

  it("ignores events that it does not know, and what is malformed", () => {
    for (const data of [null, 3, {}, { citations: [] }, { quote: 3 }]) {
      expect(reduce(asked(), { name: "citation", data })).toMatchObject({
        phase: "searching",
        citations: [],
      });
    }
    expect(reduce(asked(), { name: "telemetry", data: {} })).toEqual(asked());
    expect(
      reduce(asked(), {
        name: "token",
        data: { text: "Nothing found.", sentence: "Nothing found.", citations: [] },
      }),
    ).toMatchObject({ parts: [] });
  });
});

describe("a layout", () => {
  it("has the line to type first, then its document, then the others; numbers follow it", () => {
    const turn = after(asked());
    const layout = laidOut(turn);
    expect(layout.line?.command).toBe("tail -f app.log");
    expect(layout.lead).toBeNull();
    expect(layout.options.map((one) => one.command)).toEqual(["-f"]);
    expect(layout.others.map((one) => one.reference)).toEqual(["less(1)"]);
    expect(layout.order).toEqual([2, 0, 3, 1]);
    expect(numberOf(turn, 1)).toBe(4);
  });

  it("has no line to type where there is only a synopsis: it stands among the options", () => {
    const steps = [{ text: "", command: "tail [OPTION]... [FILE]...", citations: [2], origin: "" }];
    const layout = laidOut(after(asked(), [{ name: "final", data: { ...REPLY, steps } }]));
    expect(layout.line).toBeNull();
    expect(layout.lead?.text).toBe("tail - output the last part of files");
    expect(layout.options.map((one) => one.command)).toEqual(["tail [OPTION]... [FILE]..."]);
  });

  it("leads with the first sentence of running text, whatever documents follow", () => {
    const turn = after(asked(), [{ name: "final", data: { ...REPLY, steps: [] } }]);
    expect(laidOut(turn).lead?.text).toBe("tail - output the last part of files");
    expect(laidOut(turn).sentences.map((one) => one.text)).toEqual(["less - opposite of more"]);
    expect(laidOut(turn).others).toEqual([]);
  });

  it("is the same object for the same turn", () => {
    const turn = after(asked());
    expect(laidOut(turn)).toBe(laidOut(turn));
  });

  it("is copied with its citations", () => {
    const copied = asMarkdown(after(asked()));
    expect(copied).toContain("- `tail -f app.log` [1]");
    expect(copied).toContain("[4] less(1) (man-pages), characters 0 to 23: “less - opposite of more”");
  });
});

describe("what is copied", () => {
  it("is plain text, or each document once as BibTeX, with no sign that steers TeX", () => {
    const turn = after(asked());
    expect(written(turn, "plain")).toContain("-f: output appended data [3]");
    const sources = written(turn, "BibTeX");
    expect(sources.match(/@misc/g)).toHaveLength(2);
    expect(sources).toContain("@misc{tail-1,");
    const hostile = { ...CITED[0], document_ref: "a_{b}\\input%$#&~^", quote: "}\n@evil{x}" } as Citation;
    const made = written({ ...turn, citations: [hostile] }, "BibTeX");
    expect(made).toContain(
      "title = {a\\_\\{b\\}\\textbackslash input\\%\\$\\#\\&\\textasciitilde \\textasciicircum },",
    );
    expect(made).toContain("\\} @evil\\{x\\}");
  });
});

describe("a proof", () => {
  const text = "😀 NAME\ntail - output the last part of files\n";
  const loaded = { start: 100, end: 100 + Array.from(text).length, points: new CodePoints(text) };
  const quote = citation("d", "tail - output the last part of files", 107);

  it("holds where the text at the offsets is the quote", () => {
    expect(equals(loaded, quote)).toBe(true);
  });

  it.each([
    ["another offset", { ...quote, start: 106, end: 142 }],
    ["another word", { ...quote, quote: quote.quote.replace("last", "best") }],
    ["a stretch that is not there", { ...quote, start: 10, end: 46 }],
    ["past the end", { ...quote, start: 140, end: 176 }],
    ["an empty quote", { ...quote, quote: "", end: quote.start }],
    ["a quote backwards", { ...quote, start: quote.end, end: quote.start }],
  ])("does not hold for %s", (_, wrong) => {
    expect(equals(loaded, wrong)).toBe(false);
  });

  it("is marked exactly, across blocks", () => {
    const whole = {
      start: 0,
      points: new CodePoints(text),
      blocks: [
        ["heading", 0, 6],
        ["paragraph", 7, 43],
      ],
    } as unknown as Loaded;
    const marks = (start: number, end: number) =>
      markedBlocks(whole, { start, end }, [])
        .flatMap((block) => block.pieces)
        .filter((piece) => piece.mark === "now")
        .map((piece) => piece.text);
    expect(marks(7, 43)).toEqual(["tail - output the last part of files"]);
    expect(marks(2, 11)).toEqual(["NAME", "tail"]);
    expect(marks(0, 1)).toEqual(["😀"]);
  });
});

describe("small things", () => {
  it("names the command to read on with", () => {
    expect(commandFor("man", "tail(1)")).toBe("man 1 tail");
    expect(commandFor("info", "chmod invocation(coreutils)")).toBe("info '(coreutils) chmod invocation'");
    expect(commandFor("man", "it's(1)")).toBe("man 1 'it'\\''s'");
    expect(commandFor("docs", "a.md")).toBe("");
  });

  it("offers the question without words that nothing mentions", () => {
    expect(without("What is our parental leave policy?", ["parental"])).toBe("What is our leave policy?");
    expect(without("What about Zork?", ["zork"])).toBe("What about?");
    expect(without("Zork?", ["zork"])).toBe("");
    expect(without("How many colours does a rainbow have?", ["rainbow"])).toBe("");
    expect(without("What is the price of a zork?", ["zork"])).toBe("");
    expect(without("How do I feed the zork parrot on deck?", ["zork"])).toBe(
      "How do I feed the parrot on deck?",
    );
    expect(without("What is it?", [])).toBe("");
    expect(without("What is it?", ["absent"])).toBe("");
    expect(without("What is our parental leave policy?", ["parental", "leave"])).toBe("");
  });
});
