const number = (count: number) => new Intl.NumberFormat("en").format(count);
const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

/** Bringing in what was saved with other programs. */
export const imports = {
  title: "Import",
  intro:
    "Bring in what you saved elsewhere: Pocket, Omnivore, Instapaper, wallabag, Karakeep, Linkwarden, Raindrop.io, Readwise, Matter, Readeck, Pinboard, Shaarli, Diigo, Medium, feed readers, bookmarks of any browser, lists of links, and archives of Nexus itself.",
  promise: "You see what was recognised before anything changes, and every import can be undone.",
  choose: "Choose files",
  drop: "Drop export files here, as they are: ZIP, CSV, JSON, HTML, OPML. Several parts at once are fine.",
  uploading: (share: number) => `Uploading… ${Math.floor(share * 100)} %`,
  reading: "Reading the files…",
  notRecognised: "Not imported",
  earlier: "Imports",
  none: "Nothing was imported yet.",
  notLoaded: "Couldn't load the imports",
  states: {
    previewed: "Not started",
    running: "Running",
    paused: "Paused",
    cancelled: "Cancelled",
    finished: "Finished",
    undoing: "Being undone",
    undone: "Undone",
  },
  back: "All imports",
  from: (label: string, files: string) => `${label}, from ${files}`,
  filesAnd: (first: string, others: number) =>
    others ? `${first} and ${plural(others, "other file", "other files")}` : first,

  preview: {
    title: "What was recognised",
    items: (count: number) => plural(count, "item", "items"),
    highlights: (count: number) => plural(count, "highlight", "highlights"),
    feeds: (count: number) => plural(count, "feed", "feeds"),
    withContent: (count: number) => `${number(count)} with their text`,
    problems: (count: number) => plural(count, "row can't be imported", "rows can't be imported"),
    examples: "The first of them",
    fetch: "Fetch the pages of links",
    fetchHint: "Otherwise only texts included in the files can be read. Links are kept.",
    feedItems: (count: number) =>
      `Also ${plural(count, "item", "items")} from subscriptions that you did not save yourself`,
    start: "Start import",
    discard: "Discard",
    discarded: "Import discarded. Nothing was changed.",
    columns: ["Title", "Saved", "Tags", "State"],
    archived: "archived",
    starred: "starred",
    read: "read",
    progress: (share: number) => `${Math.round(share * 100)} % read`,
    noDate: "no date",
  },

  progress: {
    label: "Progress of the import",
    rows: (done: number, total: number) => `${number(done)} of ${plural(total, "row", "rows")}`,
    rate: (perSecond: number) => `${perSecond < 10 ? perSecond.toFixed(1) : number(Math.round(perSecond))} per second`,
    left: (time: string) => `about ${time} left`,
    fetching: (waiting: number) =>
      `${plural(waiting, "page is", "pages are")} still to be fetched. You can close this page.`,
    fetched: (read: number, failed: number) =>
      failed ? `${number(read)} can be read, ${number(failed)} couldn't be fetched.` : `${number(read)} can be read.`,
    pause: "Pause",
    resume: "Resume",
    cancel: "Cancel",
    cancelled: "What was imported before it was cancelled is in your library.",
    retry: "Try the failed rows again",
    undo: "Undo import",
    undoAsk:
      "Undo this import? What it added is deleted from your library, except what you have opened or changed since.",
    undoConfirm: "Undo import",
    keep: "Keep it",
    failed: (why: string) => `Couldn't do that. ${why}`,
  },

  report: {
    title: "Report",
    csv: "Download as CSV",
    outcomes: { all: "All", added: "Added", merged: "Merged", unchanged: "Already there", failed: "Failed" },
    where: (file: string, line: number) => `${file}, ${line}`,
    none: "No rows.",
    more: "Show more",
    loading: "Loading…",
    notLoaded: "Couldn't load the rows",
    waiting: "Waiting",
    couldntFetch: "Couldn't fetch",
    pasteText: "Paste its text",
    read: "Read",
  },
};
