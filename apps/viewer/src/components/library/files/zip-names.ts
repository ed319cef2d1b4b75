const END = 0x06054b50;
const MEMBER = 0x02014b50;
const END_BYTES = 22;
const MAX_REMARK = 65_535;
const MAX_DIRECTORY_BYTES = 16_000_000;

/** What a ZIP holds, from its directory at the end; nothing is unpacked. Empty when it cannot be read. */
export async function namesInZip(file: Blob): Promise<string[]> {
  const tail = await bytesOf(file, Math.max(0, file.size - END_BYTES - MAX_REMARK), file.size);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail.getUint32(at, true) !== END) continue;
    const size = Math.min(tail.getUint32(at + 12, true), MAX_DIRECTORY_BYTES);
    const start = tail.getUint32(at + 16, true);
    return names(await bytesOf(file, start, start + size));
  }
  return [];
}

const bytesOf = async (file: Blob, start: number, end: number) =>
  new DataView(await file.slice(start, end).arrayBuffer());

function names(directory: DataView): string[] {
  const found: string[] = [];
  const decoder = new TextDecoder();
  for (let at = 0; at + 46 <= directory.byteLength && directory.getUint32(at, true) === MEMBER; ) {
    const length = directory.getUint16(at + 28, true);
    const skipped = directory.getUint16(at + 30, true) + directory.getUint16(at + 32, true);
    if (at + 46 + length > directory.byteLength) break;
    found.push(decoder.decode(new Uint8Array(directory.buffer, directory.byteOffset + at + 46, length)));
    at += 46 + length + skipped;
  }
  return found;
}
