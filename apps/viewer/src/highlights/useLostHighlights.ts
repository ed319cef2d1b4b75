import type { QueryClient } from "@tanstack/vue-query";
import { messageOf } from "@/api/errors";
import type { Highlight } from "@/api/highlights";
import { useToasts } from "@/composables/useToasts";
import { copyText } from "@/device/copy-text";
import * as texts from "@/texts";
import { asMarkdown } from "./quotes";

/** Highlights that were made without a connection and that the server refuses: one message, until they are copied. */
export function useLostHighlights(client: QueryClient) {
  const { show, dismiss } = useToasts();
  let lost: string[] = [];
  let shown = 0;

  function markdownOf(highlight: Highlight): string {
    const media = client.getQueryData<{ title?: string }>(["media", highlight.media_id]);
    const url = `${location.origin}/read/${highlight.media_id}`;
    return asMarkdown(highlight, { title: media?.title ?? url, url });
  }

  async function copy(reason: string): Promise<void> {
    if (await copyText(lost.join("\n\n"))) {
      lost = [];
      show(texts.highlights.copied);
    } else showAll(reason);
  }

  function showAll(reason: string): void {
    const all = lost;
    dismiss(shown);
    lost = all;
    const action = { label: texts.highlights.copyLost, run: () => void copy(reason) };
    const onGone = () => {
      lost = [];
    };
    shown = show(texts.highlights.lost(lost.length, reason), { tone: "bad", action, onGone, stays: true });
  }

  return (highlight: Highlight, error: unknown): void => {
    lost.push(markdownOf(highlight));
    showAll(messageOf(error));
  };
}
