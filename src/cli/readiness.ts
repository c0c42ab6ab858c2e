// What is said of roles that have started: that they are ready when they are, and otherwise what keeps them.
import type { ReadinessSource, RunningRole } from '../lib/role.ts';

/** How long a role that says nothing of itself is waited for before its start is told of. */
const longestWaitMs = 3000;

/** Roles by the names that people know them by. */
export type NamedRoles = Iterable<readonly [name: string, role: Pick<RunningRole, 'readiness'>]>;

/** Resolves when every role is ready or has said why not; at the latest after three seconds. */
export async function readinessIsKnown(roles: NamedRoles): Promise<void> {
  const unready = [...roles].flatMap(([, { readiness }]) => (readiness && !readiness.current.ready ? [readiness] : []));
  if (unready.length === 0) return;
  let limit: NodeJS.Timeout | undefined;
  const late = new Promise<void>((done) => {
    limit = setTimeout(done, longestWaitMs);
  });
  await Promise.race([late, Promise.all(unready.map(nextWord))]);
  clearTimeout(limit);
}

const nextWord = (readiness: ReadinessSource): Promise<void> => new Promise((done) => readiness.onChange(() => done()));

/** What keeps roles from being ready, each with its name; undefined where nothing does. */
export function whatIsMissing(roles: NamedRoles): string | undefined {
  const missing: string[] = [];
  for (const [name, { readiness }] of roles)
    if (readiness && !readiness.current.ready) missing.push(`${name}: ${readiness.current.reason ?? 'it does not say why'}`);
  return missing.length === 0 ? undefined : missing.join('; ');
}

/** Calls `tell` with each role whose readiness changes from now on. */
export function watchReadiness(roles: NamedRoles, tell: (name: string) => void): void {
  for (const [name, { readiness }] of roles) readiness?.onChange(() => tell(name));
}
