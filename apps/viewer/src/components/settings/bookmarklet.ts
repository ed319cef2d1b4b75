/**
 * Opens the share page of this server with the address of the page that is shown. It neither fetches nor inserts
 * anything, so no content security policy of a page stops it; where a page may open no windows, it leaves the page.
 */
export function bookmarklet(server: string): string {
  const share = JSON.stringify(`${server}/share?`);
  const code =
    `(()=>{const to=${share}+new URLSearchParams({url:location.href,title:document.title});` +
    `open(to,"_blank","width=560,height=700")||location.assign(to)})()`;
  return `javascript:${encodeURIComponent(code)}`;
}
