// A thread of its own: a long text takes up to a second, in which the page must still scroll.
import { compareTexts } from "./compare-texts";

self.onmessage = ({ data }: MessageEvent<[before: string[], after: string[]]>) =>
  self.postMessage(compareTexts(...data));
