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
};
