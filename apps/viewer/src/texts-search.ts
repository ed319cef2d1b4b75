const number = (count: number) => new Intl.NumberFormat("en").format(count);

export const search = {
  sorts: { relevance: "Best match first", newest: "Newest first" },
  corrected: (typed: string, meant: string) => `Showing results for “${meant}” instead of “${typed}”.`,
  building: (done: number, total: number) =>
    `The search index is being built: ${number(done)} of ${number(total)} items can be found so far.`,
  narrow: "Narrow the results",
  facets: { kind: "Kind", site: "Site", tag: "Tag", year: "Year" },
};
