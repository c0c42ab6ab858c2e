// Whose files count as a user's: the folder that masters write to is open to every user of the machine.

import { execFile } from 'node:child_process';
import { BoundedMap } from '../../lib/bounded-map.ts';

/** Whether files of the unix user number may be those of jobs of `user`. */
export type MayBeOf = (user: string, userId: number) => Promise<boolean>;

/**
 * The rule of this machine: files of the user of that name, of who runs the history server and of root, who write for others, and of the
 * one unix user as whom a node manager runs containers of users that the machine does not have (`localUser`).
 */
export function fileOwners(localUser: string): MayBeOf {
  const own = new Set([0, process.geteuid?.() ?? 0]);
  const known = new BoundedMap<string, Promise<number | undefined>>(mostKnown);
  const numberOf = (name: string): Promise<number | undefined> => {
    let number = known.get(name);
    if (!number) {
      known.set(name, (number = lookUp(name)));
    }
    return number;
  };
  return async (user, userId) => {
    if (own.has(userId)) return true;
    const number = await numberOf(user);
    return userId === (number ?? (await numberOf(localUser)));
  };
}

const mostKnown = 1000;

const lookUp = (name: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    execFile('id', ['-u', '--', name], { timeout: 5000 }, (error, stdout) => resolve(error ? undefined : Number(stdout)));
  });
