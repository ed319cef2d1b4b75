const number = (count: number) => new Intl.NumberFormat("en").format(count);
const items = (count: number) => (count === 1 ? "1 item" : `${number(count)} items`);

type EntryTitles = { title: string }[];
/** One is named, many are counted, and so are those of which only the number is known. */
function named(entries: EntryTitles | number): string {
  if (typeof entries === "number") return items(entries);
  return entries.length === 1 ? `“${entries[0]?.title}”` : items(entries.length);
}

/** What was done, to be undone. */
export const actions = {
  archived: (entries: EntryTitles | number, isArchived: boolean) =>
    isArchived ? `${named(entries)} archived` : `${named(entries)} moved to the Inbox`,
  starred: (entries: EntryTitles | number, isStarred: boolean) =>
    `${named(entries)} ${isStarred ? "starred" : "no longer starred"}`,
  marked: (entries: EntryTitles | number, isRead: boolean) =>
    `${named(entries)} marked as ${isRead ? "read" : "unread"}`,
  tagged: (entries: EntryTitles | number, tag: string) => `${named(entries)} tagged “${tag}”`,
  tagsChanged: (entries: EntryTitles) => `Tags of ${named(entries)} changed`,
  removed: (count: number) => `${items(count)} deleted`,
  edited: "Saved",
  unsent: (count: number) => (count === 1 ? "1 change not sent yet" : `${number(count)} changes not sent yet`),
  undone: (count: number) => `${items(count)} restored`,
  undoFailed: (reason: string) => `Couldn't undo it. ${reason}`,
  failed: (reason: string) => `Nothing was changed. ${reason}`,
  keptSince: (entries: EntryTitles) =>
    entries.length === 1
      ? `${named(entries)} was kept: it was changed on another device after you deleted it.`
      : `${named(entries)} were kept: they were changed on another device after you deleted them.`,
  gone: (entries: EntryTitles) => `${named(entries)} ${entries.length === 1 ? "is" : "are"} no longer in your library.`,
  refused: (entries: EntryTitles, reason: string) => `${named(entries)} couldn't be changed. ${reason}`,
};

/** What the list shows. */
export const filters = {
  views: { inbox: "Inbox", unread: "Unread", starred: "Starred", archive: "Archive", all: "Everything" },
  archive: { inbox: "In the Inbox", archive: "In the Archive", all: "Inbox and Archive" },
  starred: "Starred",
  untagged: "Without tags",
  tag: (name: string) => `#${name}`,
  between: (min: number | null, max: number | null) => {
    if (min === null && max === null) return "Any length";
    if (min === null) return `Up to ${max} min`;
    return max === null ? `${min} min or more` : `${min} to ${max} min`;
  },
  countsWithout: (count: number) =>
    `The counts don't include ${count === 1 ? "1 unsent change" : `${number(count)} unsent changes`}.`,
  shown: "Filters",
  remove: (label: string) => `Remove the filter “${label}”`,
  clear: "Clear all",
  more: "Tags and filters",
  refine: "Filter",
  where: "Where",
  length: "Length",
  site: "Site",
  siteHint: "such as example.org",
  onlySite: (site: string) => `Show only ${site}`,
  apply: "Show",
  sort: "Sort by",
  sorts: {
    newest: "Newest first",
    oldest: "Oldest first",
    longest: "Longest first",
    shortest: "Shortest first",
    title: "Title",
    recently_read: "Recently read",
  },
  emptyInbox: "Your Inbox is empty. What you archived is in the Archive.",
  emptyArchive:
    "Nothing is archived yet. Archive what you are done with: it leaves the Inbox and stays in your library.",
  emptyStarred: "Nothing is starred yet.",
};

export const saved = {
  title: "Saved searches",
  save: "Save this search",
  name: "Name",
  saved: (name: string) => `“${name}” saved`,
  more: "1,000+",
  actionsOf: (name: string) => `Actions for “${name}”`,
  rename: "Rename",
  remove: "Delete",
  removed: (name: string) => `“${name}” deleted`,
  empty: "Enter a name.",
};

