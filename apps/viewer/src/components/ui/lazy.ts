import { type Component, defineComponent, h, shallowRef } from "vue";
import { useToasts } from "@/composables/useToasts";
import { errors } from "@/texts";

const loaders: (() => Promise<unknown>)[] = [];

/**
 * A component in a file of its own, which is not part of the first load. Not Vue's `defineAsyncComponent`: that one is
 * empty for a moment also when its file is there, and a failure would replace the whole page. `onClose` of its attributes
 * is called when it cannot be loaded, so that the next click tries again.
 */
export function lazy<T extends Component>(load: () => Promise<{ default: T }>): T {
  const loaded = shallowRef<T | null>(null);
  let loading: Promise<void> | null = null;
  function start(): Promise<void> {
    loading ??= load()
      .then((module) => {
        loaded.value = module.default;
      })
      .finally(() => {
        loading = null;
      });
    return loading;
  }
  loaders.push(() => (loaded.value ? Promise.resolve() : start()));
  const wrapper = defineComponent({
    inheritAttrs: false,
    setup(_props, { attrs, slots }) {
      if (!loaded.value) {
        start().catch(() => {
          useToasts().show(errors.partFailed, { tone: "bad" });
          if (typeof attrs.onClose === "function") attrs.onClose();
        });
      }
      return () => (loaded.value ? h(loaded.value, attrs, slots) : null);
    },
  });
  return wrapper as unknown as T;
}

/** Functions in a file of its own, likewise. */
export function lazyModule<T>(load: () => Promise<T>): () => Promise<T> {
  loaders.push(load);
  return load;
}

/**
 * All of them, one after the other: a click could not load one without a connection, or after the server was updated. What
 * fails here is tried again when it is needed.
 */
export async function loadLazy(): Promise<void> {
  for (const load of loaders) await load().catch(() => {});
}
