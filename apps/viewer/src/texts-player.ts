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
};
