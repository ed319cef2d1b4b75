import type { LocationQuery, RouteLocationNormalizedLoaded } from "vue-router";
import type { Highlight } from "@/api/highlights";

type Route = Pick<RouteLocationNormalizedLoaded, "query">;

/** What only makes sense for the text that is shown now goes: the place of a search result, a highlight. */
function kept({ query }: Route): LocationQuery {
  const { version: _version, compare: _compare, at: _at, highlight: _highlight, ...rest } = query;
  return rest;
}

const number = (value: unknown) => {
  const [found] = (typeof value === "string" && value.match(/^[1-9]\d{0,8}$/)) || [];
  return found === undefined ? null : Number(found);
};

/** The version that the address asks for; null: the current one. */
export const versionIn = ({ query }: Route) => number(query.version);

/** The version that the shown one is compared with. */
export const comparedIn = ({ query }: Route) => number(query.compare);

/** `version` null: the current text. */
export const openVersion = (route: Route, version: number | null) => ({
  query: { ...kept(route), ...(version === null ? {} : { version: String(version) }) },
});

/** What changed between a version and the current text. */
export const compareWith = (route: Route, version: number) => ({
  query: { ...kept(route), compare: String(version) },
});

/** The highlight that the address asks for. */
export const highlightIn = ({ query }: Route) => (typeof query.highlight === "string" ? query.highlight : null);

/** At a highlight, in the text that it is in. */
export function highlightLink(route: Route, { id, version, state }: Pick<Highlight, "id" | "version" | "state">) {
  const { query } = openVersion(route, state === "orphaned" ? version : null);
  return { query: { ...query, highlight: id } };
}
