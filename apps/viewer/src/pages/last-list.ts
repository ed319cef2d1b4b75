import { ref, shallowRef } from "vue";
import type { LocationQueryRaw } from "vue-router";
import type { Entry } from "@/api/types";

/** The filters and the search that the library was left with, for the way back. */
export const lastList = ref<LocationQueryRaw>({});

/** What the library shows now, as far as it is loaded. */
export const listedEntries = shallowRef<Entry[]>([]);
