import { changeHighlight, createHighlight, deleteHighlight, restoreHighlight } from "@/api/highlights";
import { partOf, type Restored, type Step } from "./highlight-steps";

export const isRestore = (step: Step): step is Restored => step.part === "deleted" && !step.isDeleted;

/** `time`: when it was decided, by the server's clock. */
export async function sendStep(step: Step, user: string, time: number): Promise<void> {
  const client_time = new Date(time).toISOString();
  switch (step.part) {
    case "made": {
      const { place: passage, color, note, tags } = step;
      await createHighlight(step.mediaId, { ...passage, id: step.id, color, note, tags, client_time }, user);
      break;
    }
    case "deleted":
      if (step.isDeleted) await deleteHighlight(step.id, { client_time }, user);
      else await restore(step, user);
      break;
    case "place":
      await changeHighlight(step.id, { ...step.place, client_time }, user);
      break;
    default:
      await changeHighlight(step.id, { ...partOf(step), client_time }, user);
  }
}

/** What can no longer be restored is created again, with the time at which it was first made. */
async function restore({ id, again, mediaId, was }: Restored, user: string): Promise<void> {
  if (!again) {
    await restoreHighlight(id, user);
    return;
  }
  const { version, start, end, quote, prefix, suffix, color, note, tags, created_at } = was;
  // Where that version is gone, the server looks for the words in the current one.
  const passage = { version: version ?? 1, start, end, quote, prefix, suffix };
  await createHighlight(mediaId, { ...passage, id: again, color, note, tags, client_time: created_at }, user);
}
