// What attacks are made of: a running cluster, other users of the machine, and the requests that they send.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';

/** A user of this machine. */
export interface UnixUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Whether attacks can be made by other users of this machine. */
export const hasOtherUsers = process.platform === 'linux' && process.getuid?.() === 0;

/** The option `skip` of attacks that need other users: false, or the reason. */
export const otherUsersNeeded = hasOtherUsers ? false : 'needs root, to act as other users of this machine';

/** A user without an entry in the machine's user directory: nothing has to be made or removed for it. */
export const mallory: UnixUser = { name: 'mallory', uid: 61_666, gid: 61_666 };

/** A user with an entry, who may start a cluster and as whom containers may run: made with `useradd`, removed when it is disposed. Only as root. */
export function makeUser(kind: string): UnixUser & Disposable {
  // Attacks of several checkouts may run at once.
  const name = `${kind}-${process.pid}`;
  execFileSync('useradd', ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', name], { stdio: 'pipe' });
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' })));
  return {
    name,
    uid: uid!,
    gid: gid!,
    [Symbol.dispose]: () => void execFileSync('userdel', ['--force', name], { stdio: 'pipe' }),
  };
}

/** The command line that runs what follows as the user, with no group but its own, and `HOME` in the given folder. */
export const commandAs = ({ uid, gid }: UnixUser, home = '/nonexistent'): string[] => [
  ...['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--inh-caps=-all'],
  ...['env', `HOME=${home}`],
];

/** How a program ended and what it said. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, as another user where one is given; `timeoutMs` (default 30 s) ends it. */
export async function runAs(user: UnixUser | undefined, command: readonly string[], input = '', timeoutMs = 30_000): Promise<Ended> {
  const [program = '', ...words] = user ? [...commandAs(user), ...command] : command;
  const child = spawn(program, words, { cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], timeout: timeoutMs, killSignal: 'SIGKILL' });
  return ended(child, input);
}

async function ended(child: ChildProcess, input: string): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, stdout, stderr };
}

/** A request as it is sent: nothing is added to it but what curl always sends (`Host`, `User-Agent`, `Accept`), where it is not given. */
export interface Attempt {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is; without a `Content-Type` of its own it has none. */
  readonly body?: string;
  /** Who sends it; absent: the user who runs the attacks. */
  readonly as?: UnixUser;
  /** More options of curl, such as `--interface` or `--negotiate`. */
  readonly options?: readonly string[];
}

/** An answer; `status` is 0 where none came. Names of headers are lower case; of several with one name all values stand, joined by a line feed. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends one request on a connection of its own, by curl, and gives the answer; redirects are not followed. */
export async function send(url: string, { method = 'GET', headers = {}, body, as, options = [] }: Attempt = {}): Promise<Answered> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', value === '' ? `${name};` : `${name}: ${value}`]);
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const sent = body === undefined ? [] : [...(isTyped ? [] : ['--header', 'Content-Type:']), '--header', 'Expect:', '--data-binary', '@-'];
  const asked = method === 'HEAD' ? ['--head'] : ['--include', '--request', method];
  const how = ['curl', '--silent', '--globoff', '--path-as-is', '--noproxy', '*', '--max-time', '20', ...asked, ...given, ...sent];
  const { stdout } = await runAs(as, [...how, ...options, url], body);
  // What comes before the answer itself: interim answers, and those to the first steps of a login.
  let rest = stdout;
  let head = '';
  while (/^HTTP\/[\d.]+ \d{3}/.test(rest)) {
    const at = rest.indexOf('\r\n\r\n');
    head = at < 0 ? rest : rest.slice(0, at);
    rest = at < 0 ? '' : rest.slice(at + 4);
  }
  const [first = '', ...lines] = head.split('\r\n');
  const found: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf(':');
    const name = line.slice(0, at).toLowerCase();
    const value = line.slice(at + 1).trim();
    found[name] = found[name] === undefined ? value : `${found[name]}\n${value}`;
  }
  return { status: Number(/^HTTP\/[\d.]+ (\d{3})/.exec(first)?.[1] ?? 0), headers: found, body: rest };
}

/**
 * Starts a cluster (`heddle up`) on free ports with a data folder of its own, by default as the user who runs the attacks; `as`: another
 * user of the machine, who owns its folders then. `resourceManager`: where that is reached when `settings` give it another address.
 */
export async function startCluster(
  options: { settings?: Record<string, string>; as?: UnixUser; resourceManager?: string } = {},
): Promise<ClusterProcesses> {
  const { as, settings = {}, resourceManager } = options;
  const within = (home: string): string[] => {
    // As a home of a user often is: what is Heddle's own business must not depend on it.
    chmodSync(home, 0o755);
    if (!as) return [];
    for (const folder of [home, join(home, 'conf'), join(home, 'data')]) chownSync(folder, as.uid, as.gid);
    return commandAs(as, home);
  };
  return startProcesses({ mode: 'up', settings, within, ...(resourceManager === undefined ? {} : { resourceManager }) });
}

