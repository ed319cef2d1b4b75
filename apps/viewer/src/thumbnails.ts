/** The widths that the server makes. */
const WIDTHS = [160, 320, 640] as const;

/** `picture`: a path of the image proxy. */
export const thumbnail = (picture: string, width: (typeof WIDTHS)[number]) => `${picture}&w=${width}`;

/** For `srcset`. */
export const thumbnails = (picture: string) =>
  WIDTHS.map((width) => `${thumbnail(picture, width)} ${width}w`).join(", ");
