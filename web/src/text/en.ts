/** The texts of what everybody uses, ready to be translated. Screens that are fetched later have theirs next to this file. */

const LIST = new Intl.ListFormat("en");
const format = new Intl.NumberFormat("en");

/** A number as people read it. */
export const number = (n: number) => format.format(n);

/** A number of things. */
export const count = (n: number, singular: string, plural = `${singular}s`) =>
  `${number(n)} ${n === 1 ? singular : plural}`;

export const text = {
  name: "Vademecum",
  skipToAnswer: "To the answer",
  skipToBox: "To the question box",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  notCopied: "The browser did not allow copying",
  number,

  shell: {
    nav: "Main",
    menu: "Menu",
    newQuestion: "New question",
    search: "Look through questions",
    more: "Show more",
    rename: "Rename",
    renameOf: (title: string) => `Rename ${title}`,
    forget: (title: string) => `Delete ${title}`,
    forgotten: (title: string) => `“${title}” was deleted.`,
    undo: "Undo",
    title: "Title",
    save: "Save",
    today: "Today",
    week: "Last week",
    earlier: "Earlier",
    noConversation: "This conversation is not there any more.",
    signedInAs: (name: string) => `Signed in as ${name}`,
    signOut: "Sign out",
    noHistory: "No questions yet.",
    requests: (n: number) => `${n === 1 ? "request" : "requests"} to other hosts`,
    theme: { auto: "Colours: as the system has them", light: "Colours: light", dark: "Colours: dark" },
    keys: "Keys",
    collections: "Collections",
    rules: "Rules",
    health: "Health",
    loadingScreen: "One moment…",
    lostScreen: "This screen could not be fetched. The server may have been updated since.",
    reload: "Load the page again",
  },

  box: {
    label: "Question",
    first: "How do I …",
    next: "Ask something else",
    ask: "Ask",
    stop: "Stop",
    waiting: "Waiting for the server",
    tooLong: (n: number, most: number) =>
      `This question is too long: ${number(n)} characters, at most ${number(most)} are read.`,
    hints: { write: "write", citations: "citations", all: "all keys" },
  },

  signIn: {
    title: "This server wants a key.",
    label: "Key",
    button: "Sign in",
    wrong: "This key is not known here, or has expired. Your question is kept.",
    hint: "The administrator of the server makes one with: vademecum keys add NAME",
  },

  home: {
    title: "Ask your documents.",
    lede: "Every sentence says where it comes from, and this page checks that it does.",
    all: "Everything",
    sources: "Sources",
    rules: "By your rules",
    model: "Model",
    ownModel: "The rule's own model",
  },

  firstRun: {
    title: "Nothing is indexed yet.",
    lede: "Vademecum answers from documents that are already on this machine.",
    found: (titles: readonly string[]) => `Found on this machine: ${LIST.format(titles)}.`,
    run: "Run this in a terminal:",
    command: "ragadmin reindex",
    waiting: "This page is waiting, and will go on by itself when the index is there.",
    safe: "It reads only the folders of its sources. No file is changed, and nothing is sent to another host.",
  },

  answer: {
    log: "Answers",
    lead: "Answer",
    searching: (n: number) => `Searching ${count(n, "source")}…`,
    checked: (n: number, m: number) =>
      m === 1 ? (n ? "Quote checked" : "Checking the quote…") : `${n} of ${m} quotes checked`,
    failed: (n: number) =>
      `${count(n, "quote")} could not be found. Do not rely on ${n === 1 ? "it" : "them"}.`,
    ms: (ms: number) => (ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`),
    rule: ({
      rule,
      rag_result,
      collection,
    }: {
      rule: number;
      rag_result: string;
      collection: string | null;
    }) =>
      `Rule ${rule + 1}: ${rag_result === "none" ? "no collection matches" : `${collection ?? "a collection"} ${rag_result === "match" ? "matches" : "matches in part"}`}`,
    ungrounded: (model: string) =>
      `These words are not from your documents: ${model ? `${model} wrote them` : "the rule says them"}.`,
    chosenBy: (model: string) => `chosen by ${model}`,
    writtenBy: (model: string, reworded: number, of: number) =>
      `written by ${model}: ${reworded} of ${of} sentences in its own words, each checked`,
    confidence: {
      veryLikely: "Very likely",
      likely: "Likely",
      perhaps: "Perhaps: check the source",
      unlikely: "Unlikely: check the source",
      none: "No answer",
    },
    was: (words: string) => `Was ${words.charAt(0).toLowerCase()}${words.slice(1)}`,
    percent: (share: number) => `${Math.floor(share * 100)} %`,
    confidenceLabel: (share: number, threshold: number) =>
      `${Math.floor(share * 100)} percent; answers begin at ${Math.round(threshold * 100)}`,
    asThePageHasIt: "As the page has it",
    putTogetherFrom: "Put together from",
    details: "Options",
    more: (reference: string) => `More from ${reference}`,
    others: (names: string) => `Also near: ${names}`,
    readOn: "Read on",
    leftOut: (n: number) =>
      `${count(n, "sentence")} left out, because ${n === 1 ? "it" : "they"} did not hold when checked`,
    why: (n: number, reason: string) => `${n}: ${reason}`,
    stopped: "Stopped. What came is kept.",
    goOn: "Go on",
    offline: "The server stopped answering. What came is kept.",
    notReached: "The server does not answer. Your question is kept.",
    failedToAnswer: "The answer did not come.",
    busy: (s: number) =>
      `Too many questions for a moment. Yours is kept; ask again in ${count(s, "second")}.`,
    key: "This server wants a key. Your question is kept.",
    of: (date: string) => `Answer of ${date}.`,
    changed: "The document has changed since.",
    again: "Ask again",
    edit: "Edit",
    open: "Open",
    copyWith: "Copy with citations",
    formats: { Markdown: "as Markdown", plain: "as plain text", BibTeX: "as BibTeX" },
    export: "Export conversation",
    readAs: (question: string) => `Read as: ${question}`,
    toTheEnd: "To the end",
  },

  refusal: {
    label: "No answer",
    all: "Your documents do not answer this.",
    some: (names: string) => `${names} ${names.includes(",") ? "do" : "does"} not answer this.`,
    begins: (share: number, threshold: number) =>
      `${Math.floor(share * 100)} %; answers begin at ${Math.round(threshold * 100)} %`,
    unknown: (words: readonly string[]) =>
      `No document mentions ${words.map((word) => `“${word}”`).join(", ")}.`,
    tryInstead: "Try instead",
    wider: "Ask everything",
    edit: "Edit question",
    nearest: "Nearest, and too far to answer from",
  },

  verdict: {
    right: "Right",
    wrong: "Wrong",
    why: "What is wrong with it?",
    send: "Send",
    thanks: "Noted on this server.",
    notKept: "It could not be noted.",
    noReason: "no reason given",
  },

  why: {
    button: "Why this answer?",
    buttonNone: "Why no answer?",
    title: "Why this answer?",
    none: "Why no answer?",
    copy: "Copy trace",
    gone: "What the steps saw is kept for a day, and is not there any more.",
    unreachable: "The server does not answer.",
    sources: "Does a source hold an answer?",
    machine: "This machine",
    threshold: (share: number) => `threshold ${share.toFixed(2)}`,
    rules: "Which rule answers?",
    ruleOf: (n: number) => `Rule ${n + 1}`,
    failed: (key: string) => `failed: ${key}`,
    matched: "answers",
    collections: "Which collections match?",
    distance: (distance: number, threshold: number | null) =>
      `distance ${distance.toFixed(2)}${threshold === null ? "" : `, a match up to ${threshold.toFixed(2)}`}`,
    candidates: "What was considered",
    columns: { passage: "Passage", words: "Words", meaning: "Meaning", score: "Score", verdict: "Verdict" },
    calls: "What the model was sent, and sent back",
    sent: (role: string) => `Sent as ${role}`,
    came: "Sent back",
    kept: "kept",
    cut: "cut",
    below: "an answer is too unlikely",
    behind: "too far behind",
    more: (n: number) => count(n, "more candidate"),
    time: (ms: string, model: string) => `${ms}, ${model ? `with ${model}` : "no model"}`,
    byRule: (rule: string) => `${rule}. It is the first rule whose conditions all hold.`,
    answered: (share: number, first: string, kept: number, quotes: number) =>
      `There is an answer with ${Math.floor(share * 100)} % certainty. ${first} is nearest to the question, and ${count(kept, "document")} ${kept === 1 ? "was" : "were"} quoted. ${count(quotes, "quote")} ${quotes === 1 ? "was" : "were"} taken word for word.`,
    refused: (share: number, threshold: number, first: string, dropped: number) =>
      `An answer would be right with ${Math.floor(share * 100)} % certainty, and answers begin at ${Math.round(threshold * 100)} %. ${first ? `${first} is nearest to the question, and too far from it.` : "Nothing is near to the question."}${dropped ? ` ${count(dropped, "sentence")} did not hold when checked.` : ""}`,
  },

  citation: {
    label: (n: number, reference: string, proof: string, reworded: boolean) =>
      `Citation ${n}: ${reference}, ${reworded ? "reworded, " : ""}${proof}`,
    proof: {
      checking: "being checked",
      checked: "checked",
      failed: "not in the document",
      gone: "document gone",
      unreachable: "not checked",
      elsewhere: "held by another server, not checked",
    },
    tag: "Checked",
    of: (n: number, m: number) => `${n} of ${m}`,
    enter: "show in the document",
    quoteLabel: (n: number) => `Quote ${n}`,
    starts: "quote starts",
    ends: "quote ends",
  },

  pane: {
    label: (title: string) => `Source: ${title}`,
    loading: "Checking this quote…",
    checkedFirst: "This page checked it again.",
    checkedRest: (start: number, end: number) =>
      `Characters ${number(start)} to ${number(end)} equal the quote, letter for letter.`,
    failed: "This quote is not in the document. Do not rely on it.",
    gone: "This document is gone, or has changed since. Its quote was:",
    unreachable: "The server does not answer, so this quote is not checked.",
    elsewhere: "Another server holds this document, so this page cannot check the quote. It was:",
    before: "Citation before",
    after: "Citation after",
    more: "Show more of the document",
    whole: "Open whole page",
    printed: "As printed",
    page: (n: number, of: number) => `Page ${number(n)} of ${number(of)}`,
    pageBefore: "Page before",
    pageAfter: "Page after",
    picture: (n: number, reference: string) => `Page ${number(n)} of ${reference}, as it is printed`,
    notPlaced: "The quote was not found on a page, so nothing is marked. Its text is checked all the same.",
    readOn: "Read on with",
    original: "Download original",
    taller: "Larger",
    ruler: "Where the quotes are",
  },

  documents: {
    title: "Documents",
    search: "Find a document by name, title or line",
    count: (n: number, found: boolean) => `${count(n, "document")}${found ? " found" : ""}`,
  },

  book: {
    all: "All documents",
    questions: "Questions",
    contents: "Contents",
    loading: "Fetching the document…",
    again: "Try again",
    ask: "Ask what you read",
    tools: "Selection",
    askThis: "Ask only this",
    copyWith: "Copy with citation",
    only: "Only your selection",
    show: "Show the selection",
    measure: (sentences: number, words: number) => `${count(sentences, "sentence")}, ${count(words, "word")}`,
    drop: "Drop the selection",
    whole: (kind: string, title: string) => (kind === "book" ? "the whole book" : `all of ${title}`),
    askAll: (whole: string) => `Ask ${whole}`,
    asking: (whole: string) => `Asking ${whole}`,
    selects: "selects a paragraph",
    askSelection: "Ask your selection",
    askWhole: "Ask what you read",
    inside: "It lies inside your selection:",
    outside: "A quote lies outside your selection. Do not rely on it.",
    refused: "Your selection does not answer this.",
    lacks: (words: readonly string[]) =>
      `It says nothing about ${words.map((word) => `“${word}”`).join(", ")}.`,
  },

  keys: {
    title: "Keys",
    list: [
      ["/", "write a question"],
      ["Enter", "ask"],
      ["Shift Enter", "new line"],
      ["Esc", "stop; close; leave the box"],
      ["[  ]", "citation before, after"],
      ["e", "edit the question"],
      ["r", "ask again"],
      ["c", "copy with citations"],
      ["w", "why this answer"],
      ["n", "new question"],
      ["g  b", "all documents"],
      ["g  c", "collections"],
      ["g  r", "rules"],
      ["g  h", "health"],
      ["s", "while reading: select the next paragraph"],
      ["Shift →  ←", "extend or shorten the selection by a sentence"],
      ["a", "ask the selection"],
      ["?", "this list"],
    ] as const,
    off: "Single keys are",
    on: "on",
    isOff: "off",
  },
};
