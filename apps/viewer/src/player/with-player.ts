import type { usePlayer } from "./usePlayer";

type Player = ReturnType<typeof usePlayer>;

/**
 * For what is done with the player outside of its own parts: it is not part of the first load. What is in it has loaded
 * it; without a connection and without it there is nothing to do.
 */
export async function withPlayer(act: (player: Player) => unknown): Promise<void> {
  const module = await import("./usePlayer").catch(() => null);
  if (module) await act(module.usePlayer());
}
