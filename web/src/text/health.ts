/** The texts of the screen of health. */
import { count, duration, number, size } from "./numbers";

const LIST = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const HOUR = new Intl.DateTimeFormat("en", { hour: "2-digit", minute: "2-digit" });
export const words = {
  checking: "Checking…",
  well: "All is well.",
  need: (n: number, answersWork: boolean) =>
    `${answersWork ? "Answers work. " : ""}${count(n, "thing")} ${n === 1 ? "needs" : "need"} you.`,
  again: "Check again",
  adminsOnly: "Only administrators of this server may see how it is. Sign in with an administrator's key.",
  problems: "What needs you",
  terminal: "In a terminal:",
  reindex: "Reindex now",
  goOn: "Go on",
  interrupted: (name: string) => `Indexing ${name} did not end well.`,
  components: {
    index_freshness: "Index",
    source_access: "Sources",
    disk_capacity: "Disk",
    index_integrity: "Index files",
    configuration: "Settings",
    permissions: "Permissions",
    service: "Service",
  } as Record<string, string>,
  checked: "What was checked",

  latency: {
    title: "Time to answer, last 24 hours",
    none: "No answers yet",
    time: duration,
    rest: (p95: number) => `median; 95 of 100 within ${duration(p95)}`,
    hour: (begins: number, answers: number, median: number | null) =>
      `${HOUR.format(begins * 1000)}: ${count(answers, "answer")}${median === null ? "" : `, ${duration(median)}`}`,
    label: (median: number, answers: number) =>
      `The median of ${count(answers, "answer")} in the last 24 hours is ${duration(median)}`,
  },

  outcomes: {
    title: (n: number) => `How ${count(n, "question")} ended, 7 days`,
    figure: (share: number) => `${Math.round(share * 100)} % answered`,
    rest: (answered: number, part: number, refused: number, failed: number) =>
      [
        `${number(answered)} answered`,
        part > 0 && `${number(part)} in part`,
        `${number(refused)} refused`,
        failed > 0 && `${number(failed)} failed`,
      ]
        .filter(Boolean)
        .join(", "),
  },

  sources: {
    title: "Sources",
    columns: {
      name: "Source",
      kind: "Kind",
      documents: "Documents",
      size: "Size",
      updated: "Indexed",
      state: "State",
    },
    none: "This machine has no sources yet. Add one with: ragadmin sources add PATH",
    size,
    never: "never",
    date: (iso: string) => LIST.format(new Date(iso)),
    states: { current: "current", changed: "changed since", new: "not indexed", failed: "set aside" },
    reindex: "Reindex",
    reindexOf: (name: string) => `Reindex ${name}`,
    tryAgain: "Try again",
    running: (percent: number) => `${Math.floor(percent)} %`,
    stop: "Stop",
  },
};
