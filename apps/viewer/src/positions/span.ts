/** From one index of a string up to another. */
export interface Span {
  start: number;
  end: number;
}
