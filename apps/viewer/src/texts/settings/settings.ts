export const settings = {
  parts: "Parts of the settings",
  saveFromAnywhere: "Save from anywhere",
};

export const saveFromAnywhere = {
  intro:
    "Everything you save gets a receipt, however it was saved: what was tried, the result, and what you can do now.",
  extension: {
    title: "Browser extension",
    about:
      "Saves the page as you see it, also behind a login, a paywall or a captcha, which the server cannot get past. It also saves links and selected text, and keeps what you save while this server is unreachable.",
    build: "Build it on the machine that has the source code. Both packages are written to apps/extension/dist.",
    buildCommand: "make extension",
    steps: [
      [
        "Chromium, Chrome, Edge",
        "Open chrome://extensions, switch on “Developer mode”, choose “Load unpacked” and the folder apps/extension/dist/chromium.",
      ],
      [
        "Firefox",
        "Open about:debugging#/runtime/this-firefox, choose “Load Temporary Add-on” and apps/extension/dist/firefox/manifest.json. To keep it, sign the package with your own account at addons.mozilla.org.",
      ],
    ] as const,
  },
  pairing: {
    title: "Connect this browser",
    oneClick: "Click the extension's icon while this page is open, then “Connect”. Or copy this code into its options:",
    make: "Connect a browser",
    again: "New code",
    code: "Pairing code",
    copy: "Copy",
    copied: "Code copied",
    valid: (time: string) => `Valid for one browser until ${time}.`,
    failed: "Couldn't make a pairing code",
    browsers: "Connected browsers",
    none: "No browser is connected yet.",
    notLoaded: "Couldn't load the connected browsers",
    since: (time: string) => `connected ${time}`,
    lastUsed: (time: string) => `last used ${time}`,
    neverUsed: "not used yet",
    end: "Disconnect",
    endLabel: (name: string) => `Disconnect ${name}`,
    ended: (name: string) => `${name} is disconnected`,
    notEnded: (why: string) => `Not disconnected. ${why}`,
  },
  bookmarklet: {
    title: "Bookmarklet",
    about:
      "Drag this link to your bookmarks bar. On any page, click the bookmark: Nexus opens with the page's link, ready to save.",
    name: "Save to Nexus",
    limits:
      "It opens a window and reads nothing from the page, so it works under strict page policies, too. It sends the link, not the page: for pages that need your login, use the extension. Pages of the browser itself run no bookmarklets.",
    clicked: "Drag this link to your bookmarks bar instead of clicking it.",
  },
  phone: {
    title: "Phone and tablet",
    about:
      "Install Nexus as an app (in the browser's menu: “Add to home screen” or “Install app”). Then “Share” in any other app offers Nexus. Browsers install apps only from addresses that begin with https.",
  },
  commands: {
    title: "Command line",
    about: "From a script or a terminal, with NEXUS_URL and NEXUS_TOKEN set where the server is another machine:",
    lines: [
      "nexus save https://example.org/story --wait",
      "nexus save --html page.html --url https://example.org/story",
      "nexus save --text notes.txt",
    ].join("\n"),
  },
  api: {
    title: "API",
    about:
      "Any program can save. The API is described at /api/openapi.json. Send a page with its HTML to /api/captures.",
    example: (server: string) =>
      `curl ${server}/items -H 'Authorization: Bearer TOKEN' \\\n  -H 'Content-Type: application/json' -d '{"url": "https://example.org/story"}'`,
  },
};
