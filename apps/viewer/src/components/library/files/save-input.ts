import { messageOf } from "@/api/errors";
import { uploadImport } from "@/api/imports";
import type { SaveRequest } from "@/api/library";
import * as texts from "@/texts";
import { type Input, savesOf } from "../parse-input";
import { parseFile, parseForSaving } from "./parse-file";
import { type Content, readFile } from "./read-file";
import type { Confirmation } from "./useConfirmations";

/** Characters of a text. */
export const MAX_CHARS = 200_000;

interface Taker {
  save: (saves: SaveRequest[]) => void;
  refuse: (message: string) => void;
  confirm: (confirmation: Confirmation) => void;
  /** It takes a moment: what is being done. */
  tell: (message: string) => void;
  /** Files were read as an import, of which nothing is in the library yet. */
  preview: (importId: string) => void;
}

function confirmationOf(name: string, found: Extract<Input, { kind: "export" }>, fromDraft: boolean): Confirmation {
  const { text, source, shape } = found;
  return { name, source, shape, text, canBeText: text.length <= MAX_CHARS, fromDraft };
}

/** What was typed or pasted is an export of another program: asked about before it is saved. Null: it is none. */
export function confirmationForDraft(draft: string): Confirmation | null {
  const what = parseForSaving(draft);
  return what.kind === "export" ? confirmationOf(texts.files.pasted, what, true) : null;
}

/** `name`: null for what was dropped or pasted without a file. */
export function takeText(name: string | null, text: string, { save, refuse, confirm }: Taker): void {
  const called = name ?? texts.files.pasted;
  const parsed = parseFile(called, text);
  if (parsed.kind === "export") {
    confirm(confirmationOf(called, parsed, false));
    return;
  }
  const saves = savesOf(parsed);
  if (saves.length === 0) refuse(texts.saving.nothingInFile(called));
  else if (parsed.kind === "text" && parsed.text.length > MAX_CHARS) refuse(texts.saving.tooLong);
  else save(saves);
}

/** Whether the server is to read it as an export; all else is saved or refused here. */
function takeOne(name: string, content: Content, taker: Taker): boolean {
  if (content.kind === "export") return true;
  if (content.kind === "binary") taker.refuse(texts.files.cannotSave[content.what](name));
  else if (parseFile(name, content.text).kind === "export") return true;
  else takeText(name, content.text, taker);
  return false;
}

export async function takeFiles(files: Iterable<File>, taker: Taker): Promise<void> {
  const exported: File[] = [];
  for (const file of files) {
    try {
      if (takeOne(file.name, await readFile(file), taker)) exported.push(file);
    } catch {
      taker.refuse(texts.files.unreadable(file.name));
    }
  }
  if (exported.length) await importFiles(exported, taker);
}

/** All of them together: an export may have several parts. */
export async function importFiles(files: File[], taker: Taker): Promise<void> {
  taker.tell(texts.imports.reading);
  try {
    taker.preview((await uploadImport(files, () => {})).id);
  } catch (error) {
    taker.refuse(messageOf(error));
  }
}
