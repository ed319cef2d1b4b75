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
    `Originals and pictures wait: less than ${reserve} are left on the disk of the store, and those are for the database.`,
  longAgo: (when: string) => `The store was last checked ${when}. Run`,
};
