import { ref } from "vue";
import type { LocationQueryRaw } from "vue-router";

/** The filters and the search that the library was left with, for the way back. */
export const lastList = ref<LocationQueryRaw>({});
