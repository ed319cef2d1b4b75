import { languageOr } from "@/positions/sentences";

/** Browsers that have voices say so within this time, the first time they are asked. */
const WAIT_MS = 2000;

/** Those of this browser; it may load them only when it is asked. */
export async function loadVoices(): Promise<SpeechSynthesisVoice[]> {
  if (!("speechSynthesis" in window)) return [];
  const synthesis = window.speechSynthesis;
  if (synthesis.getVoices().length > 0) return synthesis.getVoices();
  await new Promise<void>((resolve) => {
    const timer = window.setTimeout(resolve, WAIT_MS);
    const onChange = () => {
      window.clearTimeout(timer);
      resolve();
    };
    synthesis.addEventListener?.("voiceschanged", onChange, { once: true });
  });
  return synthesis.getVoices();
}

/** For a text in this language; null: none of them speaks it. A text of unknown language gets the default voice. */
export function voiceFor<Voice extends Pick<SpeechSynthesisVoice, "lang" | "default" | "localService">>(
  voices: Voice[],
  lang: string | null,
): Voice | null {
  if (!lang) return voices.find((voice) => voice.default) ?? voices[0] ?? null;
  const wanted = languageOr(lang).toLowerCase();
  const languageOf = (tag: string) => tag.toLowerCase().replace("_", "-").split("-")[0];
  const rank = (voice: Voice) => {
    const isExact = voice.lang.toLowerCase().replace("_", "-") === wanted;
    return (isExact ? 4 : 0) + (voice.localService ? 2 : 0) + (voice.default ? 1 : 0);
  };
  const able = voices.filter((voice) => languageOf(voice.lang) === languageOf(wanted));
  return able.sort((one, other) => rank(other) - rank(one))[0] ?? null;
}
