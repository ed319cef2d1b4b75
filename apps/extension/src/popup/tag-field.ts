import { button, byId } from "../shared/elements";
import * as texts from "../shared/texts";

/** One tag at a time, completed by the browser from those of the library; Enter or a comma adds it. */
export class TagField {
  private readonly input = byId<HTMLInputElement>("tag");
  private readonly list = byId("tags");
  private chosen: string[] = [];

  constructor() {
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== ",") return;
      if (event.key === "Enter" && !this.input.value.trim()) return; // an empty field sends the form
      event.preventDefault();
      this.take();
    });
    // Chosen from the suggestions. Not when the field is left: the list would grow under the button that is clicked.
    this.input.addEventListener("input", (event) => {
      if (!(event instanceof InputEvent) || event.inputType === "insertReplacementText") this.take();
    });
  }

  suggest(names: string[]): void {
    byId("known-tags").replaceChildren(
      ...names.map((name) => Object.assign(document.createElement("option"), { value: name })),
    );
  }

  set tags(names: string[]) {
    this.chosen = [...names];
    this.draw();
  }

  /** What is still being typed counts. */
  get tags(): string[] {
    this.take();
    return [...this.chosen];
  }

  private take(): void {
    const name = this.input.value.trim().replace(/,$/, "").trim();
    this.input.value = "";
    const isKnown = this.chosen.some((tag) => tag.toLowerCase() === name.toLowerCase());
    if (!name || isKnown) return;
    this.chosen.push(name);
    this.draw();
  }

  private draw(): void {
    this.list.replaceChildren(...this.chosen.map((name) => this.chip(name)));
  }

  private chip(name: string): HTMLElement {
    const chip = document.createElement("li");
    const remove = button(`${name} ×`, () => {
      this.tags = this.chosen.filter((tag) => tag !== name);
      this.input.focus();
    });
    remove.setAttribute("aria-label", texts.removeTag(name));
    chip.append(remove);
    return chip;
  }
}
