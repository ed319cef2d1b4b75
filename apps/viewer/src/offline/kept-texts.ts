import { picturesIn } from "./pictures-in";

/** The address of a text's fragments, with its media. */
export const FRAGMENTS = /^\/media\/([0-9a-f-]{36})\/fragments$/;
const textOf = ({ url }: Request) => new URL(url).pathname.match(FRAGMENTS)?.[1];

async function picturesOf(cache: Cache, request: Request): Promise<string[]> {
  const response = await cache.match(request);
  return response ? picturesIn(await response.json()).map((source) => new URL(source, request.url).href) : [];
}

/** The pictures of the texts in a cache that `isMeant`. */
async function picturesOfTexts(cache: Cache, isMeant: (mediaId: string) => boolean): Promise<Set<string>> {
  const texts = (await cache.keys()).filter((request) => isMeant(textOf(request) ?? ""));
  return new Set((await Promise.all(texts.map((request) => picturesOf(cache, request)))).flat());
}

/**
 * Removes texts from those that are kept on request, with their pictures, except those that other texts there show, too.
 * What a text shows that was opened before is kept once, there: it moves to the opened ones.
 */
export async function forgetTexts(pinned: Cache, opened: Cache, mediaIds: string[]): Promise<void> {
  const gone = new Set(mediaIds);
  const dropped = await picturesOfTexts(pinned, (id) => gone.has(id));
  const needed = await picturesOfTexts(pinned, (id) => id !== "" && !gone.has(id));
  const freed = new Set([...dropped].filter((picture) => !needed.has(picture)));
  const shown = freed.size ? await picturesOfTexts(opened, (id) => id !== "") : new Set<string>();
  const isOfText = (url: string) => new URL(url).pathname.split("/").some((part) => gone.has(part));
  for (const request of await pinned.keys()) {
    if (shown.has(request.url) && freed.has(request.url)) await move(request, pinned, opened);
    else if (isOfText(request.url) || freed.has(request.url)) await pinned.delete(request);
  }
}

/** First there, then no longer here: this may end in between. */
async function move(request: Request, from: Cache, to: Cache): Promise<void> {
  const response = await from.match(request);
  if (response) await to.put(request, response);
  await from.delete(request);
}
