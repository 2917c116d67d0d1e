import { describe, expect, it } from "vitest";
import { read } from "../src/why/trace";

describe("a trace", () => {
  it("of manual pages has candidates by words and by meaning, kept and cut", () => {
    const why = read({
      steps: [
        {
          name: "evaluate",
          duration_ms: 2,
          candidates: [
            { reference: "tail(1)", score: 2.6, features: { page_share: 0.9, need_share: 1.2 } },
            { reference: "less(1)", score: 0.1, features: { page_share: 0.4 } },
          ],
        },
        { name: "decide", duration_ms: 1, chosen: ["tail(1)"] },
        { name: "choose", duration_ms: 0, asked: [{ sources: ["*"], confidence: 0.78, threshold: 0.35 }] },
      ],
    });
    expect(why.candidates).toMatchObject([
      { reference: "tail(1)", words: 0.9, meaning: 1, kept: true },
      { reference: "less(1)", words: 0.4, meaning: 0, kept: false },
    ]);
    expect(why.asked).toEqual([{ sources: ["*"], confidence: 0.78, threshold: 0.35 }]);
    expect(why.steps).toEqual([
      { name: "evaluate", ms: 2 },
      { name: "decide", ms: 1 },
    ]);
  });

  it("of running text has passages, with no figure for what was not measured", () => {
    const passages = [{ chunk_id: "a:1:0", reference: "a.md", section: "Start", score: 3, cosine: -0.2 }];
    const why = read({
      steps: [
        { name: "retrieve", duration_ms: 1, passages },
        { name: "decide", chosen: ["a:1:0"] },
      ],
    });
    expect(why.candidates).toEqual([
      { reference: "a.md", section: "Start", words: null, meaning: 0, score: 3, kept: true },
    ]);
    expect(why.asked).toEqual([]);
  });

  it("that is empty, or not as expected, gives nothing", () => {
    expect(read({ steps: [] })).toMatchObject({ asked: [], candidates: [], steps: [] });
    expect(
      read({
        steps: [
          { name: "evaluate", candidates: 3 },
          { name: "choose", asked: "x" },
        ],
      }).candidates,
    ).toEqual([]);
  });

  it("of rules has what was tried, why sentences were left out, and for admins what a model was sent", () => {
    const why = read({
      steps: [
        {
          name: "retrieve",
          asked: [{ identifier: "kb/a", result: "match", distance: 0.2, match_threshold: 0.3 }],
        },
        {
          name: "match",
          tried: [
            { rule: 0, passed: false, failed: "intent" },
            { rule: 1, passed: true, failed: "" },
          ],
        },
        { name: "generate", verdicts: ["supported", "in no line"], refused: "git(1) has no option --soft." },
        { name: "verify", verdicts: ["quoted", "speaks to a model"] },
      ],
      calls: [{ sent: [{ role: "user", text: "How?" }], came: "So." }],
    });
    expect(why.collections).toEqual([{ name: "kb/a", result: "match", distance: 0.2, threshold: 0.3 }]);
    expect(why.rules).toMatchObject([{ failed: "intent" }, { place: 1, isTaken: true }]);
    expect(why.leftOut).toEqual(["in no line", "git(1) has no option --soft.", "speaks to a model"]);
    expect(why.calls[0]?.came).toBe("So.");
  });
});
