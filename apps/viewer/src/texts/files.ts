/** What is said about files that are not simply a text or a list of links. */
export const files = {
  pasted: "What you pasted",
  isExport: (name: string, source: string, shape: string) => `${name} is an export from ${source} (${shape})`,
  isData: (name: string, shape: string) =>
    shape === "OPML" ? `${name} is an OPML list of feeds` : `${name} is a ${shape} list`,
  canImport: "Import it: tags, dates, notes and read marks are kept, and you see a preview before anything is saved.",
  import: "Import",
  saveAsText: "Save as one text",
  cancel: "Cancel",
  unreadable: (name: string) => `${name} could not be read. Folders cannot be dropped; choose the files in them.`,
  cannotSave: {
    pdf: (name: string) => `${name} is a PDF, and PDFs can't be saved yet. Copy its text and paste it here.`,
    epub: (name: string) => `${name} is an e-book, and e-books can't be saved yet.`,
    office: (name: string) =>
      `${name} is an office document. Copy its text and paste it here, or save it as .txt or .html.`,
    picture: (name: string) => `${name} is a picture. Only texts and links can be saved.`,
    media: (name: string) => `${name} is audio or video. Only texts and links can be saved.`,
    compressed: (name: string) => `${name} is compressed. Unpack it and drop the files in it.`,
    other: (name: string) =>
      `${name} is not a text file. Text, saved pages, link files and bookmark exports can be dropped.`,
  },
};
