/** A full load: nothing of whoever was here stays in memory, nor in a page the browser would show again on Back. */
export function leavePage(address: string): void {
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
  window.location.replace(address);
}
