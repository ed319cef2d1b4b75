/** A full load: no data of the last user stays in memory, nor in a page that the browser would restore on Back. */
export function leavePage(address: string): void {
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) window.location.reload();
  });
  window.location.replace(address);
}
