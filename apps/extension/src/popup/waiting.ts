import { button, byId } from "../shared/elements";
import { ask, type Waiting } from "../shared/messages";
import * as texts from "../shared/texts";

/** What is still in the outbox, with the server's reason where it refused. */
export async function showWaiting(): Promise<void> {
  const waiting = await ask("waiting", {});
  byId("waiting").hidden = waiting.length === 0;
  byId("entries").replaceChildren(...waiting.map(row));
}

function row(entry: Waiting): HTMLElement {
  const made = document.createElement("li");
  const title = document.createElement("p");
  title.textContent = entry.title || entry.url;
  const state = document.createElement("p");
  state.textContent = entry.problem ?? texts.waits;
  state.className = entry.problem ? "bad" : "faint";
  const actions = document.createElement("div");
  actions.className = "buttons";
  actions.append(
    button(texts.retry, () => void ask("retry", { key: entry.key }).then(showWaiting)),
    button(texts.discard, () => void ask("discard", { key: entry.key }).then(showWaiting)),
  );
  made.append(title, state, actions);
  return made;
}
