/** The copies the server makes; it has no others. */
const WIDTHS = [160, 320, 640] as const;

/** `picture`: a path of the image proxy. */
export const thumbnail = (picture: string, width: (typeof WIDTHS)[number]) => `${picture}&w=${width}`;

/** For `srcset`: the browser takes what its screen needs. */
export const thumbnails = (picture: string) =>
  WIDTHS.map((width) => `${thumbnail(picture, width)} ${width}w`).join(", ");
