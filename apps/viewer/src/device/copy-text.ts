/** To the clipboard; false: the browser does not let us. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text); // over plain HTTP from another machine there is no such interface
  }
}

function copyByCommand(text: string): boolean {
  const write = (event: ClipboardEvent) => {
    event.preventDefault();
    event.stopPropagation();
    event.clipboardData?.setData("text/plain", text);
  };
  document.addEventListener("copy", write, { capture: true, once: true });
  const isCopied = document.execCommand("copy");
  document.removeEventListener("copy", write, { capture: true });
  return isCopied;
}
