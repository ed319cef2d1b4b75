import { shallowReactive } from "vue";

interface Toast {
  id: number;
  message: string;
  tone: "info" | "bad";
  action?: { label: string; run: () => void };
  /** Until it is dismissed or acted on. */
  stays?: boolean;
}

interface Options {
  tone?: Toast["tone"];
  action?: Toast["action"];
  /** Runs once, when the toast disappears without its action. */
  onGone?: () => void;
  seconds?: number;
  stays?: boolean;
}

/** How long an action on so many can be undone: many take longer to look through. */
export const undoSeconds = (count: number) => (count > 1 ? 12 : 6);

const toasts = shallowReactive<Toast[]>([]);
const endings = new Map<number, { timer: number; seconds: number; onGone?: (() => void) | undefined }>();
let last = 0;
/** While somebody points at one or has moved the focus there, none disappears. */
let isHeld = false;

function startTimer(id: number, seconds: number): number {
  return seconds === Infinity ? 0 : window.setTimeout(() => dismiss(id), seconds * 1000);
}

function hold(): void {
  isHeld = true;
  for (const { timer } of endings.values()) window.clearTimeout(timer);
}

/** Starts their time from the beginning. */
function release(): void {
  isHeld = false;
  for (const [id, ending] of endings) {
    window.clearTimeout(ending.timer);
    ending.timer = startTimer(id, ending.seconds);
  }
}

function remove(id: number): void {
  const index = toasts.findIndex((toast) => toast.id === id);
  if (index >= 0) toasts.splice(index, 1);
  window.clearTimeout(endings.get(id)?.timer);
  endings.delete(id);
  if (isHeld) release(); // what was pointed at is gone; not every browser says so
}

function dismiss(id: number): void {
  const ending = endings.get(id);
  remove(id);
  ending?.onGone?.();
}

function dismissAll(): void {
  for (const toast of [...toasts]) dismiss(toast.id);
}

function act(toast: Toast): void {
  remove(toast.id);
  toast.action?.run();
}

/** Its id, to dismiss it by. */
function show(message: string, options: Options = {}): number {
  last += 1;
  const id = last;
  const toast: Toast = { id, message, tone: options.tone ?? "info" };
  if (options.action) toast.action = options.action;
  if (options.stays) toast.stays = true;
  toasts.push(toast);
  const seconds = options.stays ? Infinity : (options.seconds ?? 6);
  endings.set(id, { timer: isHeld ? 0 : startTimer(id, seconds), seconds, onGone: options.onGone });
  return id;
}

/** What waits for a toast to disappear is not lost with the page. Once, for the whole app; call the result to stop. */
export function startToasts(): () => void {
  window.addEventListener("pagehide", dismissAll);
  return () => window.removeEventListener("pagehide", dismissAll);
}

export function useToasts() {
  return { toasts, show, dismiss, dismissAll, act, hold, release };
}
