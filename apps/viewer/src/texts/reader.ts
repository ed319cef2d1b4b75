const number = (count: number) => new Intl.NumberFormat("en").format(count);
const counted = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

/** The page on which a text is opened. */
export const reader = {
  back: "Library",
  loading: "Opening…",
  original: "Original",
  receipt: "What happened",
  remove: "Delete",
  contents: "Contents",
  progress: "Reading progress",
  words: (count: number) => counted(count, "word", "words"),
  minutes: (minutes: number) => `${minutes} min read`,
  notReady: "This is not ready to read yet.",
  notFound: "Not found, or not in your library.",
  offline: "You are offline, and this text has not been opened in this browser before.",
  failed: "Couldn't load the text.",
  table: "Table; scrolls sideways",
  code: "Code; scrolls sideways",
  print: "Print",
  markRead: "Mark as read",
  markUnread: "Mark as unread",
  continueAt: (percent: number) => `Continue at ${percent}%`,
  lastRead: (device: string | null, percent: number) =>
    device ? `Last read on ${device}, at ${percent}%.` : `Last read on another device, at ${percent}%.`,
  continueThere: "Continue where you were",
  stayHere: "Stay here",
  minutesLeft: (minutes: number) => `${minutes} min left`,
  neighbours: "In your list",
  previous: "Previous",
  next: "Next",
  previousInList: "Previous in the list",
  nextInList: "Next in the list",
  fullScreen: "Full screen",
  leaveFullScreen: "Leave full screen",
  more: "More actions",
};

/** Pictures of a text that cannot be shown. */
export const pictures = {
  unnamed: "Picture",
  gone: "This picture is gone.",
  refused: "This picture can't be shown.",
  failed: "This picture couldn't be loaded.",
  offline: "This picture is not in this browser yet.",
  retry: "Try again",
  enlarge: (name: string) => (name ? `Enlarge “${name}”` : "Enlarge the picture"),
};

export const fetching = {
  again: "Fetch again",
  retry: "Try again",
  started: "Fetching the page again. The text you have stays.",
  queued: "Queued again.",
  underWay: "Fetching the page again…",
  failed: (reason: string) => `Couldn't fetch it again. ${reason}`,
  tooSoon: (seconds: number) =>
    `This was fetched a moment ago. You can fetch it again in ${counted(Math.ceil(seconds), "second", "seconds")}.`,
  ended: "The page was fetched again.",
  hasChanged: "The text has changed.",
  showNew: "Show the new text",
};

export const versions = {
  title: "Versions of this text",
  menu: (count: number) => `Versions (${number(count)})`,
  changedOn: (date: string) => `The text changed on ${date}.`,
  showChanges: "Show what changed",
  openEarlier: "Open the earlier text",
  reading: (moment: string) => `You are reading the text of ${moment}.`,
  readingEarlier: "You are reading an earlier text.",
  showCurrent: "Show the current text",
  current: "Current text",
  open: "Open",
  openOf: (moment: string) => `Open the text of ${moment}`,
  compare: "Compare with the current text",
  compareOf: (moment: string) => `Compare with the current text: the text of ${moment}`,
  loadFailed: "Couldn't load the versions.",
  offline: "Versions need a connection. The text you opened stays readable.",
  notFound: "There is no such version of this text.",
  origins: {
    fetched: "Fetched",
    rendered: "Rendered in the browser",
    captured: "Captured in your browser",
    uploaded: "Uploaded",
    pasted: "Pasted",
    imported: "Imported",
    transcribed: "Transcribed",
    reread: "Read again from the kept page",
  } as Record<string, string>,
  only: "This is the only version. If the page changes, the new text is added and this one stays.",
};

export const changes = {
  title: "What changed",
  between: (before: string, after: string) => `From the text of ${before} to the text of ${after}.`,
  comparing: "Comparing the texts…",
  failed: "Couldn't compare the texts.",
  none: "The words are the same. Only spacing, formatting or pictures differ.",
  counts: (added: number, removed: number) =>
    `${counted(added, "word", "words")} added, ${counted(removed, "word", "words")} removed.`,
  added: "Added:",
  removed: "Removed:",
  end: "End of change.",
  unchanged: (count: number) => `Show ${counted(count, "unchanged paragraph", "unchanged paragraphs")}`,
};

export const downloads = {
  originalPage: "Download the original page",
};
