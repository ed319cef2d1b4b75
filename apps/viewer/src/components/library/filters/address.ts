import type { LocationQuery, LocationQueryRaw } from "vue-router";
import { ARCHIVE_FILTERS, type Filters, NO_FILTERS, SORTS, siteOf } from "@/api/filters";
import * as texts from "@/texts";

const first = (value: LocationQuery[string] | undefined) => (Array.isArray(value) ? value[0] : value) ?? null;
const all = (value: LocationQuery[string] | undefined) =>
  [value ?? []].flat().filter((one): one is string => typeof one === "string" && one.trim() !== "");
const oneOf = <Known extends string>(value: string | null, known: readonly Known[]) =>
  known.find((one) => one === value) ?? null;

function minutes(value: string | null): number | null {
  return value !== null && /^\d{1,5}$/.test(value) ? Number(value) : null;
}

/** The filters of an address; what it does not say, or says wrongly, is not filtered. */
export function filtersIn(query: LocationQuery): Filters {
  return {
    kind: oneOf(first(query.kind), Object.keys(texts.kinds) as (keyof typeof texts.kinds)[]),
    status: oneOf(first(query.status), Object.keys(texts.status) as (keyof typeof texts.status)[]),
    unread: first(query.unread) === "1",
    starred: first(query.starred) === "1",
    archive: oneOf(first(query.in), ARCHIVE_FILTERS),
    tags: all(query.tag),
    untagged: first(query.untagged) === "1",
    highlighted: first(query.highlighted) === "1",
    site: siteOf(first(query.site) ?? "") || null,
    minMinutes: minutes(first(query.min)),
    maxMinutes: minutes(first(query.max)),
    sort: oneOf(first(query.sort), SORTS) ?? NO_FILTERS.sort,
    byDate: first(query.by) === "date",
  };
}

export function addressOf(filters: Filters, q: string): LocationQueryRaw {
  return {
    ...(filters.kind ? { kind: filters.kind } : {}),
    ...(filters.status ? { status: filters.status } : {}),
    ...(filters.unread ? { unread: "1" } : {}),
    ...(filters.starred ? { starred: "1" } : {}),
    ...(filters.archive ? { in: filters.archive } : {}),
    ...(filters.tags.length ? { tag: filters.tags } : {}),
    ...(filters.untagged ? { untagged: "1" } : {}),
    ...(filters.highlighted ? { highlighted: "1" } : {}),
    ...(filters.site ? { site: filters.site } : {}),
    ...(filters.minMinutes !== null ? { min: String(filters.minMinutes) } : {}),
    ...(filters.maxMinutes !== null ? { max: String(filters.maxMinutes) } : {}),
    ...(filters.sort !== NO_FILTERS.sort ? { sort: filters.sort } : {}),
    ...(filters.byDate && q.trim() ? { by: "date" } : {}),
    ...(q.trim() ? { q } : {}),
  };
}

/** What of an address belongs to the list; the rest, such as a receipt, is shown over it. */
export const listKey = (query: LocationQuery) => JSON.stringify([filtersIn(query), first(query.q) ?? ""]);
