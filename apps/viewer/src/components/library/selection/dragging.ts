const TYPE = "application/x-nexus-media";

/** Rows are dragged as their ids. */
export function startDrag(event: DragEvent, mediaIds: string[]): void {
  event.dataTransfer?.setData(TYPE, JSON.stringify(mediaIds));
  if (event.dataTransfer) event.dataTransfer.effectAllowed = "copyLink";
}

export const isDrag = (event: DragEvent) => event.dataTransfer?.types.includes(TYPE) ?? false;

export function draggedIds(event: DragEvent): string[] {
  const found: unknown = JSON.parse(event.dataTransfer?.getData(TYPE) || "[]");
  return Array.isArray(found) ? found.filter((one) => typeof one === "string") : [];
}
