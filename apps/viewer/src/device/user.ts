import { readonly, shallowRef } from "vue";
import { storedValue } from "@/device/stored-value";

const storage = storedValue<string | null>("nexus.user", null);
const user = shallowRef<string | null>(storage.read());

/** The signed-in user, as the server said last; known without a connection, too. Null: signed out. */
export const deviceUser = readonly(user);

export function setDeviceUser(userId: string | null): void {
  if (user.value === userId) return;
  user.value = userId;
  storage.write(userId);
}
