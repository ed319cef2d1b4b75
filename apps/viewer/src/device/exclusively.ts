/**
 * Runs `work` in one window of this browser at a time. Browsers have such locks over HTTPS and on the machine that runs
 * Nexus; elsewhere it may run in several windows at once.
 */
export async function exclusively(name: string, work: () => Promise<void>): Promise<void> {
  if ("locks" in navigator) await navigator.locks.request(name, work);
  else await work();
}
