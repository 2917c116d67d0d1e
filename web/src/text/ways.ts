/** The texts of asking a question another way. */
import { duration, number } from "./numbers";

export const words = {
  title: "Ask another way",
  lede: "The answer is shown next to this one. It is not kept.",
  withModel: "With the model",
  withNamed: (name: string) => `With ${name}`,
  withoutModel: "Without a model",
  byRules: "By your rules",
  withoutRules: "Without rules",
  byDraft: "By your draft of the rules",
  byFile: "By another rule file…",
  asking: "Asking…",
  stop: "Stop",
  this: "This answer",
  onlyHere: "only here: ",
  same: "Both say the same.",
  differ: (here: number, there: number) =>
    `${number(here)} of its sentences ${here === 1 ? "is" : "are"} only in this answer, ${number(there)} only in the other.`,
  refused: "No answer.",
  share: (confidence: number) => `${Math.floor(confidence * 100)} %`,
  took: duration,
  noModel: "no model",
  fault: (line: number, message: string, meant: string) =>
    `This rule file cannot be asked.${line ? ` Line ${number(line)}:` : ""} ${message}${meant ? ` Did you mean ${meant}?` : ""}`,
  unreadable: "This file cannot be read.",
};
