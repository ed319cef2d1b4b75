import { onBeforeUnmount, type Ref, ref, watch } from "vue";

/** A panel below its button: a click elsewhere closes it, and so does Escape, which returns to the button. */
export function usePopup(root: Readonly<Ref<HTMLElement | null>>, button: Readonly<Ref<HTMLElement | null>>) {
  const isOpen = ref(false);
  function closeOutside(event: Event): void {
    if (isOpen.value && !root.value?.contains(event.target as Node)) isOpen.value = false;
  }
  function closeOnEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !isOpen.value) return;
    event.preventDefault(); // it closes nothing else
    isOpen.value = false;
    button.value?.focus();
  }
  function stopListening(): void {
    document.removeEventListener("pointerdown", closeOutside);
    document.removeEventListener("keydown", closeOnEscape);
  }
  // Only while it is open: each row of a list has such a button.
  watch(
    isOpen,
    (now) => {
      stopListening();
      if (!now) return;
      document.addEventListener("pointerdown", closeOutside);
      document.addEventListener("keydown", closeOnEscape);
    },
    { flush: "sync" },
  );
  onBeforeUnmount(stopListening);
  return isOpen;
}
