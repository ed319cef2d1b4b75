export const download = {
  text: "Download",
  list: "Download what the list shows",
  formats: {
    html: { name: "Web page", detail: "One HTML file with its pictures" },
    epub: { name: "E-book", detail: "EPUB, for e-readers" },
  },
  preparing: "Preparing the download…",
};
