/** 128 random bits. Not `crypto.randomUUID`: over plain HTTP from another machine browsers do not have it. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** As the API wants the names that clients give. */
export function newUuid(): string {
  const key = newKey();
  return [key.slice(0, 8), key.slice(8, 12), `4${key.slice(13, 16)}`, `8${key.slice(17, 20)}`, key.slice(20)].join("-");
}
