// Durable writes that are taken out or answered too early, one place in the code at a time. Places are found, not listed: whatever calls for a
// write while histories are played is one.
import { Effects, type Write, type WriteAnswer } from '../../src/resource-manager/cluster/effects.ts';
import { ResourceManagerStore } from '../../src/resource-manager/store/resource-manager-store.ts';

/** `skipped`: not written, answered as stored. `early`: answered as stored before it is, and whether or not it will be. */
export type Fault = 'skipped' | 'early';

/** What is done about the writes of a place; undefined: as ever. */
type Judge = (place: string) => Fault | undefined;

const passedThrough = /effects\.ts|storedWhileKnown|node:internal|mutated-writes/;

/** The function that wants a write, and who called that: `Starts.#keep < Starts.commit`. */
function placeOf(what: string): string {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 12;
  const lines = new Error('place').stack!.split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const frames = lines.filter((line) => line.includes('/src/resource-manager/') && !passedThrough.test(line));
  const names = frames.map((line) => /at (?:async |new )?(?:Object\.)?([\w#.<>]+)/.exec(line)?.[1] ?? '?');
  return `${what}: ${names.slice(0, 2).join(' < ')}`;
}

/** Lets `judge` decide over each write of this thread from now on. */
export function mutateWrites(judge: Judge): void {
  const { persist } = Effects.prototype;
  Effects.prototype.persist = function (this: Effects, write: Write, answer: WriteAnswer): void {
    const fault = judge(placeOf(write.kind));
    if (fault === undefined) return persist.call(this, write, answer);
    queueMicrotask(() => this.change(() => answer.stored?.()));
    if (fault === 'early') persist.call(this, write, { failed: () => 'given up' });
  };
  const { putRecord, dropRecord, setMeta } = ResourceManagerStore.prototype;
  const judged = <P extends unknown[]>(
    what: (...parameters: P) => string,
    write: (this: ResourceManagerStore, ...parameters: P) => Promise<void>,
  ) =>
    function (this: ResourceManagerStore, ...parameters: P): Promise<void> {
      const place = placeOf(what(...parameters));
      // Orders about nodes are effects.
      const fault = place.includes('NodeOrders') ? undefined : judge(place);
      if (fault === 'skipped') return Promise.resolve();
      const written = write.apply(this, parameters);
      if (fault === undefined) return written;
      written.catch(() => undefined);
      return Promise.resolve();
    };
  ResourceManagerStore.prototype.putRecord = judged((kind) => `put ${kind}`, putRecord);
  ResourceManagerStore.prototype.dropRecord = judged((kind) => `drop ${kind}`, dropRecord);
  ResourceManagerStore.prototype.setMeta = judged((key) => `set ${key}`, setMeta);
}
