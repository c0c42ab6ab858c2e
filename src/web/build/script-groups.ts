// Which modules come in one script. Pages that are looked at together come together: one script is shorter compressed than its parts, and the next
// page is there at once. What the first page needs never grows by what others do.

/** What a module needs, as the bundler knows it. */
export interface Module {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
}

/** A module by its id; null where there is none. */
export type Modules = (id: string) => Module | null;

/** Pages by what they are about; a page that is in none has a script of its own. */
const areas: Readonly<Record<string, RegExp>> = {
  work: /\/pages\/(?:applications?|events|node-container|node-home|schedule-change|schedules?|submit)\.tsx$/,
  cluster: /\/pages\/(?:labels|nodes?|queue[^/]*|reservations)\.tsx$/,
  jobs: /\/pages\/(?:compare|jobs?)\.tsx$/,
  past: /\/pages\/(?:entity|flow[^/]*|past-[^/]*|timeline)\.tsx$/,
  operate: /\/pages\/(?:api|server-log|settings)\.tsx$/,
};

/** What is long and needed by some pages alone: it stays out of the scripts of the others. */
const apart: Readonly<Record<string, RegExp>> = {
  chart: /\/node_modules\/uplot\/|\/parts\/chart\.(?:tsx|css)$/,
  use: /\/parts\/use\.tsx$/,
  shell: /\/node_modules\/@xterm\/|\/parts\/(?:shell\.(?:tsx|css)|terminal\.ts)$/,
};

/** All that `begin` needs before it runs, itself too; `andLater`: and what it may ask for afterwards. `without` is not looked into. */
export function neededBy(
  begin: string,
  modules: Modules,
  { andLater = false, without }: { andLater?: boolean; without?: ReadonlySet<string> } = {},
) {
  const needed = new Set<string>();
  const open = [begin];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (needed.has(id) || without?.has(id)) continue;
    needed.add(id);
    const module = modules(id);
    open.push(...(module?.importedIds ?? []), ...(andLater ? (module?.dynamicallyImportedIds ?? []) : []));
  }
  return needed;
}

/** Names the script of each module; null: the bundler chooses. `root`: the folder of the pages' sources. */
export function scriptGroups(root: string): (id: string, modules: Modules) => string | null {
  const main = `${root}/main.tsx`;
  let groups: ReadonlyMap<string, string> | undefined;
  return (id, modules) => {
    groups ??= groupsOf(root, main, modules);
    return groups.get(id) ?? null;
  };
}

/** Each page, by the id of its module; of the first page, which is another on each server, the parts. */
export const pagesOf = (root: string, modules: Modules): string[] =>
  ['app/pages.ts', 'pages/home.tsx'].flatMap((names) => modules(`${root}/${names}`)?.dynamicallyImportedIds ?? []);

function groupsOf(root: string, main: string, modules: Modules): Map<string, string> {
  const always = neededBy(main, modules);
  const overview = neededBy(`${root}/pages/overview.tsx`, modules, { without: always });
  const users = new Map<string, Set<string>>();
  for (const page of pagesOf(root, modules)) {
    const area = Object.keys(areas).find((name) => areas[name]?.test(page)) ?? page;
    for (const id of neededBy(page, modules, { andLater: true, without: always })) users.set(id, (users.get(id) ?? new Set()).add(area));
  }
  const groups = new Map<string, string>();
  for (const id of always) if (id !== main) groups.set(id, 'main');
  for (const [id, areasOfIt] of users) {
    const alone = Object.keys(apart).find((name) => apart[name]?.test(id));
    const [area] = areasOfIt;
    if (alone !== undefined) groups.set(id, alone);
    else if (areasOfIt.size > 1) groups.set(id, overview.has(id) ? 'lists' : 'shared');
    else if (overview.has(id)) groups.set(id, 'overview');
    else if (area !== undefined && area in areas) groups.set(id, area);
  }
  return groups;
}
