import { ref } from "vue";

export const showSearchHelp = ref(false);
