import { onActivated, onBeforeUnmount, onDeactivated, onMounted } from "vue";

type Handler = (event: KeyboardEvent) => void;
const layers: Record<string, Handler>[] = [];

/** "g i" is g, and then i within this time. */
const KEY_SEQUENCE_MS = 1500;
let last = { key: "", at: Number.NEGATIVE_INFINITY };

const WITHOUT_TEXT = "input:is([type=checkbox], [type=radio], [type=range], [type=button])";
const MOVED_BY_KEYS = "input:is([type=radio], [type=range])";

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || target.matches(WITHOUT_TEXT)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Space and Enter activate the focused element, arrows move some. */
function isPress({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (/^(Arrow|Page|Home$|End$)/.test(key)) return target.matches(MOVED_BY_KEYS);
  return (key === " " || key === "Enter") && target.closest("button, a, summary, input, [role=tab]") !== null;
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (isPress(event)) return;
  if (document.querySelector("dialog[open]")) return;
  const both = event.timeStamp - last.at < KEY_SEQUENCE_MS ? `${last.key} ${event.key}` : "";
  last = { key: event.key, at: event.timeStamp };
  const handler = handlerOf(both) ?? handlerOf(event.key);
  if (!handler) return;
  event.preventDefault();
  handler(event);
}

const handlerOf = (keys: string) => layers.findLast((layer) => layer[keys])?.[keys];

/** Once, for the whole app; call the result to stop. */
export function startShortcuts(): () => void {
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

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
