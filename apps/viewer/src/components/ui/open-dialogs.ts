import { onBeforeUnmount, onMounted, type ShallowRef, shallowReactive } from "vue";

/** The modal dialogs that are open, the topmost last: nothing outside of that one can be clicked. */
export const openDialogs = shallowReactive<HTMLDialogElement[]>([]);

/** Opens the browser's own modal, which keeps the focus inside, closes on Escape and restores the focus. */
export function useModal(dialog: Readonly<ShallowRef<HTMLDialogElement | null>>): void {
  onMounted(() => {
    if (!dialog.value) return;
    dialog.value.showModal();
    openDialogs.push(dialog.value);
  });
  // Only a dialog that is closed restores the focus: one that is just removed from the page loses it.
  onBeforeUnmount(() => {
    dialog.value?.close();
    const index = dialog.value ? openDialogs.indexOf(dialog.value) : -1;
    if (index >= 0) openDialogs.splice(index, 1);
  });
}
