import { describe, expect, it } from "vitest";
import type { RuleRow } from "../src/api/client";
import { difference, startOf, wordAt } from "../src/rules/places";
import { KINDS, withRule } from "../src/rules/newRule";
import { withProbe } from "../src/store/rules";

const row = (line: number): RuleRow => ({
  number: 0,
  name: "",
  when: [],
  then: "static",
  says: "",
  model: "",
  line,
  last_line: line,
});

describe("places in a text", () => {
  it("are counted from 1, in code points", () => {
    expect(startOf("a\nbc\nd", 3)).toBe(5);
    expect(startOf("a\nbc", 9)).toBe(4);
    const text = "x: 1\n😀 match_it: 2";
    const { start, end } = wordAt(text, 2, 3);
    expect(text.slice(start, end)).toBe("match_it");
  });

  it("of a difference are the lines between what is the same", () => {
    expect(difference("a\nb\nc", "a\nx\ny\nc")).toEqual({ line: 2, one: ["b"], other: ["x", "y"] });
    expect(difference("a", "a")).toEqual({ line: 2, one: [], other: [] });
    expect(difference("a\na", "a\na\na").other).toEqual(["a"]);
  });
});

describe("a new rule", () => {
  const [thanks] = KINDS;

  it("comes before the others, with its indentation", () => {
    const text = "responses:\n  - static_response: No.\n";
    expect(thanks && withRule(text, [row(2)], false, thanks)?.text).toBe(
      'responses:\n  - comment: "Thanks"\n    match: {"small_talk":"thanks"}\n    static_response: "You are welcome."\n  - static_response: No.\n',
    );
  });

  it("is an element of a list in JSON", () => {
    const text = '{"responses": [\n {"static_response": "No."}\n]}';
    const added = thanks && withRule(text, [row(2)], true, thanks);
    const made = JSON.parse(added?.text ?? "") as { responses: { comment?: string }[] };
    expect(made.responses.map((rule) => rule.comment)).toEqual(["Thanks", undefined]);
  });

  it("needs a text without faults", () => {
    expect(thanks && withRule("", [], false, thanks)).toBeNull();
  });
});

it("a probe is added to a list, whatever its message has", () => {
  expect(withProbe("", 'say "hi"\n', 2)).toBe('- question: "say \\"hi\\"\\n"\n  expect: {rule: 2}\n');
  expect(withProbe("- question: a\n  expect: {rule: 0}\n\n", "b", 1)).toBe(
    '- question: a\n  expect: {rule: 0}\n- question: "b"\n  expect: {rule: 1}\n',
  );
});
