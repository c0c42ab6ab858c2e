// Carries out a mutation in this thread: before anything of the resource manager that it is about is loaded.
import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { join } from 'node:path/posix';
import type { MutatedCheck } from './mutated-checks.ts';
import type { Fault } from './mutated-writes.ts';

/** What is mutated. */
export type Mutation = { readonly place: string; readonly fault: Fault } | { readonly check: MutatedCheck };

/** Mutates the product in this thread from now on; `happens` is called each time that a write is about to be mutated. */
export async function mutate(mutation: Mutation, happens: (fault: Fault) => void = () => undefined): Promise<void> {
  if ('check' in mutation) {
    const { file, text, replacement } = mutation.check;
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        if (!url.endsWith(join('/src/resource-manager', file))) return loaded;
        const source = String(loaded.source);
        assert.equal(source.split(text).length, 2, `${file} has '${text}' once`);
        return { ...loaded, source: source.replace(text, () => replacement) };
      },
    });
    return;
  }
  const { mutateWrites } = await import('./mutated-writes.ts');
  mutateWrites((place) => {
    if (place !== mutation.place) return undefined;
    happens(mutation.fault);
    return mutation.fault;
  });
}
