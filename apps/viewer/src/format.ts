import * as texts from "@/texts";

const relative = new Intl.RelativeTimeFormat(texts.locale, { numeric: "auto", style: "long" });
const shortRelative = new Intl.RelativeTimeFormat(texts.locale, { numeric: "auto", style: "narrow" });
const day = new Intl.DateTimeFormat(texts.locale, { day: "numeric", month: "short", year: "numeric" });
const moment = new Intl.DateTimeFormat(texts.locale, { dateStyle: "medium", timeStyle: "medium" });
const longDay = new Intl.DateTimeFormat(texts.locale, { dateStyle: "long" });
const when = new Intl.DateTimeFormat(texts.locale, { dateStyle: "long", timeStyle: "short" });
const number = new Intl.NumberFormat(texts.locale);

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "2 hours ago", "in 3 minutes"; `isShort`: "2h ago"; after a month the date. */
export function ago(timestamp: string, now: number, isShort = false): string {
  const difference = new Date(timestamp).getTime() - now;
  if (Math.abs(difference) > 30 * 86_400_000) return day.format(new Date(timestamp));
  for (const [unit, length] of STEPS) {
    if (Math.abs(difference) >= length)
      return (isShort ? shortRelative : relative).format(Math.round(difference / length), unit);
  }
  return texts.justNow;
}

const WORDS_PER_MINUTE = 230;
const CHARACTERS_PER_MINUTE = 500;

/** As the server says it in lists: rounded up; of Chinese and Japanese the characters are counted. */
export function readingMinutes(words: number, lang: string | null): number {
  const perMinute = /^(zh|ja)/i.test(lang ?? "") ? CHARACTERS_PER_MINUTE : WORDS_PER_MINUTE;
  return Math.ceil(words / perMinute);
}

export function dateOf(timestamp: string): string {
  return day.format(new Date(timestamp));
}

/** "November 3, 2026", for a sentence. */
export function longDateOf(timestamp: string): string {
  return longDay.format(new Date(timestamp));
}

/** "November 3, 2026 at 2:05 PM": also tells versions of one day apart. */
export function whenOf(timestamp: string): string {
  return when.format(new Date(timestamp));
}

export function momentOf(timestamp: string): string {
  return moment.format(new Date(timestamp));
}

export function count(value: number): string {
  return number.format(value);
}

export function seconds(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1000).toFixed(0)} KB`;
  return value < 1_000_000_000 ? `${(value / 1_000_000).toFixed(1)} MB` : `${(value / 1_000_000_000).toFixed(1)} GB`;
}

/** 3725 → "1:02:05" */
export function clock(totalSeconds: number): string {
  const whole = Math.max(0, Math.floor(totalSeconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const padded = String(rest).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${padded}` : `${minutes}:${padded}`;
}

/** How long until then: "40 s", "3 min", "2 h". */
export function wait(timestamp: string, now: number): string {
  const left = Math.max(0, Math.ceil((new Date(timestamp).getTime() - now) / 1000));
  if (left < 120) return `${left} s`;
  return left < 7200 ? `${Math.round(left / 60)} min` : `${Math.round(left / 3600)} h`;
}

export function hostOf(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^www\./, "");
}

/** A link as a title; a text that is nothing but "http://" keeps that. */
export const withoutScheme = (title: string) => title.replace(/^https?:\/\/(www\.)?(?=.)/, "");
