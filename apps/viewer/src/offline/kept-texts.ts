import { picturesIn } from "./pictures-in";

const FRAGMENTS = /^\/media\/([0-9a-f-]{36})\/fragments$/;
const textOf = ({ url }: Request) => new URL(url).pathname.match(FRAGMENTS)?.[1];

async function picturesOf(cache: Cache, request: Request): Promise<string[]> {
  const response = await cache.match(request);
  return response ? picturesIn(await response.json()).map((source) => new URL(source, request.url).href) : [];
}

/** Removes texts from the cache, with their pictures, except those that other texts in it show, too. */
export async function forgetTexts(cache: Cache, mediaIds: string[]): Promise<void> {
  const gone = new Set(mediaIds);
  const [dropped, needed] = [new Set<string>(), new Set<string>()];
  const requests = await cache.keys();
  for (const request of requests) {
    const id = textOf(request);
    if (id) for (const picture of await picturesOf(cache, request)) (gone.has(id) ? dropped : needed).add(picture);
  }
  const isOfText = (url: string) => new URL(url).pathname.split("/").some((part) => gone.has(part));
  const isFreed = ({ url }: Request) => isOfText(url) || (dropped.has(url) && !needed.has(url));
  await Promise.all(requests.filter(isFreed).map((request) => cache.delete(request)));
}
