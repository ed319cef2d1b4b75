import { storedValue } from "@/device/stored-value";

/**
 * What the server's clock says. What is sent later than it was decided is sent with its time by that clock, and the
 * server keeps whatever was decided later. So a time that is too early loses silently, and must not lose against what
 * this device did itself:
 *
 * - The header has milliseconds and is of the moment in which the response begins (`Date` counts whole seconds, and a
 *   loaded server renews it late: it was over 2 s old). So the server's clock is ahead by no more than the header is
 *   ahead of the request, and by no less than it is ahead of the response. Each response can only narrow this: one that
 *   comes late says little and changes nothing. Only where two contradict each other a clock was set, and the newer
 *   one counts.
 * - Within these bounds the estimate is still a guess, and each window of this browser has its own. What the server
 *   did for this device it did before it responded, in whichever window: the latest time that any of them has seen is
 *   stored, and each decision remembers the one that was known when it was made (`after`). It is dated later than that
 *   even if the estimate is not.
 * - What was decided before the response to an earlier decision about the same entry came (because it waited, too, or
 *   because the user was quicker than the connection) gets the time of that one as its `after` when that is sent: see
 *   the queues.
 *
 * The database tells the time of a decision and the server that of a response: where these are two machines, their
 * clocks are as far apart as the operator lets them be.
 */
interface Bounds {
  least: number;
  most: number;
}

/** How far the server's clock is ahead of this device's, in ms. */
let bounds: Bounds | null = null;
let isKnown = false;
/** The latest time of the server that any window of this browser has seen. */
const stored = storedValue("nexus.server-time", 0);
let latest = 0;

/** Both clocks count whole milliseconds. */
const PRECISION_MS = 1;
/** A device that sleeps meanwhile reads a response hours later. */
const MAX_MS = 60_000;

/** `header`: that of a response which no cache has kept. */
export function noteServerTime(header: string | null, sentAt: number, receivedAt: number): void {
  isKnown = true; // as far as it can be
  const time = Date.parse(header ?? "");
  if (Number.isNaN(time) || receivedAt < sentAt || receivedAt - sentAt > MAX_MS) return;
  noteLatest(time);
  const found = { least: time - receivedAt - PRECISION_MS, most: time - sentAt + PRECISION_MS };
  const both = {
    least: Math.max(found.least, bounds?.least ?? found.least),
    most: Math.min(found.most, bounds?.most ?? found.most),
  };
  bounds = both.least <= both.most ? both : found;
}

/** Unless responses overtook each other, an earlier time is that of a clock which was set back. */
function noteLatest(time: number): void {
  const known = latestServerTime();
  if (time <= known && time >= known - MAX_MS) return;
  latest = time;
  stored.write(time);
}

export const isServerTimeKnown = () => isKnown;

export const latestServerTime = () => stored.read() || latest;

/** When it was by the server's clock: as here, as far as one can tell, else in the middle of what can be. */
export function serverTime(at: number): number {
  if (!bounds || (bounds.least <= 0 && bounds.most >= 0)) return at;
  return at + Math.round((bounds.least + bounds.most) / 2);
}

interface DecisionTime {
  /** When it was decided, by the clock of this device. */
  at: string;
  /** A time of the server that it was decided after, if one was known. */
  after?: number;
}

/** The time to send with it, by the server's clock. */
export const clientTime = ({ at, after = 0 }: DecisionTime) => Math.max(serverTime(Date.parse(at)), after && after + 1);
