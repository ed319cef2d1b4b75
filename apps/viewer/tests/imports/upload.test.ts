import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renderSetup } from "../components/render";
import { ADA, server } from "../composables/server";

/** Of the browser: sends nothing, and keeps what it would have sent. */
class Upload {
  static sent: Upload[] = [];
  readonly upload = { onprogress: (_event: { loaded: number; total: number }) => {} };
  readonly headers: Record<string, string> = {};
  status = 0;
  response: unknown = null;
  names: string[] = [];
  onload = () => {};
  onerror = () => {};
  open(): void {}
  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value;
  }
  send(form: FormData): void {
    this.names = form.getAll("files").map((file) => (file as File).name);
    Upload.sent.push(this);
  }
  answer(status: number, response: unknown): void {
    Object.assign(this, { status, response });
    this.onload();
  }
}

let unmount = () => {};
const file = (name: string) => new File(["Words"], name);

async function openImports() {
  vi.resetModules();
  const { useUpload } = await import("../../src/imports/useUpload");
  const opened = await renderSetup(useUpload, "/dashboard");
  unmount = opened.unmount;
  return { ...opened.result, path: () => opened.router.currentRoute.value.path };
}
async function sent(count: number): Promise<Upload> {
  await vi.waitFor(() => expect(Upload.sent).toHaveLength(count));
  return Upload.sent[count - 1] as Upload;
}

beforeEach(() => {
  Upload.sent = [];
  server();
  vi.stubGlobal("XMLHttpRequest", Upload);
});
afterEach(() => {
  unmount();
  vi.unstubAllGlobals();
});

test("files are sent once for their user, with their progress, and lead to the preview", async () => {
  const { share, upload, path } = await openImports();
  const done = upload([file("pocket.csv"), file("more.csv")]);
  void upload([file("twice.csv")]);
  const request = await sent(1);
  expect([request.names, request.headers]).toEqual([["pocket.csv", "more.csv"], { "X-Expected-User": ADA }]);
  request.upload.onprogress({ loaded: 1, total: 4 });
  expect(share.value).toBe(0.25);
  request.answer(201, { id: "i1" });
  await done;
  expect([path(), share.value, Upload.sent.length]).toEqual(["/settings/import/i1", null, 1]);
});

test("what the server refuses is told, and the next upload begins without it", async () => {
  const { share, problem, upload, path } = await openImports();
  const refused = upload([file("holiday.jpg")]);
  (await sent(1)).answer(422, { detail: { error: "unknown_export", message: "Nothing to import." } });
  await refused;
  expect(problem.value).toMatchObject({ code: "unknown_export", message: "Nothing to import." });
  expect([share.value, path()]).toEqual([null, "/dashboard"]);
  const next = upload([file("pocket.csv")]);
  expect(problem.value).toBeNull();
  (await sent(2)).onerror();
  await next;
  expect(problem.value).toMatchObject({ code: "offline" });
});

test("no files are no upload", async () => {
  const { share, upload } = await openImports();
  await upload([]);
  expect([share.value, Upload.sent]).toEqual([null, []]);
});
