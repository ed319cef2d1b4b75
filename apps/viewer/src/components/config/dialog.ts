import { ref } from "vue";

export type ConfigTabName = "feeds" | "config" | "health";

/** Which tab of the configuration dialog is open; null: none. */
export const openTab = ref<ConfigTabName | null>(null);
