import { shallowReactive } from "vue";
import { storedValue } from "@/device/stored-value";

/**
 * Where a user is in each media, kept in this browser: one record per media, the oldest go when there are too many.
 * Earlier versions kept them without the user: the first user after the upgrade takes those over.
 */
export function storedPositions<Position extends { at: number }>(name: string, limit: number) {
  const users = new Map<string, Map<string, Position>>();
  const storageOf = (user: string) => storedValue<Record<string, Position>>(`${name}.${user}`, {});

  function positionsOf(user: string): Map<string, Position> {
    let positions = users.get(user);
    if (!positions) {
      const withoutUser = storedValue<Record<string, Position>>(name, {});
      const kept = { ...withoutUser.read(), ...storageOf(user).read() };
      positions = shallowReactive(new Map(Object.entries(kept)));
      users.set(user, positions);
      if (Object.keys(withoutUser.read()).length > 0) {
        storageOf(user).write(kept);
        withoutUser.write({});
      }
    }
    return positions;
  }
  function set(user: string, mediaId: string, position: Position): void {
    const positions = positionsOf(user);
    const storage = storageOf(user);
    // Another tab may have written since: the newer one counts.
    for (const [id, stored] of Object.entries(storage.read())) {
      if (stored.at > (positions.get(id)?.at ?? 0)) positions.set(id, stored);
    }
    positions.set(mediaId, position);
    if (positions.size > limit) {
      const oldest = [...positions].sort(([, a], [, b]) => a.at - b.at).slice(0, positions.size - limit);
      for (const [id] of oldest) positions.delete(id);
    }
    storage.write(Object.fromEntries(positions));
  }
  return { get: (user: string, mediaId: string) => positionsOf(user).get(mediaId), set };
}
