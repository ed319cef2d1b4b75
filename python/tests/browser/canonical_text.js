// docs/reference/canonical-text.md a second time, on a browser's own tree: the vectors hold for both.
(vectors) => {
  const names = (text) => new Set(text.split(" "));
  const BLOCKS = names(
    "P BLOCKQUOTE PRE UL OL LI H1 H2 H3 H4 H5 H6 TABLE THEAD TBODY TFOOT CAPTION DL DT DD FIGURE FIGCAPTION " +
      "DIV SECTION ARTICLE HEADER FOOTER ASIDE HR BR",
  );
  const IGNORED = names("SCRIPT STYLE NOSCRIPT TEMPLATE");
  const DROPPED = /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/g;
  const WHITE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;

  const canonicalize = (html) => {
    const body = new DOMParser().parseFromString("<!doctype html><body><div></div>", "text/html").body.firstChild;
    body.innerHTML = html;
    const words = [];
    const rows = [];
    let [newline, tabs, space] = [false, 0, false];

    const endLine = () => {
      if (tabs === 0) newline = true;
    };
    const endRow = () => {
      [newline, tabs] = [true, 0];
    };
    const write = (line) => {
      const text = line.replace(WHITE, " ");
      const word = text.replace(/^ | $/g, "");
      if (word === "") {
        space ||= text !== "";
        return;
      }
      space ||= text.startsWith(" ");
      if (words.length > 0) words.push(newline ? "\n" : tabs > 0 ? "\t".repeat(tabs) : space ? " " : "");
      words.push(word);
      [newline, tabs, space] = [false, 0, text.endsWith(" ")];
    };
    const visit = (node, inPre) => {
      if (node.nodeType === Node.TEXT_NODE) {
        const text = node.data.replace(DROPPED, "");
        (inPre ? text.split(/\r\n|\r|\n/) : [text]).forEach((line, index) => {
          if (index > 0) endLine();
          write(line);
        });
      }
      if (node.nodeType !== Node.ELEMENT_NODE || IGNORED.has(node.tagName)) return;
      const isRow = node.tagName === "TR";
      const isCell = node.tagName === "TD" || node.tagName === "TH";
      if (BLOCKS.has(node.tagName)) endLine();
      if (isRow) {
        endRow();
        rows.push(words.length);
      }
      if (isCell && rows.length > 0 && words.length > rows.at(-1)) {
        newline = false;
        tabs += 1;
      }
      for (const child of node.childNodes) visit(child, inPre || node.tagName === "PRE");
      if (BLOCKS.has(node.tagName)) endLine();
      if (isRow) {
        endRow();
        rows.pop();
      }
    };
    for (const child of body.childNodes) visit(child, false);
    return words.join("").normalize("NFC");
  };
  return vectors.map(({ html }) => canonicalize(html));
}
