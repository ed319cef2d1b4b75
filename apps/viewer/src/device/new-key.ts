/** 128 random bits. Not `crypto.randomUUID`: over plain HTTP from another machine browsers do not have it. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
