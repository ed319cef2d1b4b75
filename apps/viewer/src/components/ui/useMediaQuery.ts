import { onScopeDispose, readonly, ref } from "vue";

/** Whether a media query matches, as the window changes. */
export function useMediaQuery(query: string) {
  const list = window.matchMedia(query);
  const matches = ref(list.matches);
  const update = () => {
    matches.value = list.matches;
  };
  list.addEventListener("change", update);
  onScopeDispose(() => list.removeEventListener("change", update));
  return readonly(matches);
}
