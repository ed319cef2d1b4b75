const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/CrOS/, "Chromebook"],
  [/Mac/, "Mac"],
  [/Windows/, "Windows"],
  [/Linux|X11/, "Linux"],
];

/** What a person would call the device this runs on: "Android", "Mac". */
export function deviceName(agent: string = navigator.userAgent): string | null {
  return SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1] ?? null;
}
