/** After this time every browser has begun to write the file; the address then holds its content in memory no longer. */
const FORGET_MS = 60_000;

export function saveFile(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), FORGET_MS);
}
