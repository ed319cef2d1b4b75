const number = (count: number) => new Intl.NumberFormat("en").format(count);

/** What a search has found in the text that is read. */
export const hits = {
  label: "Search results in this text",
  place: (index: number, count: number, isComplete: boolean) =>
    `${number(index)} of ${number(count)}${isComplete ? "" : " or more"}`,
  next: "Next result in the text",
  previous: "Previous result in the text",
  close: "Stop marking",
  nextHint: "Next (n)",
  previousHint: "Previous (N)",
  closeHint: "Stop marking (Esc)",
  failed: "Your search terms can't be marked right now.",
};

export const related = { title: "Related in your library" };

export const search = {
  corrected: (typed: string, meant: string) => `Also showing results for “${meant}”, the word nearest to “${typed}”.`,
  correctedInVain: (typed: string, meant: string) =>
    `“${meant}”, the word nearest to “${typed}”, was also searched for.`,
  insist: (typed: string) => `Search for “${typed}” only`,
  didYouMean: (meant: string) => `Did you mean “${meant}”?`,
  emptyFiltered: (term: string) => `No results for “${term}” with these filters`,
  withoutFilters: "Search without the filters",
  withoutQuotes: "Search without the quotation marks",
  tryOther: "Try fewer or other words, or check their spelling.",
  kept: "Offline. Only what this browser keeps was searched.",
  suggestions: "Suggestions",
  forget: "Clear recent searches",
  operators: {
    tag: "a tag, and those below it",
    site: "a site",
    author: "an author or publication",
    kind: "article, paste or podcast",
    lang: "a language, such as de",
    before: "saved before a date",
    after: "saved on a date or later",
    in: "title, text, notes or highlights",
    is: "unread, starred, archived …",
  } as Record<string, string>,
  looksAt: "Search looks at titles, tags, notes, sites, authors, texts and transcripts. The best match comes first.",
  syntax: [
    ["link rot", "texts with both words first, then with one of them"],
    ["“link rot”", "exactly these words"],
    ["-cats", "without that word"],
    ["cats OR dogs", "either word"],
    ["light*", "words that begin with this; the word being typed counts as one"],
    ["tag:work", "with this tag or one below it"],
    ["site:example.org", "from this site"],
    ["author:“Ann Lee”", "by this author, or of this publication"],
    ["kind:podcast", "articles, pastes or podcasts"],
    ["lang:de", "in this language"],
    ["after:2024 before:2024-06", "saved in this time"],
    ["in:title", "only there; also text, notes, highlights"],
    ["is:unread", "also read, starred, archived, highlighted"],
    ["-is:read", "a minus reverses any of these"],
  ] as [string, string][],
  forgiving:
    "Capitals, accents and endings do not matter (“running” also finds “run”), and a misspelt word finds the closest match.",
  building: (done: number, total: number) =>
    `The search index is being built: ${number(done)} of ${number(total)} items can be found so far.`,
  narrow: "Narrow the results",
  facets: { kind: "Kind", site: "Site", tag: "Tag", year: "Year" },
};