/** A folder that every user may enter and that the user, where one is given, owns; removed when it is disposed. */
export function folderOf(user?: UnixUser): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'attack-'));
  chmodSync(path, 0o755);
  if (user) chownSync(path, user.uid, user.gid);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Submits an application whose master runs `command`, in a form of Hadoop's; gives its id and the status of the submission. */
export async function submit(
  resourceManager: string,
  command: string,
  how: { user?: string; as?: UnixUser; headers?: Readonly<Record<string, string>>; context?: object } = {},
): Promise<{ id: string; status: number; body: string }> {
  const query = how.user === undefined ? '' : `?user.name=${encodeURIComponent(how.user)}`;
  const by = { ...(how.as && { as: how.as }), method: 'POST' };
  const made = await send(`${resourceManager}/ws/v1/cluster/apps/new-application${query}`, { ...by, headers: how.headers ?? {} });
  if (made.status !== 200) return { id: '', status: made.status, body: made.body };
  const id = (JSON.parse(made.body) as { 'application-id': string })['application-id'];
  const answer = await send(`${resourceManager}/ws/v1/cluster/apps${query}`, {
    ...by,
    headers: { 'Content-Type': 'application/json', ...how.headers },
    body: JSON.stringify({
      'application-id': id,
      'application-name': 'attack',
      'max-app-attempts': 1,
      'unmanaged-AM': false,
      'am-container-spec': { commands: { command } },
      resource: { memory: 128, vCores: 1 },
      ...how.context,
    }),
  });
  return { id, status: answer.status, body: answer.body };
}

/**
 * What an application says that ended because its master failed on purpose: the local resource that it was to be brought, in which case that is
 * among its last words, or why it was brought none.
 */
export async function broughtTo(resourceManager: string, resource: string, by: { user: string; as?: UnixUser }): Promise<string> {
  // Who submits has to say when a file of the machine was written: nodes tell it in their refusal, here it is looked at.
  const timestamp = resource.startsWith('file://') ? Math.floor(statSync(resource.slice('file://'.length)).mtimeMs) : -1;
  const value = { resource, type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp };
  const commands = { command: 'base64 -w 0 brought >&2; exit 1' };
  const context = { 'am-container-spec': { 'local-resources': { entry: [{ key: 'brought', value }] }, commands } };
  const { id, status, body } = await submit(resourceManager, '', { ...by, context });
  assert.equal(status, 202, body);
  let app = { state: '', diagnostics: '' };
  await until('its end', async () => {
    const url = `${resourceManager}/ws/v1/cluster/apps/${id}?user.name=${encodeURIComponent(by.user)}`;
    app = (JSON.parse((await send(url, by.as ? { as: by.as } : {})).body) as { app: typeof app }).app;
    return app.state === 'FAILED';
  });
  const encoded = /^Last 4096 bytes of .* :\n([\w+/]+=*)$/m.exec(app.diagnostics)?.[1];
  return encoded === undefined ? app.diagnostics : `brought: ${Buffer.from(encoded, 'base64').toString('latin1')}`;
}

/** A server of the attacker's, on a free port; what it is asked for is kept, with the headers beside it. */
export async function aServer(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    headers.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    headers,
    [Symbol.dispose]: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** An unmanaged application of `user`, and the token of its master, which has not registered. */
export async function unmanagedMaster(resourceManager: string, user: string): Promise<{ id: string; attemptId: string; token: string }> {
  const { id, status } = await submit(resourceManager, 'true', { user, context: { 'unmanaged-AM': true } });
  assert.equal(status, 202);
  let master: { attemptId: string; token: string } | undefined;
  await until('the master may register', async () => {
    const answer = await send(`${resourceManager}/api/v1/applications/${id}/master?user.name=${encodeURIComponent(user)}`);
    if (answer.status === 200) master = JSON.parse(answer.body) as typeof master;
    return master !== undefined;
  });
  return { id, ...master! };
}

/** An unmanaged application whose master says that it is at `trackingUrl`. */
export async function unmanaged(resourceManager: string, trackingUrl: string): Promise<string> {
  const { id, attemptId, token } = await unmanagedMaster(resourceManager, 'eve');
  const registered = await send(`${resourceManager}/api/v1/attempts/${attemptId}/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ host: '127.0.0.1', rpcPort: 0, trackingUrl }),
  });
  assert.equal(registered.status, 200, registered.body);
  return id;
}
