import { useRouter } from "vue-router";
import type { ListedHighlight } from "@/api/highlights";
import { highlightLink } from "@/highlights/all/address";
import { asMarkdown, fragmentLink } from "@/highlights/quotes";
import { useCopy } from "@/highlights/useCopy";
import { useHighlightChanges } from "@/highlights/useHighlights";
import * as texts from "@/texts";
import { openDialog } from "./open-dialog";

/** What can be done with a highlight of a list. */
export function useItemActions() {
  const router = useRouter();
  const copy = useCopy();
  const words = texts.highlightPages;
  return {
    ...useHighlightChanges(),
    open: (one: ListedHighlight) => void router.push(highlightLink(one)),
    note: (one: ListedHighlight) => {
      openDialog.value = { kind: "note", highlight: one };
    },
    tags: (one: ListedHighlight) => {
      openDialog.value = { kind: "tags", highlight: one };
    },
    card: (one: ListedHighlight) => {
      openDialog.value = { kind: "card", highlight: one };
    },
    copyMarkdown: (one: ListedHighlight) => copy(asMarkdown(one, one.media), words.markdownCopied),
    copyLink: (one: ListedHighlight) =>
      one.media.url ? copy(fragmentLink(one.quote, one.media.url), words.linkCopied) : undefined,
  };
}
