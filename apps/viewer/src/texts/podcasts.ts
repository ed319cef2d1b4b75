const SERVE = `mkdir -p ~/podcasts
nexus serve --output-dir ~/podcasts --enable-feeds-api \\
  --enable-operator-config-api --enable-jobs-api`;
const RUN = `PODCAST_SERVE_OUTPUT_DIR=~/podcasts \\
PODCAST_SERVE_ENABLE_FEEDS_API=1 \\
PODCAST_SERVE_ENABLE_OPERATOR_CONFIG_API=1 \\
PODCAST_SERVE_ENABLE_JOBS_API=1 make run`;

/** How to follow podcasts where they are not turned on, and what each part of the server needs to be on. */
export const podcasts = {
  title: "Follow podcasts",
  about: "Nexus can follow podcast feeds. You can read and search the transcripts and listen to the episodes.",
  invite: "How to follow podcasts",
  add: "Add a podcast feed",
  isOff: "Podcasts are off on this server. To turn them on, stop it and start it with a folder for the episodes:",
  commands: [
    ["From a terminal", SERVE],
    ["With make, Docker or a service: the same as environment variables", RUN],
  ],
  afterwards:
    "Then “Feeds” appears at the bottom of this page: add the addresses there and start a run on the dashboard.",
  once: "Or fetch a feed once, without changing the server:",
  onceCommand: "nexus podcast --output-dir ~/podcasts --max-episodes 5 \\\n  --rss https://example.org/feed.xml",
  guide: "More: docs/how-to/follow-podcasts.md",
  askOperator: "Only the operator of this server can add podcasts. Ask them to add the feed you want to follow.",
};

/** What turns on a part that the health tab shows as off. */
export const turnOn = {
  render: "needs a running worker with Node.js and Chromium (run make setup) and WORKER_RENDER other than never",
  feeds_api: "turn on with --enable-feeds-api or PODCAST_SERVE_ENABLE_FEEDS_API=1, and --output-dir",
  operator_config_api:
    "turn on with --enable-operator-config-api or PODCAST_SERVE_ENABLE_OPERATOR_CONFIG_API=1, and --output-dir",
  jobs_api: "turn on with --enable-jobs-api or PODCAST_SERVE_ENABLE_JOBS_API=1, and --output-dir",
};
