import { shallowReactive } from "vue";
import { stored } from "./stored";

interface Dated {
  at: number;
}

/**
 * Where a user is in each media, kept in this browser: one record per media, the oldest go when there are too many.
 * Earlier versions kept them without the user: whoever uses this browser first after the upgrade takes those over.
 */
export function keptPlaces<Place extends Dated>(name: string, limit: number) {
  const users = new Map<string, Map<string, Place>>();
  const storageOf = (user: string) => stored<Record<string, Place>>(`${name}.${user}`, {});

  function placesOf(user: string): Map<string, Place> {
    let places = users.get(user);
    if (!places) {
      const withoutUser = stored<Record<string, Place>>(name, {});
      const kept = { ...withoutUser.read(), ...storageOf(user).read() };
      places = shallowReactive(new Map(Object.entries(kept)));
      users.set(user, places);
      if (Object.keys(withoutUser.read()).length > 0) {
        storageOf(user).write(kept);
        withoutUser.write({});
      }
    }
    return places;
  }
  function set(user: string, mediaId: string, place: Place): void {
    const places = placesOf(user);
    const storage = storageOf(user);
    // Another tab may have written since: what is newer counts.
    for (const [id, stored] of Object.entries(storage.read())) {
      if (stored.at > (places.get(id)?.at ?? 0)) places.set(id, stored);
    }
    places.set(mediaId, place);
    if (places.size > limit) {
      const oldest = [...places].sort(([, a], [, b]) => a.at - b.at).slice(0, places.size - limit);
      for (const [id] of oldest) places.delete(id);
    }
    storage.write(Object.fromEntries(places));
  }
  return { get: (user: string, mediaId: string) => placesOf(user).get(mediaId), set };
}
