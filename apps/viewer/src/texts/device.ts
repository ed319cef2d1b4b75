const items = (count: number) => (count === 1 ? "1 item" : `${new Intl.NumberFormat("en").format(count)} items`);

const changes = (count: number) => (count === 1 ? "1 change" : `${new Intl.NumberFormat("en").format(count)} changes`);

/** What is kept in this browser, and what of it this browser can do. */
export const device = {
  offlineReading: "Offline reading",
  installing: "Installing as an app and sharing to it",
  available: "available",
  insecure:
    "Not available: this address does not begin with https://. Browsers allow this only over HTTPS, or on the machine that runs Nexus.",
  unsupported: "Not available in this browser; private windows often block it.",
  insecureShort: "Offline reading needs HTTPS, and this address does not begin with https://. Everything else works.",

  unsent: (saves: number, decisions: number) => {
    const what = [saves && items(saves), decisions && changes(decisions)].filter(Boolean).join(" and ");
    return saves + decisions === 1
      ? `${what} has not been sent yet. If you keep it, it stays in this browser and is sent the next time you sign in here. Nobody else who signs in can see it.`
      : `${what} have not been sent yet. If you keep them, they stay in this browser and are sent the next time you sign in here. Nobody else who signs in can see them.`;
  },
  allSent: "Everything has been sent now.",
  signOutKeeping: "Keep and sign out",
  signOutDiscarding: "Discard and sign out",
  stay: "Stay signed in",
  signOutFailed: (reason: string) => `You are still signed in. ${reason}`,

  unowned: (count: number) =>
    `This browser has ${items(count)} that never reached the server, and doesn't know whose ${count === 1 ? "it is" : "they are"}. Add ${count === 1 ? "it" : "them"} only if nobody else uses Nexus in this browser.`,
  unownedMine: "Add to my library",
  unownedDelete: "Delete",
  unownedNotMine: "Not mine",
};
