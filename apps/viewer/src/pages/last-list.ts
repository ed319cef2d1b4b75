import { ref } from "vue";
import type { LocationQueryRaw } from "vue-router";

/** The filters and the search the library was left with: the way back leads there. */
export const lastList = ref<LocationQueryRaw>({});
