import type { ServerPosition } from "@/api/positions";
import { serverTime } from "@/api/server-clock";
import { storedPositions } from "@/device/stored-positions";
import { deviceUser } from "@/device/user";
import { positionQueue } from "@/positions/position-queue";

interface Position {
  /** Where to resume; 0 after the end. */
  second: number;
  duration: number;
  /** By the server's clock, as far as it is known. */
  at: number;
}

const positions = storedPositions<Position>("nexus.listening", 1000);
/** Stopped this close to the end, an episode counts as heard. */
const END = { seconds: 10, share: 0.02 };

/**
 * Where the user stopped listening to each episode, as this browser knows it. The server is told, and
 * later positions of it are adopted.
 */
export const audioPositions = {
  of: (mediaId: string): Position | undefined =>
    deviceUser.value ? positions.get(deviceUser.value, mediaId) : undefined,

  /** `isSent`: the server gets it, too. */
  remember(mediaId: string, second: number, duration: number, isSent: boolean): void {
    if (!deviceUser.value) return;
    const isOver = duration > 0 && second >= duration - Math.min(END.seconds, duration * END.share);
    const resumed = isOver ? 0 : Math.floor(second);
    const now = Date.now();
    positions.set(deviceUser.value, mediaId, { second: resumed, duration, at: serverTime(now) });
    if (isSent) positionQueue.add(mediaId, "audio", { audio_ms: resumed * 1000 }, now);
  },

  /**
   * From another device; whether it is later than what was known here. Also our own, with the time that the server gave
   * it.
   */
  adopt({ media_id, audio_ms, audio_time }: ServerPosition): boolean {
    const known = audioPositions.of(media_id);
    if (!deviceUser.value || audio_ms === null || !audio_time) return false;
    const at = Date.parse(audio_time);
    const second = Math.floor(audio_ms / 1000);
    const isOurs = known?.second === second;
    if (known && known.at >= at && !isOurs) return false;
    positions.set(deviceUser.value, media_id, { second, duration: known?.duration ?? 0, at });
    return !isOurs;
  },
};
