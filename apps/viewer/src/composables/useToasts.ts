import { shallowReactive } from "vue";

export interface Toast {
  id: number;
  message: string;
  tone: "info" | "bad";
  action?: { label: string; run: () => void };
}

interface Options {
  tone?: Toast["tone"];
  action?: Toast["action"];
  /** Runs once, when the toast disappears without its action. */
  onGone?: () => void;
  seconds?: number;
}

/** How long an action on so many can be undone: many take longer to look through. */
export const undoSeconds = (count: number) => (count > 1 ? 12 : 6);

const toasts = shallowReactive<Toast[]>([]);
const endings = new Map<number, { timer: number; onGone?: (() => void) | undefined }>();
let last = 0;

function remove(id: number): void {
  const index = toasts.findIndex((toast) => toast.id === id);
  if (index >= 0) toasts.splice(index, 1);
  window.clearTimeout(endings.get(id)?.timer);
  endings.delete(id);
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

function show(message: string, options: Options = {}): void {
  last += 1;
  const id = last;
  const toast: Toast = { id, message, tone: options.tone ?? "info" };
  if (options.action) toast.action = options.action;
  toasts.push(toast);
  endings.set(id, {
    timer: window.setTimeout(() => dismiss(id), (options.seconds ?? 6) * 1000),
    onGone: options.onGone,
  });
}

// What waits for a toast to disappear must not be lost with the page.
window.addEventListener("pagehide", dismissAll);

export function useToasts() {
  return { toasts, show, dismiss, dismissAll, act };
}
