/** What every page needs. */
export const locale = "en";

export const product = "Nexus";

export const justNow = "just now";

export const errors = {
  offline: "Couldn't reach the server. Check that Nexus is running and that you are connected.",
  unreadable: (status: number) => `The server sent an unexpected response (${status}).`,
  unknown: "Something went wrong. Reload the page and try again.",
  retry: "Try again",
  requestId: (id: string) => `Request ${id}`,
  partFailed: "Couldn't load this part of the page. Check your connection and try again, or reload the page.",
  pageFailed: "Something went wrong on this page.",
  reload: "Reload",
};

export const nav = {
  main: "Main",
  library: "Library",
  dashboard: "Dashboard",
  add: "Save a link or text",
  skip: "Skip to the content",
  display: "Display settings",
  more: "More",
  shortcuts: "Keyboard shortcuts",
  settings: "Settings",
  signOut: "Sign out",
};

/** The tabs of the operator's dialog. */
export const tabs = { feeds: "Feeds", podcasts: "Podcasts", config: "Configuration", health: "Health" };

export const status = {
  queued: "Queued",
  processing: "Fetching",
  succeeded: "Ready to read",
  needs_user_text: "Couldn't fetch",
  failed: "Failed",
};

export const kinds = { web_article: "Articles", pasted_text: "Texts", podcast_episode: "Podcasts" };

export const kind = { web_article: "Article", pasted_text: "Text", podcast_episode: "Podcast" };

export const removal = {
  removed: (title: string) => `“${title}” deleted`,
  undo: "Undo",
  failed: (reason: string) => `Couldn't delete it. ${reason}`,
};

export const statusBar = {
  label: "Status",
  live: "Live",
  connecting: "Connecting…",
  lost: "Connection lost. Reconnecting…",
  offline: "Offline. Showing what is in this browser.",
  version: (version: string) => `Nexus ${version}`,
};

export const notFound = { title: "Page not found", back: "Go to the library" };

export const dialog = { close: "Close" };

export const toasts = "Notifications";

export const dismiss = "Dismiss";
