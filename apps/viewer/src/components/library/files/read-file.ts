import { namesInZip } from "./zip-names";

/** What a file holds, as far as the browser can tell. */
export type Content =
  | { kind: "text"; text: string }
  /** What only the server can read: a ZIP, a backup of Firefox, a file that is too large to be looked at here. */
  | { kind: "export" }
  | { kind: "binary"; what: BinaryKind };

type BinaryKind = "pdf" | "epub" | "office" | "picture" | "media" | "compressed" | "other";

const MAX_BYTES = 100_000_000;
const SNIFFED = 64;
/** What such a file begins with: bytes (one character each) at offsets, all of which must match. */
const MAGIC: [BinaryKind | "firefox", ...[at: number, bytes: string][]][] = [
  ["pdf", [0, "%PDF-"]],
  ["picture", [0, "\x89PNG"]],
  ["picture", [0, "\xFF\xD8\xFF"]],
  ["picture", [0, "GIF87a"]],
  ["picture", [0, "GIF89a"]],
  ["picture", [0, "RIFF"], [8, "WEBP"]],
  ["picture", [0, "\0"], [4, "ftypavif"]],
  ["picture", [0, "\0"], [4, "ftypheic"]],
  ["picture", [0, "\0"], [4, "ftypmif1"]],
  ["media", [0, "\0"], [4, "ftyp"]],
  ["media", [0, "ID3\x02"]],
  ["media", [0, "ID3\x03"]],
  ["media", [0, "ID3\x04"]],
  ["media", [0, "OggS\0"]],
  ["media", [0, "fLaC\0"]],
  ["media", [0, "fLaC\x80"]],
  ["media", [0, "\xFF\xFB"]],
  ["media", [0, "\xFF\xF3"]],
  ["media", [0, "\xFF\xF2"]],
  ["media", [0, "RIFF"], [8, "WAVE"]],
  ["media", [0, "RIFF"], [8, "AVI "]],
  ["media", [0, "\x1A\x45\xDF\xA3"]],
  ["firefox", [0, "mozLz40\0"]],
  ["compressed", [0, "\x1F\x8B"]],
  ["compressed", [0, "BZh"], [4, "1AY&SY"]],
  ["compressed", [0, "\xFD7zXZ\0"]],
  ["compressed", [0, "7z\xBC\xAF"]],
  ["compressed", [0, "Rar!\x1A\x07"]],
  ["office", [0, "\xD0\xCF\x11\xE0\xA1\xB1"]],
];

export async function readFile(file: Blob): Promise<Content> {
  const start = latin1(await file.slice(0, SNIFFED).arrayBuffer());
  const binary = MAGIC.find(([, ...parts]) => parts.every(([at, bytes]) => start.startsWith(bytes, at)))?.[0];
  if (binary === "firefox") return { kind: "export" };
  if (binary) return { kind: "binary", what: binary };
  if (start.startsWith("PK\x03\x04")) return inZip(await namesInZip(file));
  if (file.size > MAX_BYTES) return { kind: "export" };
  const text = decode(await file.arrayBuffer());
  return text === null ? { kind: "binary", what: "other" } : { kind: "text", text };
}

// The platform's decoder would take Latin-1 for the Windows encoding, which has other characters from 0x80 on.
const latin1 = (bytes: ArrayBuffer) => String.fromCharCode(...new Uint8Array(bytes));

function inZip(names: string[]): Content {
  if (names.includes("META-INF/container.xml")) return { kind: "binary", what: "epub" };
  const isOffice = names.some((name) => /^(word|xl|ppt)\/|^content\.xml$/.test(name));
  return isOffice ? { kind: "binary", what: "office" } : { kind: "export" };
}

/** UTF-8, UTF-16 with its mark, else the old Western encoding; null when no text comes out. */
function decode(bytes: ArrayBuffer): string | null {
  const [first, second] = new Uint8Array(bytes, 0, Math.min(2, bytes.byteLength));
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const wide = first === 0xff ? "utf-16le" : "utf-16be";
  const text = isWide ? tryDecode(wide, bytes) : (tryDecode("utf-8", bytes) ?? tryDecode("windows-1252", bytes));
  return text !== null && !hasControls(text) ? text : null;
}

/** Characters that no text has; ESC is part of old Japanese encodings. */
function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x20 && code !== 0x1b && (code < 0x09 || code > 0x0d)) return true;
  }
  return false;
}

function tryDecode(encoding: string, bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
