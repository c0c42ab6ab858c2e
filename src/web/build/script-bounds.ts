// How long the scripts of a page may be, compressed: more would be felt on slow lines.
import { type Modules, neededBy, pagesOf } from './script-groups.ts';

/** What the resource manager's first page loads before it shows anything, bytes. */
export const mostFirstPageBytes = 160 * 1024;
/** What any page loads with all of its parts, those too that come when they are first shown, bytes. */
export const mostPageBytes = 300_000;

/** A script as it was written. */
export interface Script {
  readonly moduleIds: readonly string[];
  /** Other scripts, by name, that it needs before it runs. */
  readonly imports: readonly string[];
  /** Compressed. */
  readonly bytes: number;
}

/** What is wrong with the lengths of the scripts, a sentence each. `root`: the folder of the pages' sources. */
export function tooLong(scripts: ReadonlyMap<string, Script>, modules: Modules, root: string): string[] {
  const always = neededBy(`${root}/main.tsx`, modules);
  const bytesOf = (needed: ReadonlySet<string>) => {
    const names = scriptsOf(new Set([...always, ...needed]), scripts);
    return [...names].reduce((sum, name) => sum + (scripts.get(name)?.bytes ?? 0), 0);
  };
  const first = bytesOf(neededBy(`${root}/pages/overview.tsx`, modules));
  const sentences = pagesOf(root, modules)
    .map((page) => ({ page, bytes: bytesOf(neededBy(page, modules, { andLater: true, without: always })) }))
    .filter(({ bytes }) => bytes > mostPageBytes)
    .map(({ page, bytes }) => `${page} loads ${bytes} bytes of compressed scripts, more than ${mostPageBytes}`);
  if (first > mostFirstPageBytes)
    sentences.unshift(`the first page loads ${first} bytes of compressed scripts, more than ${mostFirstPageBytes}`);
  return sentences;
}

/** The scripts that hold some modules, and those that they need. */
function scriptsOf(ids: ReadonlySet<string>, scripts: ReadonlyMap<string, Script>): Set<string> {
  const needed = new Set<string>();
  const open = [...scripts].filter(([, { moduleIds }]) => moduleIds.some((id) => ids.has(id))).map(([name]) => name);
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (needed.has(name)) continue;
    needed.add(name);
    open.push(...(scripts.get(name)?.imports ?? []));
  }
  return needed;
}
