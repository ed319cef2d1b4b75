import * as texts from "@/texts";

/** An error response of the server, or that it could not be reached (`code` "offline"). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | null = null,
    readonly extras: Record<string, unknown> = {},
  ) {
    super(message);
  }

  get isOffline(): boolean {
    return this.code === "offline";
  }

  /** Another user has signed in, in another window of this browser. */
  get isOtherUser(): boolean {
    return this.code === "other_user";
  }

  /** A retry may help. */
  get isTemporary(): boolean {
    return this.isOffline || this.status === 429 || this.status >= 500;
  }

  /** The server failed at this very request, and may do others. */
  get isFault(): boolean {
    return this.status >= 500 && ![502, 503, 504].includes(this.status);
  }
}

export function errorFrom(status: number, body: unknown): ApiError {
  const detail = typeof body === "object" && body !== null ? (body as { detail?: unknown }).detail : null;
  if (typeof detail !== "object" || detail === null) {
    return new ApiError(status, `http_${status}`, texts.errors.unreadable(status));
  }
  const { error, message, request_id: requestId, ...extras } = detail as Record<string, unknown>;
  return new ApiError(status, String(error), String(message), requestId ? String(requestId) : null, extras);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : texts.errors.unknown;
}
