import type { HighlightColor, ListedHighlight } from "@/api/highlights";
import { withoutScheme } from "@/format";
import { INDENT, type Layout, LINE, layOut, PADDING, SOURCE_GAP, SOURCE_LINE, SOURCE_SIZE, WIDTH } from "./layout";

export const BACKGROUNDS = ["light", "dark", "color"] as const;
export type Background = (typeof BACKGROUNDS)[number];

// Not the colours of the page: a picture looks the same whoever makes it, in whatever theme.
const MARKS: Record<HighlightColor, { strong: string; soft: string }> = {
  yellow: { strong: "#f2c200", soft: "#fff3bf" },
  green: { strong: "#4fb13b", soft: "#dff5d8" },
  blue: { strong: "#3b8fe0", soft: "#dcedff" },
  pink: { strong: "#e5619a", soft: "#ffe1ec" },
};
const INKS = { light: ["#1b1d1e", "#5b6165"], dark: ["#f1f1ee", "#a9aeb0"], color: ["#1b1d1e", "#4c5154"] } as const;
const PAPERS = { light: "#fbfaf6", dark: "#17191b" } as const;

/** The fonts of the page, which are this server's own; letters that they lack are the device's. */
const fontOf = (name: "--serif" | "--ui", size: number, weight = 400) =>
  `${weight} ${size}px ${getComputedStyle(document.documentElement).getPropertyValue(name)}`;

/** Draws the highlight with its source; says what of it has no room. */
export async function drawCard(
  canvas: HTMLCanvasElement,
  highlight: ListedHighlight,
  background: Background,
): Promise<Layout> {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot draw.");
  const { title, byline, site_name } = highlight.media;
  const sources = [withoutScheme(title), [byline, site_name].filter(Boolean).join(", ")].filter(Boolean);
  // A font is loaded when a page shows it; a canvas does not wait for that.
  await Promise.all([
    document.fonts.load(fontOf("--serif", 48), highlight.quote),
    document.fonts.load(fontOf("--ui", SOURCE_SIZE), sources.join(" ")),
  ]);
  const measured = (font: string) => (text: string) => {
    context.font = font;
    return context.measureText(text).width;
  };
  const layout = layOut(highlight.quote, sources, {
    quote: (size) => measured(fontOf("--serif", size)),
    source: measured(fontOf("--ui", SOURCE_SIZE)),
  });
  canvas.width = WIDTH; // which clears it
  canvas.height = layout.height;
  paint(context, layout, highlight.color, background);
  return layout;
}

function paint(context: CanvasRenderingContext2D, layout: Layout, color: HighlightColor, background: Background): void {
  const { height, size, lines, source, isRtl } = layout;
  const mark = MARKS[color];
  const [ink, faint] = INKS[background];
  context.fillStyle = background === "color" ? mark.soft : PAPERS[background];
  context.fillRect(0, 0, WIDTH, height);
  const textHeight = lines.length * size * LINE;
  const top = (height - textHeight - SOURCE_GAP - source.length * SOURCE_LINE) / 2;
  context.fillStyle = mark.strong;
  context.fillRect(isRtl ? WIDTH - PADDING - 12 : PADDING, top, 12, textHeight);
  context.textBaseline = "middle";
  context.direction = isRtl ? "rtl" : "ltr";
  context.textAlign = "start";
  const x = isRtl ? WIDTH - PADDING - INDENT : PADDING + INDENT;
  context.fillStyle = ink;
  context.font = fontOf("--serif", size);
  for (const [index, line] of lines.entries()) context.fillText(line, x, top + (index + 0.5) * size * LINE);
  context.fillStyle = faint;
  context.font = fontOf("--ui", SOURCE_SIZE);
  const below = top + textHeight + SOURCE_GAP;
  for (const [index, line] of source.entries()) context.fillText(line, x, below + (index + 0.5) * SOURCE_LINE);
}

export const pngOf = (canvas: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is empty."))), "image/png");
  });
