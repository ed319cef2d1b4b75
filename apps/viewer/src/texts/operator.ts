import { turnOn } from "./podcasts";

const plural = (count: number, one: string, many: string) =>
  `${new Intl.NumberFormat("en").format(count)} ${count === 1 ? one : many}`;

/** What the operator of a server sees. */
export const config = {
  title: "Configuration",
  save: "Save changes",
  discard: "Discard changes",
  unsaved: { asks: "You have unsaved changes.", close: "Close without saving", stay: "Keep editing" },
  asConfigured: "as configured",
  on: "on",
  off: "off",
  conflict: "Someone else changed this after you opened it. Your changes are not saved yet.",
  takeTheirs: "Discard mine and reload",
  compare: "Compare",
  keepMine: "Overwrite with mine",
  theirs: "On the server now",
  mine: "Yours",
  feedsHint: (file: string) => `Podcast feeds of this corpus, kept in ${file}. Each may have its own settings.`,
  feedsFailed: "Couldn't load the feeds.",
  noFeeds: "There are no feeds yet. Add one, or import an OPML file from another podcast app.",
  addFeed: "Add feed",
  feedAddress: (number: number) => `Address of feed ${number}`,
  settingsOf: (number: number) => `Settings of feed ${number}`,
  up: (number: number) => `Move feed ${number} up`,
  down: (number: number) => `Move feed ${number} down`,
  removeFeed: (number: number) => `Remove feed ${number}`,
  duplicateOf: (number: number) => `The same address as feed ${number}.`,
  notAnAddress: "Enter a full address, such as https://example.org/feed.xml.",
  notAList: "Enter a JSON list of feeds: [ … ].",
  notOpml: (name: string) => `${name} is not an OPML file.`,
  imported: (added: number, known: number) => `${plural(added, "feed", "feeds")} added, ${known} already present`,
  showMore: (count: number) => `Show more (${plural(count, "feed", "feeds")} left)`,
  rawView: "Edit as JSON",
  tableView: "Back to the table",
  rawLabel: "Feeds as JSON",
  importOpml: "Import OPML",
  exportOpml: "Export OPML",
  feedsSaved: (count: number) => `Saved: ${plural(count, "feed", "feeds")}`,
  configHint: (path: string) =>
    `Kept in ${path}. It must contain no feeds and no secrets. Secrets come from the environment.`,
  configFailed: "Couldn't load the configuration.",
  configSaved: "Configuration saved",
  profile: "Profile",
  noProfile: "None",
  profileHint:
    "Without a profile, only transcripts that publishers offer are fetched. The cloud profiles use a paid service; local ones transcribe on this machine.",
  customProfile: (name: string) => `(custom) ${name}`,
  overrides: "Overrides (YAML)",
  editorHint: "Tab indents. Press Escape, then Tab, to leave the field.",
};

export const health = {
  turnOn,
  server: "Server",
  database: "Database",
  schema: (revision: string) => `answers, schema ${revision}`,
  worker: "Worker",
  noSandbox: "on, without the browser's sandbox",
  workers: { running: "running", restarting: "restarting", elsewhere: "not run by this server" },
  parts: {
    render: "Pages that need a browser",
    feeds_api: "Feeds",
    operator_config_api: "Operator configuration",
    jobs_api: "Pipeline jobs",
  },
};

export const dashboard = {
  itemsPerDay: "Items saved per day",
  outcomes: "Outcomes",
  latency: "Time until ready to read",
  half: "median",
  most: "90th percentile",
  noLatency: "No link has been fetched yet.",
  queue: "Queue",
  waiting: "queued",
};

const number = (count: number) => new Intl.NumberFormat("en").format(count);
const blobs = (count: number) => (count === 1 ? "1 blob" : `${number(count)} blobs`);
const are = (count: number) => (count === 1 ? "is" : "are");

/** What the operator is told about the store of originals and pictures. */
export const store = {
  title: "Store",
  kinds: { folder: "A folder:", s3: "S3:" },
  content: "In the store",
  size: (count: number, size: string) => `${blobs(count)}, ${size}`,
  free: (size: string) => `${size} left on its disk`,
  reserve: (size: string) => `${size} of it for the database`,
  check: "Last check",
  neverChecked: "never. Run nexus store check.",
  found: (missing: number, damaged: number) =>
    missing + damaged === 0
      ? "nothing is missing or damaged"
      : `${number(missing)} missing, ${number(damaged)} damaged`,
  collection: "Last clean-up",
  neverCollected: "not yet",
  collected: (count: number, size: string) =>
    count === 0 ? "nothing to remove" : `${blobs(count)} that nothing uses any more removed, ${size}`,
  pictures: "Pictures",
  states: {
    kept: (count: string) => `${count} kept`,
    pending: (count: string) => `${count} waiting`,
    gone: (count: string) => `${count} gone`,
    refused: (count: string) => `${count} refused`,
  },
  originals: "Originals",
  waitingOriginals: (count: number) =>
    count === 0
      ? "none is waiting for the store"
      : `${count === 1 ? "1 original waits" : `${number(count)} originals wait`} for the store`,
  notKept: {
    too_large: (count: string) => `${count} not kept: too large`,
    user_full: (count: string) => `${count} not kept: the user's limit is reached`,
    waiting_full: (count: string) => `${count} not kept: too many were waiting`,
  },
  unusable: (reason: string) =>
    `The store can't be used now: ${reason} Links are still saved and their texts become readable; originals and pictures wait.`,
  missing: (count: number) => `${blobs(count)} ${are(count)} missing. Restore a backup, or run`,
  damaged: (count: number) => `${blobs(count)} ${are(count)} damaged. Restore a backup, or run`,
  lowOnSpace: (size: string) => `Only ${size} are left on the disk of the store.`,
  reserveReached: (reserve: string) =>
    `Originals and pictures wait: less than ${reserve} is left on the disk of the store, and that is reserved for the database.`,
  longAgo: (when: string) => `The store was last checked ${when}. Run`,
};
