import { useQuery, useQueryClient } from "@tanstack/vue-query";
import { type Ref, ref } from "vue";
import { messageOf } from "@/api/errors";
import { fetchImport, type Import } from "@/api/imports";
import { useToasts } from "@/composables/useToasts";
import * as texts from "@/texts";

const POLL_MS = 1_000;

/** Pages of it are still to be fetched. */
export const isFetching = ({ fetching }: Import): boolean => fetching.queued + fetching.processing > 0;

const isMoving = (one: Import): boolean =>
  one.status === "running" || one.status === "undoing" || (one.status === "finished" && isFetching(one));

/** One import, looked at again while it changes by itself. */
export function useImport(id: Ref<string>) {
  const client = useQueryClient();
  const { show } = useToasts();
  const isBusy = ref(false);
  const query = useQuery({
    queryKey: ["imports", id],
    queryFn: () => fetchImport(id.value),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? POLL_MS : false),
  });

  /** Does something to it, and shows what the server says of it then. */
  async function change(act: () => Promise<Import>): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    const queryKey = ["imports", id.value];
    try {
      const changed = await act();
      // What was read before may arrive after this, and would end the polling.
      await client.cancelQueries({ queryKey, exact: true });
      client.setQueryData(queryKey, changed);
    } catch (error) {
      show(texts.imports.progress.failed(messageOf(error)), { tone: "bad" });
      await query.refetch();
    } finally {
      isBusy.value = false;
    }
  }
  return { query, isBusy, change };
}
