import type { Tag } from "@/api/types";
import { folded } from "@/device/decisions";

/** A tag, or what tags below it have in common: "a" of "a/b". */
export interface TagNode {
  name: string;
  /** The last part of the name. */
  label: string;
  depth: number;
  tag: Tag | null;
  hasChildren: boolean;
}

const SEPARATOR = "/";

const parentsOf = (name: string) => {
  const parts = name.split(SEPARATOR);
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join(SEPARATOR));
};

/** All tags in the order of the tree, with their parents; those below a collapsed one are left out. */
export function tagTree(tags: Tag[], collapsed: ReadonlySet<string>): TagNode[] {
  const nodes = new Map<string, TagNode>();
  for (const tag of tags) {
    for (const parent of parentsOf(tag.name)) put(nodes, parent, null);
    put(nodes, tag.name, tag);
  }
  const sorted = [...nodes.values()].sort((a, b) => compareParts(a.name, b.name));
  for (const node of sorted) for (const parent of parentsOf(node.name)) mark(nodes, parent);
  return sorted.filter((node) => !parentsOf(node.name).some((parent) => collapsed.has(folded(parent))));
}

function put(nodes: Map<string, TagNode>, name: string, tag: Tag | null): void {
  const known = nodes.get(folded(name));
  const parts = name.split(SEPARATOR);
  const label = parts.at(-1) ?? name;
  if (!known) {
    nodes.set(folded(name), { name, label, depth: parts.length - 1, tag, hasChildren: false });
  } else if (tag) {
    Object.assign(known, { tag, name, label });
  }
}

function mark(nodes: Map<string, TagNode>, name: string): void {
  const node = nodes.get(folded(name));
  if (node) node.hasChildren = true;
}

/** Part by part: "a b" comes after all of "a/…". */
function compareParts(a: string, b: string): number {
  const [left, right] = [a.split(SEPARATOR), b.split(SEPARATOR)];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const order = (left[index] ?? "").localeCompare(right[index] ?? "", undefined, { sensitivity: "base" });
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
