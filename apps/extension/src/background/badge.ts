/** The icon: how many saves are on their way, and for a moment what became of the last one. */
import * as texts from "../shared/texts";
import { entries } from "./outbox";

const SHOWN_MS = 3_000;

export async function showCount(): Promise<void> {
  const waiting = await entries();
  const hasProblem = waiting.some((entry) => entry.problem);
  await set(waiting.length ? String(waiting.length) : "", hasProblem ? "#b3261e" : "#5f6368", texts.name);
}

export function showDone(): void {
  void set("✓", "#1e7d34", texts.saved);
  setTimeout(() => void showCount(), SHOWN_MS);
}

export function showFailed(why: string): void {
  void set("!", "#b3261e", why);
}

async function set(text: string, color: string, title: string): Promise<void> {
  await chrome.action.setBadgeText({ text });
  await chrome.action.setBadgeBackgroundColor({ color });
  await chrome.action.setTitle({ title });
}
