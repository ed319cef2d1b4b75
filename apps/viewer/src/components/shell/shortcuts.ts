import { ref } from "vue";

export const showShortcuts = ref(false);
