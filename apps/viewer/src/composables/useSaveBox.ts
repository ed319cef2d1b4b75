import { nextTick, ref } from "vue";

/** What stands in the save box; also other pages may put something there. */
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
