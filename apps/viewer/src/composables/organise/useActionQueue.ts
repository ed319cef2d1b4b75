import { useQueryClient } from "@tanstack/vue-query";
import { onScopeDispose } from "vue";
import { ApiError, messageOf } from "@/api/errors";
import { fetchEntryNow } from "@/api/library";
import { actionQueue, type Refusal } from "@/device/action-queue";
import type { Decision } from "@/device/decisions";
import { fetchCurrent } from "@/device/fetch-current";
import { deviceUser } from "@/device/user";
import * as texts from "@/texts";
import type { ReadEvent } from "../useEvents";
import { useLibraryUpdates } from "../useLibrary";
import { useToasts } from "../useToasts";
import { useTagUpdates } from "./useTags";

const BATCH_MS = 150;
/** Beyond this, the lists are loaded again instead of each entry by itself. */
const ONE_BY_ONE = 8;

/** Sends what the user decided, and shows what was decided elsewhere. Once, for the whole app. */
export function useActionQueue() {
  const client = useQueryClient();
  const { applyEntries, applyRead, applyRemoved, refresh, refreshWhole, unhide } = useLibraryUpdates();
  const { show } = useToasts();
  const onTags = useTagUpdates();
  const changed = new Set<string>();
  let timer = 0;
  let fetching = Promise.resolve();

  if (deviceUser.value) actionQueue.setUser(deviceUser.value);
  onScopeDispose(actionQueue.start());
  actionQueue.whenSent((decisions) => {
    const deleted = decisions.filter((one) => one.field === "deleted");
    for (const one of deleted) applyRemoved(idOf(one));
    if (deleted.length) unhide(...deleted.flatMap((one) => [one.mediaId, idOf(one)]));
    refresh();
    onTags();
  });
  actionQueue.whenRefused((refused) => {
    for (const message of messagesOf(refused)) show(message, { tone: "bad", seconds: 12 });
    unhide(...refused.flatMap(({ decision }) => [decision.mediaId, idOf(decision)]));
    for (const { decision } of refused) {
      void client.invalidateQueries({ queryKey: ["read", decision.mediaId] });
      void client.invalidateQueries({ queryKey: ["entry", decision.mediaId] });
    }
    refreshWhole();
    onTags();
  });

  /** One after the other: an older response must not come last. */
  function fetchNext(): void {
    timer = 0;
    fetching = fetching.then(fetchChanged);
  }

  async function fetchChanged(): Promise<void> {
    const ids = [...changed];
    changed.clear();
    refresh(); // the counts
    onTags();
    if (ids.length > ONE_BY_ONE) refreshWhole();
    else for (const id of ids) await fetchOne(id);
  }

  async function fetchOne(mediaId: string): Promise<void> {
    try {
      applyEntries([await fetchCurrent(() => fetchEntryNow(mediaId))]);
    } catch (error) {
      // Deleted meanwhile; without a connection the lists are loaded again as soon as there is one.
      if (error instanceof ApiError && error.status === 404) applyRemoved(mediaId);
    }
  }

  return {
    setUser: (user: string) => {
      actionQueue.setUser(user);
      actionQueue.send();
    },
    send: actionQueue.send,
    onTags,
    onRemoved: (id: string) => {
      applyRemoved(id);
      refresh(); // the counts
      onTags();
    },
    onRead: ({ media_id, read_at }: ReadEvent) => {
      // Else the user has changed it here since.
      if (!actionQueue.has(media_id, { field: "read", value: true })) applyRead(media_id, read_at);
      refresh();
    },
    onEntry: (mediaId: string) => {
      changed.add(mediaId);
      if (!timer) timer = window.setTimeout(fetchNext, BATCH_MS);
    },
  };
}

const idOf = (decision: Decision) =>
  decision.field === "deleted" && decision.itemId ? decision.itemId : decision.mediaId;

/** One for each reason, however many were refused for it. */
function messagesOf(refused: Refusal[]): string[] {
  const byReason = new Map<string, Refusal[]>();
  for (const one of refused) {
    const reason = one.error instanceof ApiError ? one.error.code : "";
    const same = byReason.get(reason);
    if (same) same.push(one);
    else byReason.set(reason, [one]);
  }
  return [...byReason.values()].map(messageOfMany);
}

function messageOfMany(refused: Refusal[]): string {
  const problem = refused[0]?.error;
  const entries = refused.map(({ decision }) => ({ title: decision.title || texts.library.untitled }));
  if (problem instanceof ApiError && problem.code === "changed_since") return texts.actions.keptSince(entries);
  if (problem instanceof ApiError && problem.status === 404) return texts.actions.gone(entries);
  return refused[0]?.decision.field === "deleted"
    ? texts.removal.failed(messageOf(problem))
    : texts.actions.refused(entries, messageOf(problem));
}
