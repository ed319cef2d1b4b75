import { useQuery } from "@tanstack/vue-query";
import { computed, onBeforeUnmount, type Ref, shallowRef, watch } from "vue";
import { fetchPosition } from "@/api/positions";
import { type Position, textPositionOf, useProgress } from "@/composables/useProgress";
import { usePlayer } from "@/player/usePlayer";

interface Page {
  /** Once its text is there; where a search result or an earlier version is shown nothing is continued. */
  isReady: Ref<boolean>;
  mayMove: () => boolean;
  /** Whether the reader has moved since it was opened. */
  hasMoved: () => boolean;
  goTo: (position: Position) => void;
  markHere: () => void;
}

export interface Offer {
  position: Position;
  device: string | null;
}

const isBegun = ({ share }: Position) => share > 0.02 && share < 0.98;

/**
 * Opens a text where the user was, on whichever device. What another device says while the text is being read is only
 * offered: the page never moves by itself.
 */
export function useContinue(mediaId: Ref<string | null>, page: Page) {
  const { positionOf, ownTimeOf, adopt } = useProgress();
  const player = usePlayer();
  const offer = shallowRef<Offer | null>(null);
  const held = useQuery({
    queryKey: computed(() => ["position", mediaId.value]),
    queryFn: () => fetchPosition(mediaId.value as string),
    enabled: () => mediaId.value !== null,
    staleTime: 0,
    retry: false, // where one was in this browser is known without it
  });
  let isOpening = true;
  /** As far as this window knows: later places are another device's. */
  let seen = 0;

  function open(): void {
    const known = mediaId.value ? positionOf(mediaId.value) : undefined;
    seen = known?.at ?? 0;
    if (known && isBegun(known) && page.mayMove()) page.goTo(known);
    else page.markHere();
  }
  function adoptHeld(): void {
    if (!held.data.value) return;
    player.adopt(held.data.value);
    const position = textPositionOf(held.data.value);
    if (!position) return;
    const isLater = position.at > Math.max(ownTimeOf(held.data.value.media_id), seen);
    const mayJump = isOpening && !page.hasMoved() && page.mayMove();
    adopt(held.data.value);
    if (!isLater) return;
    seen = position.at;
    if (!isBegun(position)) return;
    if (mayJump) page.goTo(position);
    else offer.value = { position, device: held.data.value.device };
  }
  watch(
    [page.isReady, () => held.isFetchedAfterMount.value, held.data],
    ([isReady, isFetched], [wasReady]) => {
      if (!isReady) return;
      if (!wasReady) open();
      if (isFetched) {
        adoptHeld();
        isOpening = false;
      }
    },
    { immediate: true, flush: "post" },
  );
  onBeforeUnmount(() => {
    offer.value = null;
  });
  return {
    offer,
    accept: () => {
      if (offer.value) page.goTo(offer.value.position);
      offer.value = null;
    },
    decline: () => {
      offer.value = null;
    },
  };
}
