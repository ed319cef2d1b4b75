/** The operator's YAML with its `profile:` line taken out: it is set by the select only. */
interface Split {
  profile: string | null;
  /** Everything else, byte for byte. */
  rest: string;
  /** Its line number, to put it back there. */
  at: number;
}

const PROFILE = /^(?:profile|"profile"|'profile')\s*:\s*(.*?)\s*$/;

function named(written: string): string {
  const quoted = written.match(/^(["'])(.*?)\1/);
  return quoted ? (quoted[2] ?? "") : written.replace(/\s+#.*$/, "").replace(/^(~|null)$/, "");
}

export function withoutProfile(content: string): Split {
  const lines = content.split("\n");
  const at = lines.findIndex((line) => PROFILE.test(line));
  if (at < 0) return { profile: null, rest: content, at: 0 };
  const written = lines[at]?.match(PROFILE)?.[1] ?? "";
  const rest = lines.filter((_, index) => index !== at).join("\n");
  return { profile: named(written) || null, rest, at };
}

/** One `profile:` line at most, whatever was typed into the editor. */
export function withProfile(rest: string, profile: string | null, at: number): string {
  const lines = rest.split("\n").filter((line) => !PROFILE.test(line));
  if (profile !== null) lines.splice(Math.min(at, lines.length), 0, `profile: ${profile}`);
  const joined = lines.join("\n");
  return joined === "" || joined.endsWith("\n") ? joined : `${joined}\n`;
}
