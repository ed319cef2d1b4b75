import { shallowRef } from "vue";
import type { ListedHighlight } from "@/api/highlights";

/** The dialog that is open over a list of highlights. */
export const openDialog = shallowRef<{ kind: "note" | "tags" | "card"; highlight: ListedHighlight } | null>(null);
