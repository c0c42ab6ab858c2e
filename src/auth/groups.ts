// Groups of users: the static overrides of the configuration first, then the operating system's.
import { readFileSync } from 'node:fs';
import { DurationFigure } from '../lib/duration-figure.ts';
import type { GroupsOf } from './access-lists.ts';
import type { ClaimedGroups } from './claimed-groups.ts';

const hosts = { groups: '/etc/group', users: '/etc/passwd' } as const;
const lines = (path: string): string[][] => {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
};

/** How often this process read the system's groups, and how long that took. */
export const groupReads = new DurationFigure();

/** The operating system's groups by user, read once (ShellBasedUnixGroupsMapping without the shell). */
function systemGroups(): Map<string, string[]> {
  const byNumber = new Map<string, string>();
  const result = new Map<string, string[]>();
  const groups = lines(hosts.groups);
  for (const [name, , number] of groups) if (name && number) byNumber.set(number, name);
  for (const [user, , , number] of lines(hosts.users)) {
    const own = number === undefined ? undefined : byNumber.get(number);
    if (user && own) result.set(user, [own]);
  }
  for (const [name, , , members] of groups) {
    for (const member of (members ?? '').split(',')) {
      if (!name || member === '') continue;
      const known = result.get(member) ?? [];
      if (!known.includes(name)) result.set(member, [...known, name]);
    }
  }
  return result;
}

/** The rule for a cluster. `overrides` is `hadoop.user.group.static.mapping.overrides`: `user=group,group;user=;…`; `claimed` stands beside the system's. */
export function groupMapping(overrides: string | undefined, claimed?: ClaimedGroups): GroupsOf {
  const fixed = new Map<string, readonly string[]>();
  for (const part of (overrides ?? '').split(';')) {
    const at = part.indexOf('=');
    const user = (at < 0 ? part : part.slice(0, at)).trim();
    if (user !== '')
      fixed.set(
        user,
        at < 0
          ? []
          : part
              .slice(at + 1)
              .split(',')
              .map((name) => name.trim())
              .filter((name) => name !== ''),
      );
  }
  let system: Map<string, string[]> | undefined;
  return (user) => {
    const set = fixed.get(user);
    if (set) return set;
    if (!system) {
      const begunMs = performance.now();
      system = systemGroups();
      groupReads.add(performance.now() - begunMs);
    }
    const own = system.get(user) ?? [];
    const more = claimed?.of(user) ?? [];
    return more.length === 0 ? own : [...new Set([...own, ...more])];
  };
}
