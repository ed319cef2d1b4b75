import createClient from "openapi-fetch";
import { texts } from "@/texts";
import { ApiError, errorFrom } from "./errors";
import type { paths } from "./openapi";

type Listener = () => void;
const signedOut = new Set<Listener>();

/** Called when an answer says that nobody is signed in any more. */
export function onSignedOut(listener: Listener): void {
  signedOut.add(listener);
}

export const client = createClient<paths>({
  fetch: async (request) => {
    try {
      return await fetch(request);
    } catch (error) {
      if (request.signal.aborted) throw error;
      throw new ApiError(0, "offline", texts.errors.offline);
    }
  },
});

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The data of an answer, or its error thrown. */
export async function unwrap<Data>(answer: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await answer;
  if (response.ok) return data as Data;
  if (response.status === 401) for (const listener of signedOut) listener();
  throw errorFrom(response.status, error);
}

export interface Versioned<Data> {
  data: Data;
  etag: string;
}

/** The same with the tag to change it by. */
export async function unwrapVersioned<Data>(answer: Promise<Answer<Data>>): Promise<Versioned<Data>> {
  const { response } = await answer;
  return { data: await unwrap(answer), etag: response.headers.get("etag") ?? "" };
}
