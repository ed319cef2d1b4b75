import { nextTick, ref } from "vue";

/** The text in the save box; other pages may set it, too. */
const draft = ref("");
let field: HTMLTextAreaElement | null = null;

export function useSaveBox() {
  return {
    draft,
    registerField: (element: HTMLTextAreaElement | null) => {
      field = element;
    },
    focusSaveBox: async () => {
      await nextTick();
      field?.focus();
    },
  };
}
