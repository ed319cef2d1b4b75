/** How far the server's clock is ahead of this device's, in ms; 0 where they agree as far as one can tell. */
let ahead = 0;
let isKnown = false;
/** Of the header, which counts whole seconds and may be a second old. */
const PRECISION_MS = 2000;

/** `date`: that of a response which no cache has kept. */
export function noteServerTime(date: string | null, sentAt: number, receivedAt: number): void {
  isKnown = true; // as far as it can be
  const time = Date.parse(date ?? "");
  if (Number.isNaN(time)) return;
  const [least, most] = [time - receivedAt, time + PRECISION_MS - sentAt];
  if (least <= 0 && most >= 0) ahead = 0;
  else if (ahead < least || ahead > most) ahead = Math.round((least + most) / 2); // else what is known is as good
}

export const isServerTimeKnown = () => isKnown;

/** When it was by the server's clock. */
export const serverTime = (at: number) => at + ahead;
