// Parameters of Heddle's own interface: one that its description does not know is refused, where Hadoop's interfaces pass it over.
import { nearestWords } from '../lib/nearest-words.ts';
import { failure } from '../model/errors.ts';
import { tokenParameter } from './credentials.ts';
import type { InterfaceDescription } from './described.ts';
import type { Query } from './query.ts';

/** Loads the table of what the routes of a service read. */
export type DescribedRoutes = () => Promise<InterfaceDescription>;

/** What every server has is not in the tables of each. */
const ofEveryServer: DescribedRoutes = async () => (await import('./described.ts')).daemonRoutes;

/** What is read on every path: who calls (`doas` in any capitals), and what the web proxy asks its caller. */
const readEverywhere: ReadonlySet<string> = new Set(['user.name', 'doas', tokenParameter, 'proxyapproved']);

/**
 * Refuses a parameter of which the description of a route says nothing; nothing was read or changed by then. Resolves at once where the path is not
 * of the own interface, or nothing but who calls is said.
 * @throws Failure BAD_REQUEST that names the parameter, the nearest known one, and all of them
 */
export async function refuseUnknownParameters(
  method: string,
  path: string,
  query: Query,
  described: DescribedRoutes | undefined,
): Promise<void> {
  if (!described) return;
  const said = new Set(query.entries().map(([name]) => name));
  const named = [...said].filter((name) => name !== '' && !readEverywhere.has(name.toLowerCase()));
  if (named.length === 0) return;
  const table = await described();
  const operation = table[`${method} ${path}`] ?? table[path] ?? (await ofEveryServer())[`${method} ${path}`];
  if (!operation) return;
  const known = Object.keys(operation.query ?? {}).sort();
  const unknown = named.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [nearest] = nearestWords(unknown, known);
  const meant = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  const others = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  throw failure('BAD_REQUEST', {
    reason: `${method} ${path} has no parameter "${unknown}"${meant === '' ? `: ${others}` : `${meant} (${others})`}`,
  });
}

/** Whether a path is Heddle's own. */
export const isOwnPath = (path: string): boolean => path.startsWith('/api/v1/');
