// What the containers of a master's requests run. A master says it with each request, and may ask for ever: what is kept is bounded.
import { jsonLength } from '../../lib/json-length.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';

interface KeptLaunch {
  readonly launch: LaunchContext;
  /** Containers that are still to be given for the request. */
  left: number;
}

/** Most that is kept of one master, as it is written in JSON. */
export const mostLaunchCharacters = 64 * 1024 * 1024;

/** The launch contexts of one session, by request. */
export class LaunchTable {
  readonly #kept = new Map<string, KeptLaunch>();
  readonly #most: number;
  #characters = 0;

  constructor(most = mostLaunchCharacters) {
    this.#most = most;
  }

  /** Whether these can be kept beside those that are wanted still. Those of requests that were served stay, for when they come again, while there is room. */
  hasRoomFor(launches: readonly LaunchContext[]): boolean {
    const asked = launches.reduce((sum, launch) => sum + jsonLength(launch), 0);
    if (this.#characters + asked <= this.#most) return true;
    for (const [askId, { left }] of this.#kept) if (left <= 0) this.delete(askId);
    return this.#characters + asked <= this.#most;
  }

  /** A request asks for so many containers by now; without a launch context it keeps the one it had. */
  asked(askId: string, count: number, launch?: LaunchContext): void {
    const before = this.#kept.get(askId);
    if (!launch) {
      if (before) before.left = count;
      return;
    }
    this.delete(askId);
    this.#characters += jsonLength(launch);
    this.#kept.set(askId, { launch, left: count });
  }

  /** A container is given for a request: what it runs. */
  take(askId: string): LaunchContext | undefined {
    const kept = this.#kept.get(askId);
    if (kept) kept.left--;
    return kept?.launch;
  }

  delete(askId: string): void {
    const kept = this.#kept.get(askId);
    if (!kept) return;
    this.#characters -= jsonLength(kept.launch);
    this.#kept.delete(askId);
  }
}
