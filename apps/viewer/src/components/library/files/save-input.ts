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

interface SaveTarget {
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
export function saveText(name: string | null, text: string, { save, refuse, confirm }: SaveTarget): void {
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
function saveFile(name: string, content: Content, target: SaveTarget): boolean {
  if (content.kind === "export") return true;
  if (content.kind === "binary") target.refuse(texts.files.cannotSave[content.what](name));
  else if (parseFile(name, content.text).kind === "export") return true;
  else saveText(name, content.text, target);
  return false;
}

export async function saveFiles(files: Iterable<File>, target: SaveTarget): Promise<void> {
  const exported: File[] = [];
  for (const file of files) {
    try {
      if (saveFile(file.name, await readFile(file), target)) exported.push(file);
    } catch {
      target.refuse(texts.files.unreadable(file.name));
    }
  }
  if (exported.length) await importFiles(exported, target);
}

/** All of them together: an export may have several parts. */
export async function importFiles(files: File[], target: SaveTarget): Promise<void> {
  target.tell(texts.imports.reading);
  try {
    target.preview((await uploadImport(files, () => {})).id);
  } catch (error) {
    target.refuse(messageOf(error));
  }
}
