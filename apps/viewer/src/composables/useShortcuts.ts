import { onActivated, onBeforeUnmount, onDeactivated, onMounted } from "vue";

type Handler = (event: KeyboardEvent) => void;
const layers: Record<string, Handler>[] = [];

/** "g i" is g, and then i within this time. */
const TOGETHER_MS = 1500;
let last = { key: "", at: Number.NEGATIVE_INFINITY };

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Space and Enter activate the focused element. */
function isPress({ key, target }: KeyboardEvent): boolean {
  const isPressKey = key === " " || key === "Enter";
  return isPressKey && target instanceof Element && target.closest("button, a, summary, [role=tab]") !== null;
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (isPress(event)) return;
  if (document.querySelector("dialog[open]")) return;
  const both = event.timeStamp - last.at < TOGETHER_MS ? `${last.key} ${event.key}` : "";
  last = { key: event.key, at: event.timeStamp };
  const handler = handlerOf(both) ?? handlerOf(event.key);
  if (!handler) return;
  event.preventDefault();
  handler(event);
}

const handlerOf = (keys: string) => layers.findLast((layer) => layer[keys])?.[keys];

window.addEventListener("keydown", onKey);

/** Single keys, or two after each other ("g i"), while the component is shown and no text is typed; the newest component wins. */
export function useShortcuts(keys: Record<string, Handler>): void {
  const add = () => {
    if (!layers.includes(keys)) layers.push(keys);
  };
  const remove = () => {
    const index = layers.indexOf(keys);
    if (index >= 0) layers.splice(index, 1);
  };
  onMounted(add);
  onActivated(add);
  onDeactivated(remove);
  onBeforeUnmount(remove);
}
