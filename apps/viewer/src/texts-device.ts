const saves = (count: number) => (count === 1 ? "1 save" : `${new Intl.NumberFormat("en").format(count)} saves`);

/** What is kept in this browser, and what of it this browser can do. */
export const device = {
  offlineReading: "Reading without a connection",
  installing: "Installing as an app, sharing to it",
  available: "available",
  insecure:
    "Not available: this address does not begin with https://. Browsers allow this only over HTTPS, or on the machine that runs Nexus.",
  unsupported: "Not available in this browser; private windows often forbid it.",
  insecureShort:
    "Reading without a connection needs HTTPS, and this address does not begin with https://. Everything else works.",

  unsent: (count: number) =>
    `${saves(count)} of yours ${count === 1 ? "has" : "have"} not been sent yet. Kept in this browser, ${count === 1 ? "it is" : "they are"} sent when you sign in here again; nobody else who signs in sees ${count === 1 ? "it" : "them"}.`,
  signOutKeeping: "Sign out and keep them",
  signOutDiscarding: "Sign out and discard them",
  stay: "Stay signed in",
  signOutFailed: (reason: string) => `You are still signed in. ${reason}`,

  unowned: (count: number) =>
    `This browser holds ${saves(count)} that never reached the server, and does not know who made ${count === 1 ? "it" : "them"}. Add ${count === 1 ? "it" : "them"} only if nobody else uses Nexus in this browser.`,
  unownedMine: "Add to my library",
  unownedDelete: "Delete",
  unownedNotMine: "Not mine",
};
