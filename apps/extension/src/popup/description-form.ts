import { byId } from "../shared/elements";
import { ask } from "../shared/messages";
import type { LookupResult } from "../shared/types";
import { TagField } from "./tag-field";

interface Described {
  key: string | null;
  url: string;
  mediaId: string | null;
}

const tagField = new TagField();

/** Tags and note of what was just saved, or of what was there already. */
export class DescriptionForm {
  private readonly form = byId<HTMLFormElement>("description");
  private readonly note = byId<HTMLTextAreaElement>("note");
  private readonly tags = tagField;

  constructor(
    private readonly page: Described,
    known: LookupResult | null,
  ) {
    this.tags.tags = known?.tags ?? [];
    this.note.value = known?.note ?? "";
    this.form.onsubmit = (event) => {
      event.preventDefault();
      void this.send();
    };
  }

  show(): void {
    this.form.hidden = false;
    byId("tag").focus();
    // Without completion tags can still be typed.
    ask("tags", {}).then(
      (names) => this.tags.suggest(names),
      () => this.tags.suggest([]),
    );
  }

  private async send(): Promise<void> {
    try {
      await ask("describe", { ...this.page, tags: this.tags.tags, note: this.note.value.trim() });
      window.close();
    } catch (error) {
      byId("form-problem").textContent = error instanceof Error ? error.message : String(error);
    }
  }
}
