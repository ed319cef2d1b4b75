import type { SaveRequest } from "@/api/library";
import * as texts from "@/texts";
import { type Input, savesOf } from "../parse-input";
import { parseFile, parseForSaving } from "./parse-file";
import { type Content, readFile } from "./read-file";
import type { Confirmation } from "./useConfirmations";

/** Characters of a text. */
export const LONGEST = 200_000;

interface Taker {
  save: (saves: SaveRequest[]) => void;
  refuse: (message: string) => void;
  confirm: (confirmation: Confirmation) => void;
}

function confirmationOf(name: string, found: Extract<Input, { kind: "export" }>, fromDraft: boolean): Confirmation {
  const { text, source, shape, urls } = found;
  return { kind: "export", name, source, shape, urls, asText: text.length > LONGEST ? null : text, fromDraft };
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
  else if (parsed.kind === "text" && parsed.text.length > LONGEST) refuse(texts.saving.tooLong);
  else save(saves);
}

function takeOne(name: string, content: Content, taker: Taker): void {
  if (content.kind === "archive") taker.confirm({ ...content, name });
  else if (content.kind === "tooLarge") taker.refuse(texts.files.tooLarge(name));
  else if (content.kind === "binary") taker.refuse(texts.files.cannotSave[content.what](name));
  else takeText(name, content.text, taker);
}

export async function takeFiles(files: Iterable<File>, taker: Taker): Promise<void> {
  for (const file of files) {
    try {
      takeOne(file.name, await readFile(file), taker);
    } catch {
      taker.refuse(texts.files.unreadable(file.name));
    }
  }
}