export const tags = {
  title: "Tags",
  manage: "Manage tags",
  expand: (name: string) => `Show the tags below “${name}”`,
  collapse: (name: string) => `Hide the tags below “${name}”`,
  of: (names: string) => `Tags of ${names}`,
  named,
  find: "Find or create a tag",
  hint: "A slash puts a tag below another: science/space.",
  create: (name: string) => `Create “${name}”`,
  none: "There are no tags yet. Type a name to create one.",
  some: "on some of them",
  tooLong: "A tag can have up to 100 characters.",
  empty: "Enter a name.",
  emptyPart: "Enter a name before and after each slash.",
  moreTags: (names: string) => `and “${names}”`,
  filter: (name: string) => `Show what is tagged “${name}”`,
  nameOf: (name: string) => `Name of “${name}”`,
  rename: "Rename",
  renamed: (name: string) => `Renamed to “${name}”`,
  merged: (name: string, target: string) => `“${name}” merged with “${target}”`,
  merge: (name: string, target: string, count: number) =>
    `“${target}” exists already. ${items(count)} of “${name}” will be tagged “${target}” instead. This can't be undone.`,
  mergeNow: "Merge",
  remove: "Delete",
  removeNow: (name: string, count: number) =>
    `Delete the tag “${name}”? It is taken off ${items(count)}; the items stay.`,
  removed: (name: string) => `Tag “${name}” deleted`,
  keep: "Cancel",
  colorOf: (name: string) => `Colour of “${name}”`,
  noColor: "No colour",
  colors: {
    red: "Red",
    orange: "Orange",
    yellow: "Yellow",
    green: "Green",
    teal: "Teal",
    blue: "Blue",
    purple: "Purple",
    grey: "Grey",
  },
  count: (count: number) => items(count),
};

/** Actions on one entry, or on several. */
export const organise = {
  archive: "Archive",
  unarchive: "Move to the Inbox",
  star: "Star",
  unstar: "Remove the star",
  tag: "Tags",
  edit: "Edit title and note",
  archiveOf: (title: string) => `Archive “${title}”`,
  unarchiveOf: (title: string) => `Move “${title}” to the Inbox`,
  starOf: (title: string) => `Star “${title}”`,
  unstarOf: (title: string) => `Remove the star of “${title}”`,
  tagOf: (title: string) => `Tags of “${title}”`,
  moreOf: (title: string) => `More actions for “${title}”`,
  sheet: "Archive, star, tags and more",
  starred: "Starred",
  archived: "Archived",
  note: "Note",
  title: "Title",
  titleHint: "Leave it empty to show the page's own title.",
  noteHint: "Only you see it.",
  save: "Save",
  select: "Select",
  selectOf: (title: string) => `Select “${title}”`,
  selected: (count: number) => `${number(count)} selected`,
  allSelected: (count: number | null) => (count === null ? "All results selected" : `All ${number(count)} selected`),
  selectAll: "Select all results",
  selectLoaded: "Select all",
  clear: "Clear the selection",
  bar: "Actions for the selection",
  markRead: "Mark as read",
  markUnread: "Mark as unread",
  remove: "Delete",
  download: "Download the selection",
  refreshing: "Refreshing…",
  pull: "Pull to refresh",
  release: "Release to refresh",
};

/** What this browser keeps for reading without a connection. */
export const offline = {
  title: "Keep offline",
  keepInbox: "Keep the Inbox offline",
  keepTag: (tag: string) => `Keep “${tag}” offline`,
  hint: "Its texts and pictures are stored in this browser and can be opened without a connection.",
  keeping: (kept: number, total: number) => `Keeping ${number(kept)} of ${number(total)} texts…`,
  kept: (kept: number) => `${number(kept)} ${kept === 1 ? "text is" : "texts are"} in this browser.`,
  full: (kept: number, total: number, limit: string) =>
    `The limit of ${limit} is reached: ${number(kept)} of ${number(total)} texts are in this browser.`,
  newest: (count: number) => `Only the ${number(count)} newest are kept.`,
  failed: (count: number, titles: string) =>
    count === 1
      ? `“${titles}” couldn't be kept offline because the server couldn't provide it.`
      : `${number(count)} texts couldn't be kept offline because the server couldn't provide them: “${titles}”.`,
  size: (size: string) => `It uses ${size}.`,
  limit: "Use up to",
  megabytes: (size: number) => (size < 1000 ? `${size} MB` : `${size / 1000} GB`),
};
