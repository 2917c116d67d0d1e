/** The texts of the screen of collections. */
import { count, number } from "./numbers";

const MB = 1_000_000;

export const words = {
  title: "Collections",
  none: "There is no collection yet. Create one, and drop files into it.",
  choose: "Choose a collection, or create one.",
  missing: (name: string) => `There is no collection ${name}, or it is not shared with you.`,
  new: "New",
  newTitle: "New collection",
  documents: (n: number) => (n ? count(n, "document") : "Empty"),
  shared: (n: number) => `shared with ${number(n)}`,
  kinds: { collection: "", book: "book", manual: "manual" } as Record<string, string>,
  embedding: (n: number, of: number) =>
    `matched by words so far: ${number(n)} of ${count(of, "passage")} embedded`,
  settings: "Settings",
  reindex: "Reindex",
  read: "Read",
  export: "Download all",
  remove: "Delete collection",
  removeFile: (name: string) => `Delete ${name}`,
  renameFile: (name: string) => `Rename ${name}`,
  readOnly:
    "You may ask this collection, but not change it: only its owner and the administrators of this server can.",

  form: {
    name: "Name",
    nameHint: "Small letters, digits, - and _.",
    description: "Description",
    descriptionHint: "What is in it. It is also read to choose the collections for a question.",
    prompt: "Prompt",
    promptHint: "For models that write from this collection. Without a model it is not used.",
    tokens: "Longest answer of a model, in tokens",
    model: "Model",
    modelHint: "The rule's own, where this is empty.",
    create: "Create",
    save: "Save",
    cancel: "Cancel",
  },

  sharing: {
    button: (names: readonly string[]) => (names.length ? `Shared with ${names.join(", ")}` : "Share"),
    title: (name: string) => `Who may ask ${name}?`,
    label: "Names of keys, with commas between them",
    hint: "They may ask and read this collection, and not change it.",
    open: "This server asks for no keys: everybody who can reach it may ask every collection. Once it has keys, collections are shared here. Keys are made with: vademecum keys add NAME",
    known: (names: readonly string[]) => `Keys of this server: ${names.join(", ")}.`,
  },

  files: {
    title: "Files",
    drop: "Drop files, folders or a zip here, or choose",
    choose: "files",
    or: "or",
    chooseFolder: "a folder",
    replaces: "A file with the same name replaces the old one.",
    kinds: "Markdown, HTML, text, PDF, Word, CSV, JSON or zip.",
    letGo: "Let go to add the files",
    states: {
      waiting: "waiting",
      sending: "being read",
      stored: "stored",
      replaced: "stored, replaces the old one",
      refused: "",
    },
    progress: (n: number, of: number) => `${number(n)} of ${number(of)} files`,
    faults: (n: number) => count(n, "fault"),
    moreFaults: (n: number) => `and ${count(n, "more fault")}`,
    stop: "Stop",
    clear: "Clear the list",
    dismiss: (name: string) => `Take ${name} off the list`,
    search: "Find a file by its name",
    count: (n: number) => count(n, "file"),
    found: (n: number, of: number) => `${number(n)} of ${count(of, "file")}`,
    size: (bytes: number) =>
      bytes < MB ? `${number(Math.ceil(bytes / 1000))} kB` : `${number(Math.round(bytes / MB))} MB`,
    records: (n: number) => count(n, "record"),
    newName: "New name",
    outside: (n: number) =>
      `${count(n, "document")} of this collection ${n === 1 ? "comes" : "come"} from folders on the server, and ${n === 1 ? "is" : "are"} changed there.`,
  },

  job: {
    queued: "Indexing begins in a moment.",
    running: (n: number, percent: number) => `Indexing: ${count(n, "document")}, ${Math.floor(percent)} %`,
    succeeded: (message: string) => `Indexed: ${message}.`,
    failed: (message: string) => message,
    cancelled: "Indexing was stopped. The files are stored, and the old index still answers.",
    goOn: "Go on",
    stop: "Stop",
  },

  thresholds: {
    title: "Thresholds",
    lede: "How near a question must be for the rules of the chat. Paste questions, drag a line, see what changes.",
    meaning:
      "Nearer than the first line is a match, nearer than the second a partial match; what is farther is refused.",
    inForce: (match: number, partial: number) =>
      `In force: a match below ${match.toFixed(2)}, a partial match below ${partial.toFixed(2)}.`,
    paste: "Paste questions",
    pasteTitle: "Questions to try",
    pasteHint: (most: number) => `One on each line, ${most} at most.`,
    tooMany: (n: number, most: number) =>
      `These are ${number(n)} questions; at most ${most} are tried at once.`,
    try: "Try them",
    empty: "Paste questions that should be answered from this collection, and some that should not.",
    unset: "No thresholds are set here, so those of the rules hold. The lines are a suggestion.",
    names: { match: "match", partial: "partial" },
    outcomes: { match: "match", partial: "partial", refused: "refused" },
    flips: (from: string, to: string) => `${from} → ${to}`,
    at: (distance: number) => distance.toFixed(2),
    handle: (name: string, value: number, n: number, of: number) =>
      `${name} ${value.toFixed(2)}; ${n} of ${count(of, "question")} ${n === 1 ? "changes" : "change"}`,
    changes: (n: number, of: number) =>
      `${n} of ${count(of, "question")} ${of === 1 ? "changes" : "change"}.`,
    notYet: "Nothing is in force until you save.",
    nearest: "0 nearest",
    farthest: (most: number) => `${most.toFixed(1)} farthest`,
    before: (value: number) => `before ${value.toFixed(2)}`,
    expected: "Should be answered",
    axis: "Distance",
    outcome: "Outcome",
    expectedOf: (question: string) => `Should be answered: ${question}`,
    suggest: "Suggest from the ticks",
    putBack: "Put back",
    save: "Save thresholds",
    saved: "The thresholds are in force.",
    distance: (distance: number) => `distance ${distance.toFixed(2)}`,
    nothing: "nothing found",
  },
};
