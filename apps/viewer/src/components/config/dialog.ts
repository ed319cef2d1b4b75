import { onScopeDispose, type Ref, reactive, ref, watch } from "vue";

export type ConfigTabName = "feeds" | "podcasts" | "config" | "health";

/** Which tab of the configuration dialog is open; null: none. */
export const openTab = ref<ConfigTabName | null>(null);

/** The tabs with unsaved changes: closing the dialog needs a confirmation. */
export const unsaved = reactive(new Set<ConfigTabName>());

export function useUnsaved(tab: ConfigTabName, isChanged: Ref<boolean>): void {
  watch(isChanged, (changed) => (changed ? unsaved.add(tab) : unsaved.delete(tab)), { immediate: true });
  onScopeDispose(() => unsaved.delete(tab));
}
