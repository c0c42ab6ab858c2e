// The users of the machine that containers run as (LinuxContainerExecutor and its container-executor). Only a node manager that is root can
// switch. What lies in folders that such a user owns is made with that user's rights, never with root's: links cannot lead root astray.
import { execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import type { ContainerUsers } from '../auth/container-users.ts';
import { ConfigurationError } from '../config/table.ts';
import type { Identity } from '../engines/engine.ts';
import { switchingTo } from '../engines/switch-user.ts';
import { bash } from '../lib/bash.ts';
import type { Clock } from '../lib/clock.ts';
import type { UserProcess } from './localization/fetch-options.ts';
import { beginProcess } from './localization/user-process.ts';

const run = promisify(execFile);

/** Who may run containers. */
export interface UserRules {
  /** All containers run as `localUser`, whichever user submitted them. */
  readonly limitUsers: boolean;
  readonly localUser: string;
  /** Names that may be users at all. */
  readonly userPattern: RegExp;
  /** Smallest number of a user; `allowedSystemUsers` may have smaller ones. */
  readonly minimumId: number;
  readonly bannedUsers: readonly string[];
  readonly allowedSystemUsers: readonly string[];
}

const rememberMs = 60_000;

/** Finds users and acts for them. */
export class NodeUsers {
  /** Takes note for whom containers run as which user, so that servers on this machine know their callers. */
  readonly containerUsers: Pick<ContainerUsers, 'hold' | 'release'>;
  readonly #rules: UserRules;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly identity: Identity; readonly untilMs: number }>();

  constructor(rules: UserRules, clock: Clock, containerUsers: Pick<ContainerUsers, 'hold' | 'release'>) {
    this.containerUsers = containerUsers;
    this.#rules = rules;
    this.#clock = clock;
  }

  /** Who runs the containers of `user`. Rejects with container-executor's words for users who may not. */
  async identityOf(user: string): Promise<Identity> {
    const { limitUsers, localUser, userPattern, minimumId, bannedUsers, allowedSystemUsers } = this.#rules;
    if (!userPattern.test(user)) throw new Error(`Invalid user name: ${user}`);
    const name = limitUsers ? localUser : user;
    const remembered = this.#known.get(name);
    if (remembered && remembered.untilMs > this.#clock.steadyMs()) return remembered.identity;
    const found = await findUser(name);
    if (!found) throw new Error(`User ${name} not found`);
    if (bannedUsers.includes(name)) throw new Error(`Requested user ${name} is banned`);
    if (found.userId === 0) throw new Error('Containers are not run as root');
    if (found.userId < minimumId && !allowedSystemUsers.includes(name))
      throw new Error(
        `Requested user ${name} is not whitelisted and has id ${found.userId},which is below the minimum allowed ${minimumId}`,
      );
    this.#known.set(name, { identity: found, untilMs: this.#clock.steadyMs() + rememberMs });
    return found;
  }

  /** Runs a piece of bash with the user's rights and no environment; `input` is its standard input. Rejects when it fails. */
  async act({ userId, groupId }: Identity, script: string, parameters: readonly string[], input = Buffer.alloc(0)): Promise<void> {
    const [program, ...options] = bash;
    const child = spawn(program, [...options, '-c', script, 'bash', ...parameters], {
      uid: userId,
      gid: groupId,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let problem = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (problem.length < 1000) problem += text;
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    if (code !== 0) throw new Error(`the container's user could not do it: ${problem.trim() || `exit code ${code}`}`);
  }

  /** Begins a piece of bash with the rights of `user`, all groups included, and no environment; its output is read as it comes. */
  async begin(user: string, script: string, parameters: readonly string[], signal: AbortSignal): Promise<UserProcess> {
    return beginProcess(switchingTo(await this.identityOf(user)), script, parameters, signal);
  }

  /** Gives what lies at `path` to the user. Only for paths whose folders are root's. */
  async give({ userId, groupId }: Identity, path: string): Promise<void> {
    if ((await lstat(path)).uid !== userId) await run('chown', ['--recursive', '--no-dereference', `${userId}:${groupId}`, '--', path]);
  }
}

/**
 * Lets other users go through what lies above the folders of containers: below Heddle's own data that is its own business.
 * @throws ConfigurationError for a folder above that which they cannot go through
 */
export function openWay(folders: { readonly local: readonly string[]; readonly logs: readonly string[] }, dataDir: string): void {
  const data = resolve(dataDir);
  for (const [key, paths] of Object.entries({ 'yarn.nodemanager.local-dirs': folders.local, 'yarn.nodemanager.log-dirs': folders.logs }))
    for (const path of paths) {
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o711 });
      } catch {
        // A bad folder is told by the checks of the disks.
        continue;
      }
      for (let above = dirname(path); ; above = dirname(above)) {
        const { mode } = statSync(above);
        if ((mode & 0o001) === 0) {
          if (!above.startsWith(data + sep))
            throw new ConfigurationError(
              'node-manager',
              key,
              `containers run as other users, who cannot go through ${above}`,
              'Let others enter it (chmod o+x), or name folders elsewhere.',
            );
          chmodSync(above, (mode & 0o777) | 0o011);
        }
        if (above === dirname(above)) break;
      }
    }
}

/** Looks a user up as the machine does, in all its directories. */
async function findUser(name: string): Promise<Identity | undefined> {
  if (!/^[A-Za-z0-9_.][A-Za-z0-9_.@-]*\$?$/.test(name)) return undefined;
  const line = await run('getent', ['passwd', '--', name]).then(
    ({ stdout }) => stdout,
    () => '',
  );
  const [found, , userId, groupId] = line.trim().split(':');
  return found === name && userId && groupId ? { name, userId: Number(userId), groupId: Number(groupId) } : undefined;
}

/** Reads `container-executor.cfg`: `name=value` lines until the first `[section]`. */
export function parseExecutorFile(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*\[/.test(line)) break;
    const [written = ''] = line.split('#', 1);
    const equals = written.indexOf('=');
    const name = written.slice(0, Math.max(0, equals)).trim();
    if (name !== '') found.set(name, written.slice(equals + 1).trim());
  }
  return found;
}
