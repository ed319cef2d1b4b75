import { computed, shallowRef } from "vue";
import { folded } from "@/device/decisions";
import { storedValue } from "@/device/stored-value";
import { deviceUser } from "@/device/user";

const MAX_SEARCHES = 20;
/** Shorter ones are typed faster than chosen. */
const MIN_CHARS = 3;
/** Counts the changes: what is stored is not reactive. */
const changes = shallowRef(0);

const storage = () =>
  deviceUser.value ? storedValue<string[]>(`nexus.recent-searches.${deviceUser.value}`, []) : null;

/** What this user searched for in this browser, the last first. */
export const recentSearches = computed<string[]>(() => {
  void changes.value;
  return storage()?.read() ?? [];
});

function write(searches: string[]): void {
  storage()?.write(searches);
  changes.value += 1;
}

/** Once it led somewhere: what is only half typed is no search. */
export function rememberSearch(q: string): void {
  const typed = q.trim();
  if (typed.length < MIN_CHARS) return;
  const others = recentSearches.value.filter((one) => folded(one) !== folded(typed));
  write([typed, ...others].slice(0, MAX_SEARCHES));
}

export const forgetSearches = () => write([]);
