import { observeWindowOffset, useWindowVirtualizer, windowScroll } from "@tanstack/vue-virtual";
import { computed, onActivated, onBeforeUnmount, onMounted, type Ref, ref, watch, watchEffect } from "vue";

interface Rows {
  count: () => number;
  keyOf: (index: number) => string;
  /** In pixels, until a row is measured. */
  estimate: () => number;
  overscan: number;
  /** The end of what is loaded is near. */
  near: () => void;
}

const BEFORE_THE_END = 12;
/** With this many new rows in a frame it scrolls too fast to be read, until this long after the last such frame. */
const FAST_ROWS = 6;
const FAST_MS = 120;

/** Only the visible rows are in the document, so that ten thousand scroll like ten. */
export function useWindowRows(
  list: Readonly<Ref<HTMLElement | null>>,
  { count, keyOf, estimate, overscan, near }: Rows,
) {
  const margin = ref(0);
  /** A list that is kept while another page is shown must neither move that page nor follow it. */
  const isShown = () => list.value?.isConnected ?? false;
  let catchUp = () => {};
  // The bars at the top and at the bottom cover the list: the focused row must not lie under them.
  const { scrollPaddingTop, scrollPaddingBottom } = getComputedStyle(document.documentElement);
  const rows = useWindowVirtualizer(
    computed(() => ({
      count: count(),
      estimateSize: estimate,
      getItemKey: keyOf,
      scrollMargin: margin.value,
      scrollPaddingStart: Number.parseFloat(scrollPaddingTop),
      scrollPaddingEnd: Number.parseFloat(scrollPaddingBottom),
      overscan,
      scrollToFn: (offset, options, instance) => {
        if (isShown()) windowScroll(offset, options, instance);
      },
      observeElementOffset: (instance, notify) => {
        catchUp = () => notify(window.scrollY, false);
        return observeWindowOffset(instance, (offset, isScrolling) => {
          if (isShown()) notify(offset, isScrolling);
        });
      },
    })),
  );
  const visible = computed(() => rows.value.getVirtualItems());
  const measure = (element: unknown) => {
    if (element instanceof HTMLElement) rows.value.measureElement(element);
  };
  function updateMargin(): void {
    if (list.value && isShown()) margin.value = list.value.getBoundingClientRect().top + window.scrollY;
  }
  const observer = new ResizeObserver(updateMargin);
  onMounted(() => {
    updateMargin();
    observer.observe(document.body);
  });
  onActivated(() => catchUp());
  const isScrollingFast = ref(false);
  let timer = 0;
  // At once, before what is new is rendered.
  watch(
    visible,
    (now, before) => {
      const known = new Set(before.map(({ key }) => key));
      if (!rows.value.isScrolling || now.filter(({ key }) => !known.has(key)).length < FAST_ROWS) return;
      isScrollingFast.value = true;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => {
        isScrollingFast.value = false;
      }, FAST_MS);
    },
    { flush: "sync" },
  );
  onBeforeUnmount(() => {
    window.clearTimeout(timer);
    observer.disconnect();
  });
  watchEffect(() => {
    const last = visible.value.at(-1);
    if (!last || last.index >= count() - BEFORE_THE_END) near();
  });
  return { rows, visible, margin, isScrollingFast, measure };
}
