const plural = (count: number, one: string, many: string) =>
  `${new Intl.NumberFormat("en").format(count)} ${count === 1 ? one : many}`;

/** What leads to the highlights, and what the list says of them. */
export const highlighted = {
  title: "Highlights",
  review: "Daily review",
  only: "Only texts with highlights",
  chip: "With highlights",
  count: (count: number) => plural(count, "highlight", "highlights"),
};

/** The list and the box above it. */
export const library = {
  title: "Library",
  filters: "Filter the library",
  byKind: "Kind",
  byStatus: "Status",
  unread: "Unread",
  markRead: (title: string) => `Mark “${title}” as read`,
  markUnread: (title: string) => `Mark “${title}” as unread`,
  find: "Search everything",
  clearFind: "Clear the search",
  offlineSearch: "This search needs a connection to the server. Texts kept in this browser can still be read.",
  showKept: "Show the library",
  findHelp: "How to search",
  hitSorts: { relevance: "Best match first", newest: "Newest first" },
  searching: "Searching…",
  found: (count: number, isAbout = false) => `${isAbout ? "About " : ""}${plural(count, "result", "results")}`,
  searchFailed: "Search failed.",
  list: "Your library",
  loadingMore: "Loading more…",
  end: (count: number) => `End of list · ${plural(count, "item", "items")}`,
  emptyTitle: "Nothing here yet",
  emptyText:
    "Paste a link above. Nexus fetches the page, keeps its text for good, and tells you exactly what happened if it could not.",
  emptySteps: [
    ["Save from anywhere", "Paste one link, a hundred links, or a whole text. Or drop a file onto this page."],
    [
      "Read without the noise",
      "Clean pages in light, sepia or dark; pages you have opened are also available offline.",
    ],
    ["Always know why", "Every item has a receipt: each attempt, what the site answered, and what you can do."],
  ],
  emptyFilter: "No items match these filters.",
  emptyUnread: "You're all caught up: nothing unread.",
  emptyFind: (term: string) => `No results for “${term}”`,
  showAll: "Show everything",
  failed: "Couldn't load your library.",
  untitled: "Untitled",
  minutes: (minutes: number) => `${minutes} min`,
  progress: (percent: number) => `${percent}% read`,
  receipt: "What happened",
  receiptOf: (title: string) => `What happened to “${title}”`,
  remove: (title: string) => `Delete “${title}”`,
  pasteInvite: "Paste the text",
  useWaiting: "Use the text you provided",
};

export const saving = {
  label: "Save links or a text",
  placeholder: "Paste a link, many links, or a text…",
  add: "Save",
  links: (count: number) => (count === 1 ? "Save link" : `Save ${plural(count, "link", "links")}`),
  text: (words: number) => `Save text (${plural(words, "word", "words")})`,
  drop: "Drop to save",
  dropHint: "Text, a saved page, a link file or a bookmark export",
  chooseFile: "Choose a file",
  nothingInFile: (name: string) => `${name} contains no link and no text.`,
  incomplete: "This address is incomplete. Type or paste the whole link.",
  tooLong: "A text can have up to 200,000 characters. Save it in parts.",
  added: (count: number) => `${plural(count, "item", "items")} added`,
  sending: "Saving…",
  waiting: "Waiting for a connection. It will be saved as soon as you are back online.",
  refused: "Not saved",
  notKept: "Keep this page open until it is saved: this browser could not store it.",
  edit: "Edit",
  dismiss: "Dismiss",
  textTitle: "Text",
};
