import { watch } from "vue";
import { client, unwrap } from "@/api/client";
import { thumbnail } from "@/thumbnails";
import { at, isPlaying, length, speed, title, track } from "./state";

interface Controls {
  play: () => void;
  pause: () => void;
  close: () => void;
  skip: (direction: 1 | -1) => void;
  /** To the next or previous chapter, or paragraph. */
  jump: (direction: 1 | -1) => void;
  seek: (to: number) => void;
}

const isAudio = () => track.value?.kind === "audio";

/** Media keys, headphones and the lock screen. */
export function useMediaSession(controls: Controls): void {
  if (!("mediaSession" in navigator)) return;
  const session = navigator.mediaSession;
  const handlers: Partial<Record<MediaSessionAction, MediaSessionActionHandler>> = {
    play: controls.play,
    pause: controls.pause,
    stop: controls.close,
    seekbackward: () => controls.skip(-1),
    seekforward: () => controls.skip(1),
    previoustrack: () => controls.jump(-1),
    nexttrack: () => controls.jump(1),
    seekto: ({ seekTime }) => isAudio() && seekTime !== undefined && controls.seek(seekTime),
  };
  for (const [name, handler] of Object.entries(handlers)) {
    try {
      session.setActionHandler(name as MediaSessionAction, handler);
    } catch {
      // A browser that does not know this key.
    }
  }
  // Each at once: what plays was loaded before the player.
  const options = { immediate: true };
  const updateTitle = async ([playing, shown]: [typeof track.value, string]) => {
    if (!playing) {
      session.metadata = null;
      return;
    }
    const about = { title: shown, artist: playing.from ?? "" };
    session.metadata = new MediaMetadata(about);
    const picture = await pictureOf(playing.mediaId);
    if (!picture || track.value !== playing || title.value !== shown) return;
    const artwork = ([160, 320, 640] as const).map((width) => ({ src: thumbnail(picture, width) }));
    session.metadata = new MediaMetadata({ ...about, artwork });
  };
  const updatePlaybackState = ([playing, isNow]: [typeof track.value, boolean]) => {
    session.playbackState = playing ? (isNow ? "playing" : "paused") : "none";
  };
  const updatePosition = () => {
    if (!isAudio())
      session.setPositionState(); // sentences are no seconds
    else if (length.value > 0 && at.value <= length.value)
      session.setPositionState({ duration: length.value, position: at.value, playbackRate: speed.value });
  };
  watch([track, title], updateTitle, options);
  watch([track, isPlaying], updatePlaybackState, options);
  watch([track, at, length, speed], updatePosition, options);
}

/** Without it the lock screen shows the title alone. */
async function pictureOf(mediaId: string): Promise<string | null> {
  try {
    const params = { path: { media_id: mediaId } };
    return (await unwrap(client.GET("/api/library/{media_id}", { params }))).lead_image;
  } catch {
    return null;
  }
}
