import type { HighlightColor } from "@/api/highlights";

const number = (count: number) => new Intl.NumberFormat("en").format(count);

/** Part of texts.ts. */
export const highlights = {
  title: "Highlights",
  of: (count: number) => (count ? `Highlights (${number(count)})` : "Highlights"),
  more: (count: number) => `${number(count)} more`,
  selection: "Highlight the selected text",
  edit: "Highlight",
  highlightIn: (color: HighlightColor) => `Highlight in ${color}`,
  colors: { yellow: "Yellow", green: "Green", blue: "Blue", pink: "Pink" } as Record<HighlightColor, string>,
  note: "Note",
  noteTooLong: (count: number) => `A note has at most 10,000 characters, this one has ${number(count)}.`,
  addNote: "Add a note",
  editNote: "Edit note",
  tags: "Tags",
  tagsOf: "Tags of the highlight",
  copy: "Copy as a quote with its source",
  copyMarkdown: "Copy as Markdown",
  copyLink: "Copy link",
  copied: "Copied",
  linkCopied: "Link copied.",
  copyFailed: "Couldn't copy. Select the text and copy it by hand.",
  remove: "Delete",
  deleted: "Highlight deleted",
  gone: "This highlight no longer exists.",
  play: (time: string) => `Play from ${time}`,
  none: "Select some text to highlight it.",
  offline: "You are offline. Highlights that were not loaded before are missing here.",
  loadFailed: "Couldn't load the highlights.",
  orphaned: "These words are not in the current text.",
  openVersion: "Open the version it was made in",
  attach: "Attach to another place",
  attaching: "Select the words it belongs to.",
  attachHere: "Attach here",
  attached: "Attached.",
  cancel: "Cancel",
  refused: (reason: string) => `Couldn't change the highlight. ${reason}`,
  lost: (count: number, reason: string) =>
    count === 1 ? `Couldn't save the highlight. ${reason}` : `Couldn't save ${number(count)} highlights. ${reason}`,
  copyLost: "Copy",
  notStored:
    "This browser has no room left. Keep this page open until it is online, or your latest highlights are lost.",
};
