const number = (count: number) => new Intl.NumberFormat("en").format(count);
const links = (count: number) => (count === 1 ? "1 link" : `${number(count)} links`);

/** What is said about files that are not simply a text or a list of links. */
export const files = {
  pasted: "What you pasted",
  isExport: (name: string, source: string, shape: string) => `${name} is an export from ${source} (${shape})`,
  isData: (name: string, shape: string) =>
    shape === "OPML" ? `${name} is an OPML list of feeds` : `${name} is a ${shape} list`,
  notYet:
    "Importing is not available yet: folders, tags, dates, notes and read marks would be left out. You can save the links in it now, as if you had just found them.",
  noLinks: "Importing is not available yet, and there is no link in it that could be saved.",
  feeds:
    "It lists feeds, not articles. Podcast feeds are added by the operator of this server: Feeds in the status bar, then Import OPML.",
  archive: (members: string) =>
    `Importing is not available yet. To save its links now, unpack it and drop the files named ${members} here. Folders, tags, dates and notes would be left out.`,
  and: (count: number) => `… and ${number(count)} more`,
  saveLinks: (count: number) => (count === 1 ? "Save the link" : `Save ${links(count)}`),
  saveAsText: "Save as one text",
  cancel: "Cancel",
  tooLarge: (name: string) => `${name} is larger than 100 MB, which is more than this page can read.`,
  unreadable: (name: string) => `${name} could not be read. Folders cannot be dropped; choose the files in them.`,
  cannotSave: {
    pdf: (name: string) => `${name} is a PDF, and PDFs can't be saved yet. Copy its text and paste it here.`,
    epub: (name: string) => `${name} is an e-book, and e-books can't be saved yet.`,
    office: (name: string) =>
      `${name} is an office document. Copy its text and paste it here, or save it as .txt or .html.`,
    zip: (name: string) => `${name} is a ZIP archive. Unpack it and drop the files in it.`,
    picture: (name: string) => `${name} is a picture. Only texts and links can be saved.`,
    media: (name: string) => `${name} is audio or video. Only texts and links can be saved.`,
    firefox: (name: string) =>
      `${name} is a backup of Firefox bookmarks. In Firefox choose “Export Bookmarks to HTML” and drop that file.`,
    compressed: (name: string) => `${name} is compressed. Unpack it and drop the files in it.`,
    other: (name: string) =>
      `${name} is not a text file. Text, saved pages, link files and bookmark exports can be dropped.`,
  },
};
