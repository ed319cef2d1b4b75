import { onActivated, onBeforeUnmount, onDeactivated, onMounted } from "vue";

type Handler = (event: KeyboardEvent) => void;
const layers: Record<string, Handler>[] = [];

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
  for (const layer of [...layers].reverse()) {
    const handler = layer[event.key];
    if (handler) {
      event.preventDefault();
      handler(event);
      return;
    }
  }
}

window.addEventListener("keydown", onKey);

/** Single keys, while the component is shown and no text is typed; the newest component wins. */
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
