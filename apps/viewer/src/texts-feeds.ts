/** The settings a feed may have of its own: groups, and by key a label and what it does. Bounds as the server has them. */
export const feedSettings = {
  groups: {
    episodes: "Which episodes",
    requests: "Requests",
    retries: "Retries",
    feed: "The feed itself",
    breaker: "Circuit breaker",
  },
  choices: { newest: "Newest first", oldest: "Oldest first", feed: "This feed", host: "Its host" } as Record<
    string,
    string
  >,
  keys: {
    max_episodes: ["Maximum episodes", "How many episodes of this feed to fetch, at least 1."],
    episode_order: ["Order", "Whether to begin with the newest or the oldest episodes."],
    episode_offset: ["Skip episodes", "Leave out this many at the beginning of that order."],
    episode_since: ["From", "Skip episodes published before this day."],
    episode_until: ["Until", "Skip episodes published after this day."],
    timeout: ["Timeout (seconds)", "How long a server may stay silent before a request fails, at least 1."],
    delay_ms: ["Pause between episodes (ms)", "How long to wait after each episode of this feed."],
    user_agent: ["User agent", "The name this server gives itself when it asks for this feed."],
    host_request_interval_ms: [
      "Interval between requests (ms)",
      "The minimum time between two requests to one host, 0 to 600,000.",
    ],
    host_max_concurrent: ["Simultaneous requests", "To one host, up to 64; 0 sets no limit."],
    http_retry_total: ["Download retries", "For audio, transcripts and chapters, 0 to 20."],
    http_backoff_factor: [
      "Download retry delay (seconds)",
      "The wait before the first retry; it doubles with each one. 0 to 10.",
    ],
    rss_retry_total: ["Feed retries", "When the feed itself cannot be fetched, 0 to 20."],
    rss_backoff_factor: [
      "Feed retry delay (seconds)",
      "The wait before the first retry; it doubles with each one. 0 to 10.",
    ],
    episode_retry_max: [
      "Restarts of an episode",
      "How many times an episode that failed temporarily is started again, 0 to 10.",
    ],
    episode_retry_delay_sec: ["Wait before a restart (seconds)", "0 to 120."],
    rss_conditional_get: ["Only when changed", "Fetch the feed only if it changed since the last run."],
    rss_cache_dir: ["Cache folder", "Where the last copy of the feed is kept; relative to the podcasts folder."],
    circuit_breaker_enabled: ["Stop after failures", "Stop asking for a while when requests keep failing."],
    circuit_breaker_failure_threshold: ["Failures", "How many failures stop the requests, 1 to 100."],
    circuit_breaker_window_seconds: ["Within (seconds)", "The time in which failures are counted, 1 to 86,400."],
    circuit_breaker_cooldown_seconds: [
      "Pause (seconds)",
      "How long to wait before one request tries again, 1 to 86,400.",
    ],
    circuit_breaker_scope: ["Whose failures count", "Those of this feed, or of every feed on its host."],
  } as Record<string, [label: string, help: string]>,
};
