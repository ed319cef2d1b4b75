import { expect, test } from "vitest";
import vectors from "../../../python/tests/pure/vectors/export_files.json";
import { parseFile, parseForSaving } from "../src/components/library/files/parse-file";
import { readFile } from "../src/components/library/files/read-file";
import { recogniseExport } from "../src/components/library/files/recognise-export";

interface Vector {
  name: string;
  content: string;
  recognised?: boolean;
  source?: string | null;
  shape?: string;
  urls?: string[];
}

test.each(vectors as Vector[])("$name", ({ content, recognised = true, source, shape, urls }) => {
  expect(recogniseExport(content)).toEqual(recognised ? { source, shape, urls } : null);
});

test("an export is recognised, dropped or pasted, and so are browser bookmarks", () => {
  const csv = "title,url,time_added\nA,https://a.example/,1\n";
  expect(parseFile("part_000000.csv", csv)).toMatchObject({ kind: "export", source: "Pocket" });
  expect(parseFile("no-extension", csv).kind).toBe("export");
  expect(parseForSaving(csv)).toMatchObject({ kind: "export", urls: ["https://a.example/"] });
  const bookmarks = '\uFEFF<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.example/">A</A></DL>';
  expect(parseFile("pinboard_export", bookmarks).kind).toBe("export");
});

const bytes = (...parts: (string | number[])[]) =>
  new Blob(parts.map((part) => (typeof part === "string" ? part : new Uint8Array(part))));

/** A ZIP with empty members of these names: what counts is its directory. */
function zip(...names: string[]): Blob {
  const member = (name: string) => {
    const header = new DataView(new ArrayBuffer(46));
    header.setUint32(0, 0x02014b50, true);
    header.setUint16(28, name.length, true);
    return [new Uint8Array(header.buffer), name];
  };
  const directory = new Blob(names.flatMap(member));
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint32(12, directory.size, true);
  end.setUint32(16, 4, true);
  return new Blob(["PK\x03\x04", directory, end.buffer]);
}

test.each([
  ["pdf", bytes("%PDF-1.7\n", [0xe2, 0xe3])],
  ["picture", bytes([0x89], "PNG\r\n", [0x1a, 0x0a])],
  ["media", bytes("ID3", [4, 0, 0])],
  ["compressed", bytes([0x1f, 0x8b, 8, 0])],
  ["media", bytes([0, 0, 0, 0x18], "ftypmp42")],
  ["picture", bytes("RIFF", [4, 0, 0, 0], "WEBPVP8 ")],
  ["epub", zip("mimetype", "META-INF/container.xml")],
  ["office", zip("[Content_Types].xml", "word/document.xml")],
  ["other", bytes("half a text", [0, 1, 2])],
])("a binary file is recognised as %s", async (what, file) => {
  expect(await readFile(file)).toEqual({ kind: "binary", what });
});

test.each([
  ["a ZIP", zip("Export/metadata_0_to_20.json", "Export/content/a.html")],
  ["a ZIP of anything", zip("holiday/1.jpg")],
  ["a ZIP that is cut off", bytes("PK\x03\x04 cut off")],
  ["a backup of Firefox", bytes("mozLz40", [0, 1])],
])("%s is for the server to read", async (_name, file) => {
  expect(await readFile(file)).toEqual({ kind: "export" });
});

test.each([
  ["UTF-8", bytes([0xef, 0xbb, 0xbf], "Café"), "Café"],
  ["UTF-16", bytes([0xff, 0xfe, 0x43, 0x00, 0xe9, 0x00]), "Cé"],
  ["Windows-1252", bytes("Caf", [0xe9]), "Café"],
  ["nothing", bytes(), ""],
  ["Chinese, whose second byte is that of gzip", bytes("勋章是一种荣誉"), "勋章是一种荣誉"],
  ["words about audio tags", bytes("ID3 tags are read first"), "ID3 tags are read first"],
  ["words about video", bytes("The ftyp box comes first"), "The ftyp box comes first"],
  ["words about archives", bytes("Rar! is what it begins with"), "Rar! is what it begins with"],
])("a text in %s is read", async (_name, file, text) => {
  expect(await readFile(file)).toEqual({ kind: "text", text });
});
