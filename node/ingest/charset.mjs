/** Which charset Chromium must read a document in, where it would have to guess or the label is wrong. */

const PAGE_TYPE = /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i;
const HEADER_CHARSET = /charset\s*=\s*["']?([\w.:-]+)/i;
const META_CHARSET =
  /<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)/i;
const META_WINDOW = 4096;
const BYTE_ORDER_MARKS = [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** Whether the bytes must be inspected: a page labelled UTF-8 is read as that anyway. */
export function mayNeedCharset(type, hint) {
  if (type !== "" && !PAGE_TYPE.test(type)) return false;
  return !isUtf8(HEADER_CHARSET.exec(type)?.[1]) || (hint && !isUtf8(hint));
}

/**
 * The same rules as nexus/text/extraction/charset.py: valid UTF-8 is UTF-8 whatever the label says; `hint`, the charset
 * detected when the page was fetched, counts where no label does.
 */
export function charsetOf(body, type, hint) {
  if (BYTE_ORDER_MARKS.some((mark) => body.subarray(0, mark.length).equals(mark))) return null;
  if (body[0] === 0x3c && body[1] === 0) return "utf-16le";
  if (body[0] === 0 && body[1] === 0x3c) return "utf-16be";
  if (isAscii(body)) return null;
  if (isValidUtf8(body)) return "utf-8";
  const meta = META_CHARSET.exec(body.toString("latin1", 0, META_WINDOW));
  const believed = [HEADER_CHARSET.exec(type)?.[1], meta?.[1] ?? meta?.[2]].find(isKnown);
  return hint && (!believed || isUtf8(believed)) ? hint : null;
}

export function withCharset(headers, body, charset) {
  const type = contentType(headers);
  // Without a type Chromium sniffs the content; a type with a charset would turn any file into a page.
  if (type === "" && !/^\s*</.test(body.toString("latin1", 0, META_WINDOW))) return headers;
  const value = `${type.split(";")[0].trim() || "text/html"}; charset=${charset}`;
  return [...headers.filter(({ name }) => !isContentType(name)), { name: "Content-Type", value }];
}

export function contentType(headers) {
  return headers.find(({ name }) => isContentType(name))?.value ?? "";
}

function isContentType(name) {
  return name.toLowerCase() === "content-type";
}

function isUtf8(label) {
  return /^utf-?8$/i.test(label ?? "");
}

function isKnown(label) {
  try {
    return Boolean(label) && new TextDecoder(label) !== null;
  } catch {
    return false;
  }
}

function isAscii(body) {
  return body.every((byte) => byte < 0x80);
}

function isValidUtf8(body) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(body);
    return true;
  } catch {
    return false;
  }
}
