/** A page as its browser shows it. */
export interface CapturedPage {
  url: string;
  itemId: string | null; // of the save that it was opened for
  title: string;
  lang: string;
  selection: string;
  html: string;
}

export interface PairingOffer {
  server: string;
  code: string;
}

/** A page that the user has in the library already. */
export interface LookupResult {
  item_id: string | null;
  media_id: string;
  status: string;
  title: string;
  tags: string[];
  note: string | null;
  highlights: number;
}

export interface Saved {
  item_id: string;
  media_id: string;
  status: string;
}
