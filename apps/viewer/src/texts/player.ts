// Part of texts.ts.
export const player = {
  close: "Close the player",
  playThis: "Play this episode",
  sleep: "Sleep timer",
  sleepIn: (minutes: number) => `Sleep timer: stops in ${minutes} min`,
  sleepAtEnd: "Sleep timer: stops at the end of this part",
  sleepOff: "Off",
  minutes: (minutes: number) => `${minutes} minutes`,
  endOfChapter: "End of this chapter",
  endOfEpisode: "End of the episode",
  chapters: "Chapters",
  listen: "Listen",
  listenHint: "Have this text read aloud by this browser",
  aloud: "Read aloud",
  previousSentence: "Previous sentence",
  nextSentence: "Next sentence",
  previousParagraph: "Previous paragraph",
  nextParagraph: "Next paragraph",
  endOfParagraph: "End of this paragraph",
  sentence: (number: number, all: number) => `Sentence ${number} of ${all}`,
  left: (minutes: number) => `${minutes} min left`,
  noVoice:
    "This browser has no voices to read aloud with. Install a voice in your system's speech settings, or use another browser.",
  noVoiceFor: (language: string) =>
    `This browser has no voice for ${language}. Install one in your system's speech settings, then try again.`,
  speechFailed: "This browser stopped reading aloud.",
};
