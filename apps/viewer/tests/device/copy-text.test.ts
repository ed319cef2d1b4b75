import { afterEach, expect, test, vi } from "vitest";
import { copyText } from "../../src/device/copy-text";

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(document, "execCommand");
});

const clipboard = (writeText: (text: string) => Promise<void>) =>
  vi.stubGlobal("navigator", { clipboard: { writeText } });

test("a browser with a clipboard has the text there", async () => {
  const written: string[] = [];
  clipboard(async (text) => void written.push(text));
  expect(await copyText("Some words")).toBe(true);
  expect(written).toEqual(["Some words"]);
});

test("over plain HTTP the browser's own command copies it", async () => {
  vi.stubGlobal("navigator", {});
  const data = new Map<string, string>();
  const clipboardData = { setData: (type: string, text: string) => data.set(type, text) };
  document.execCommand = () => {
    const event = Object.assign(new Event("copy", { cancelable: true }), { clipboardData });
    return !document.dispatchEvent(event);
  };
  expect(await copyText("Some words")).toBe(true);
  expect(data.get("text/plain")).toBe("Some words");
  data.clear();
  document.dispatchEvent(Object.assign(new Event("copy"), { clipboardData }));
  expect(data.size).toBe(0); // what the user copies later is theirs
});

test("a browser that lets nobody copy is told of", async () => {
  clipboard(() => Promise.reject(new Error("NotAllowedError")));
  document.execCommand = () => false;
  expect(await copyText("Some words")).toBe(false);
});
