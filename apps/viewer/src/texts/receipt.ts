/** What happened to an item. */
export const receipt = {
  title: "What happened",
  address: "Address",
  position: (position: number) => `Number ${position} in the queue.`,
  next: (wait: string) => `Next try in ${wait}.`,
  working: "Fetching the page now.",
  ready: "Saved to your library.",
  attempts: "Attempts",
  none: "No attempts yet.",
  pastedOnly: "Saved from the text you provided; nothing was fetched.",
  attempt: (number: number) => `Attempt ${number}`,
  methods: { static: "fetched", browser: "opened in a browser", captured: "saved from your browser" } as Record<
    string,
    string
  >,
  worked: "Success",
  keep: "Keep it as it is",
  kept: "Saved to your library as it is.",
  read: "Open",
  original: "Open original",
  capture: "Open the page and save it with the extension",
  captureHint: "Your own browser may show what the server can't fetch: behind a login, a paywall or a captcha.",
  getExtension: "Get the extension",
  remove: "Delete",
  loadFailed: "Couldn't load the receipt.",
  details: "Technical details",
  finalUrl: "Final address",
  duration: "Took",
  size: "Size",
  code: "Code",
};

export const paste = {
  title: "Paste the text",
  hint: "Open the page in your browser, copy what you want to keep, and paste it here.",
  waiting: "You provided this text with the link. Use it as it is, or edit it.",
  label: "Text to keep",
  save: "Save this text",
  cancel: "Cancel",
  empty: "Enter some text first.",
  saved: "Saved and ready to read.",
};
