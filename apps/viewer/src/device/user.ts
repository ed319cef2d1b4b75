import { readonly, shallowRef } from "vue";
import { storedValue } from "@/device/stored-value";

const storage = storedValue<string | null>("nexus.user", null);
const user = shallowRef<string | null>(storage.read());

/** Who uses this browser, as the server said last: also known while it cannot be asked. Null: nobody is signed in. */
export const deviceUser = readonly(user);

export function setDeviceUser(userId: string | null): void {
  if (user.value === userId) return;
  user.value = userId;
  storage.write(userId);
}
