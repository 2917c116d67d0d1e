import { describe, expect, it } from "vitest";
import { axisEnd, flips, moved, outcomeOf, questionsOf } from "../src/collections/thresholds";

const tried = [
  { question: "near", distance: 0.2 },
  { question: "between", distance: 0.5 },
  { question: "far", distance: 0.9 },
  { question: "nothing", distance: 2 },
];

describe("thresholds", () => {
  it("are exclusive, as on the server", () => {
    expect(outcomeOf(0.3, { match: 0.3, partial: 0.6 })).toBe("partial");
    expect(outcomeOf(0.6, { match: 0.3, partial: 0.6 })).toBe("refused");
  });

  it("say which questions have another outcome", () => {
    const before = { match: 0.3, partial: 0.6 };
    expect(flips(tried, before, before)).toBe(0);
    expect(flips(tried, before, { match: 0.1, partial: 1 })).toBe(2);
    expect(flips(tried, null, { match: 0.1, partial: 1 })).toBe(0);
  });

  it("do not cross, and stay on the axis", () => {
    const lines = { match: 0.3, partial: 0.6 };
    expect(moved(lines, "match", 0.9, 1.2)).toEqual({ match: 0.6, partial: 0.6 });
    expect(moved(lines, "partial", 0.1, 1.2)).toEqual({ match: 0.3, partial: 0.3 });
    expect(moved(lines, "partial", 5, 1.2)).toEqual({ match: 0.3, partial: 1.2 });
    expect(moved(lines, "match", -1, 1.2)).toEqual({ match: 0, partial: 0.6 });
  });

  it("leave room for what is far, and not for what is nowhere", () => {
    expect(axisEnd(tried)).toBe(1.2);
    expect(axisEnd([{ question: "", distance: 1.5 }])).toBeCloseTo(1.6);
    expect(axisEnd(tried, { match: 0.3, partial: 1.8 })).toBe(1.8);
  });

  it("are tried with each line of a pasted text once", () => {
    expect(questionsOf(" a?\n\nb?\r\na?\n")).toEqual(["a?", "b?"]);
  });
});
