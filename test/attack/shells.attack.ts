// Shells in containers: who gets one, what they reach, how many there may be, and what they leave behind.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { ContainerShell } from '../../src/client/container-shell.ts';
import { shellProtocol } from '../../src/wire/node/shell.ts';
import { type ClusterProcesses, until } from '../support/processes.ts';
import {
  folderOf,
  makeUser,
  mallory,
  otherUsersNeeded,
  runAs,
  send,
  startCluster,
  submit,
  type UnixUser,
  unmanagedMaster,
} from './harness.ts';
import { type AttemptEnd, shellProgram, tryShells } from './shell-attempts.ts';

const shellUrl = (cluster: ClusterProcesses, containerId: string, query = ''): string =>
  `${cluster.urls.nodeManager.replace('http', 'ws')}/container/${containerId}${query}`;

/** Says what nothing but a shell says: neither the command itself nor an echo of it has it. */
const giveaway = 'echo in-$((6 * 7))-$CONTAINER_ID';
const said = (containerId: string): string => `in-42-${containerId}`;

/** The container of a new application of `user`, once it runs. */
async function containerOf(cluster: ClusterProcesses, user: string, how: Parameters<typeof submit>[2] = {}, command = 'exec sleep 600') {
  const { id, status, body } = await submit(cluster.urls.resourceManager, command, { user, ...how });
  assert.equal(status, 202, body);
  const containerId = `container_${id.slice('application_'.length)}_01_000001`;
  const url = `${cluster.urls.nodeManager}/ws/v1/node/containers/${containerId}?user.name=${user}`;
  await until(`${containerId} to run`, async () => (await send(url)).body.includes('RUNNING'), 60_000);
  return { applicationId: id, containerId };
}

/** A shell of `user`, on a connection of root's. */
async function openShell(cluster: ClusterProcesses, containerId: string, user: string, command: readonly string[], terminal = false) {
  const shown = { text: '' };
  const shell = await ContainerShell.open({
    ...{ url: cluster.urls.nodeManager, containerId, user, authorize: undefined, command },
    ...(terminal && { terminal: { rows: 24, columns: 80, type: 'xterm' } }),
    write: async (_stream, bytes) => void (shown.text += bytes.toString('latin1')),
  });
  /** Undefined while it is open, the reason where it was refused. */
  let end: string | undefined;
  shell.ended.then(
    (exitCode) => (end = `exit ${exitCode}`),
    (error: Error) => (end = error.message),
  );
  return { shell, shown, end: () => end };
}

/** Processes with a word in their command line. */
const processesWith = (word: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(word);
    } catch {
      return false;
    }
  });

describe('shells in containers of a cluster of another user', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  const word = `word-of-ann-${randomInt(1_000_000_000)}`;
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let ann: { applicationId: string; containerId: string };
  let as: { as: UnixUser };
  before(async () => {
    owner = made.use(makeUser('owner'));
    as = { as: owner };
    const settings = {
      'heddle.node-manager.conceal-secrets': 'required',
      // For as many masters as there are.
      'yarn.scheduler.capacity.maximum-am-resource-percent': '1.0',
      'heddle.node-manager.shell.maximum': '8',
      'heddle.node-manager.shell.maximum-per-user': '5',
      'heddle.node-manager.shell.maximum-per-container': '2',
    };
    cluster = made.use(await startCluster({ as: owner, settings }));
    const environment = { entry: [{ key: 'WORD', value: word }] };
    ann = await containerOf(cluster, 'ann', {
      ...as,
      context: { 'am-container-spec': { commands: { command: 'exec sleep 600' }, environment } },
    });
  });
  after(() => made.disposeAsync());

  /** As who runs the cluster, who is let in. */
  const ownerGetsIn = async () => {
    const url = shellUrl(cluster, ann.containerId, '?user.name=ann');
    for (const { status, code, output } of await tryShells(owner, [{ url, command: giveaway }])) {
      assert.deepEqual([status, code], [101, 1000]);
      assert.ok(output.includes(said(ann.containerId)), output);
    }
  };

  it('are opened by no other user of the machine, whatever name, cookie or token it shows', async () => {
    const { nodeManager, resourceManager } = cluster.urls;
    const { headers } = await send(`${nodeManager}/ws/v1/node/info?user.name=ann`, as);
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    assert.match(cookie, /^hadoop\.auth=/);
    const forged = 'hadoop.auth="u=ann&p=ann&t=simple&e=99999999999999&s=bm90IHNpZ25lZCBieSBhbnlib2R5IGhlcmUuLi4="';
    const { token } = await unmanagedMaster(resourceManager, 'eve');
    const names = ['', '?user.name=', '?user.name=ann', `?user.name=${owner.name}`, '?user.name=root', '?user.name=root&doAs=ann'];
    const shown: Record<string, string>[] = [
      { Cookie: cookie },
      { Cookie: forged },
      { Authorization: `Bearer ${token}` },
      { Authorization: 'Negotiate YII=' },
      { 'X-Forwarded-For': '127.0.0.1', 'Heddle-Proxy-User': 'ann' },
    ];
    const attempts = [
      ...names.map((query) => ({ url: shellUrl(cluster, ann.containerId, query), command: giveaway })),
      ...shown.map((more) => ({ url: shellUrl(cluster, ann.containerId, '?user.name=ann'), headers: more, command: giveaway })),
    ];
    const ends = await tryShells(mallory, attempts);
    assert.equal(ends.length, 2 * attempts.length);
    for (const [index, { status, output }] of ends.entries()) {
      assert.equal(status, 401, JSON.stringify(attempts[index >> 1]));
      assert.equal(output, '');
    }
    await ownerGetsIn();
  });

  it('are opened by no page of another origin, nor under another name of this machine', async () => {
    const foreign: Record<string, string>[] = [
      { Origin: 'http://evil.example' },
      { Origin: 'null' },
      { Origin: cluster.urls.resourceManager },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Host: 'rebind.attacker.test', Origin: 'http://rebind.attacker.test' },
    ];
    const url = shellUrl(cluster, ann.containerId, '?user.name=ann');
    const ends = await tryShells(
      owner,
      foreign.map((headers) => ({ url, headers, command: giveaway })),
    );
    for (const [index, { status, output }] of ends.entries()) {
      assert.ok(status === 403 || status === 400, `${JSON.stringify(foreign[index >> 1])}: ${status}`);
      assert.equal(output, '');
    }
    const own = { Origin: cluster.urls.nodeManager, 'Sec-Fetch-Site': 'same-origin' };
    for (const { output } of await tryShells(owner, [{ url, headers: own, command: giveaway }]))
      assert.ok(output.includes(said(ann.containerId)));
  });

  it('read neither the secrets of the cluster nor its servers, nor come out of where the container is', async () => {
    const { dataDir } = cluster;
    const pid = cluster.pids.get('up');
    const paths = ['secrets/cluster', 'secrets/http-cookie', 'resource-manager/state.sqlite', 'node-manager/recovery/node.sqlite'];
    const read = paths.map((path) => `head -c 16 ${dataDir}/${path} | base64`).join('; ');
    const uncover = ['secrets', 'resource-manager', 'node-manager/recovery/node.sqlite']
      .map((path) => `umount ${dataDir}/${path}`)
      .join('; ');
    const files = `for file in /proc/${pid}/fd/*; do readlink $file; timeout 0.2 head -c 1 $file; done`;
    const servers = `cat /proc/${pid}/environ; head -c 1 /proc/${pid}/mem; ls /proc/${pid}/root/ /proc/${pid}/cwd/; ${files}`;
    const script = [
      ...[read, uncover, read, servers],
      `unshare --user --map-root-user --mount sh -c '${uncover}; ${read}'`,
      // Back by the way that the shell came.
      `nsenter --target ${pid} --user --mount sh -c '${read}'`,
      `for way in /proc/[0-9]*/fd/9 /proc/[0-9]*/ns/user; do nsenter --preserve-credentials --user=$way sh -c '${uncover}; ${read}'; done`,
    ];
    const { shell, shown } = await openShell(cluster, ann.containerId, 'ann', [
      'bash',
      '-c',
      `id -u; grep -E "NoNewPrivs|CapEff" /proc/self/status; { ${script.join('; ')}; } 2>/dev/null`,
    ]);
    await shell.ended;
    assert.equal(shown.text, `${owner.uid}\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\n`);
    for (const path of paths)
      assert.notEqual((await runAs(owner, ['head', '-c', '16', join(dataDir, path)])).stdout, '', `${path} is there for who is outside`);
    assert.notEqual((await runAs(owner, ['cat', `/proc/${pid}/environ`])).stdout, '', 'the user outside can');
  });

  it('show nothing of their environment and of what is typed into them in lists of processes', async () => {
    const typed = `typed-${randomInt(1_000_000_000)}`;
    const opened = await Promise.all(
      [false, true].map((terminal) =>
        openShell(cluster, ann.containerId, 'ann', ['bash', '--norc', '-c', 'echo "$WORD"; read -r typed; sleep 600'], terminal),
      ),
    );
    await until('both to have it', async () => opened.every(({ shown }) => shown.text.includes(word)));
    for (const { shell } of opened) await shell.send(Buffer.from(`${typed}\r\n`));
    await until('both to sleep', async () => opened.every(() => processesWith('600').length >= 3));
    const look = ['sh', '-c', 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null'];
    const seen = (await runAs(mallory, look)).stdout;
    assert.ok(seen.includes('sleep'), 'others see the command lines');
    const commandLines = (await runAs(undefined, ['sh', '-c', 'cat /proc/[0-9]*/cmdline 2>/dev/null'])).stdout;
    for (const secret of [word, typed]) assert.ok(!seen.includes(secret) && !commandLines.includes(secret), secret);
    assert.ok((await runAs(undefined, look)).stdout.includes(word), 'root sees the environment');
    for (const { shell } of opened) shell.close();
    await until('both to end', async () => opened.every(({ end }) => end() !== undefined));
  });

  it('leave nothing behind when their connection goes, however they hide', async () => {
    const seconds = String(1_000_000 + randomInt(1_000_000_000));
    const hide = [
      "trap '' HUP INT TERM QUIT",
      `setsid sleep ${seconds} &`,
      `nohup setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &`,
      // Nobody's child, in a session of its own.
      `(setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &)`,
      `env -i setsid sleep ${seconds} &`,
      // One that comes again.
      `setsid bash -c 'while :; do setsid sleep ${seconds} >/dev/null 2>&1 </dev/null & wait; done' &`,
      `sleep ${seconds}`,
    ];
    for (const terminal of [false, true]) {
      const open = () => openShell(cluster, ann.containerId, 'ann', ['bash', '-c', hide.join('\n')], terminal);
      let opened = await open();
      await until('all to run', async () => {
        // A container has two shells at most, and the node may still be ending those that were here before.
        if (/shells are open/.test(String(opened.end()))) opened = await open();
        return processesWith(seconds).length >= 6;
      });
      opened.shell.close();
      await until('all to end', async () => processesWith(seconds).length === 0, 20_000);
    }
  });

  it('end with their container, and so does what left them without a trace but stands there', async () => {
    const { applicationId, containerId } = await containerOf(cluster, 'bob', as);
    const seconds = String(1_000_000 + randomInt(1_000_000_000));
    const hide = [
      "trap '' HUP INT TERM QUIT",
      `(env -i setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &)`,
      `setsid sleep ${seconds} &`,
      `sleep ${seconds}`,
    ];
    const { end } = await openShell(cluster, containerId, 'bob', ['bash', '-c', hide.join('\n')]);
    await until('all to run', async () => processesWith(seconds).length >= 3);
    const killed = await send(`${cluster.urls.resourceManager}/ws/v1/cluster/apps/${applicationId}/state?user.name=bob`, {
      ...{ ...as, method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"state":"KILLED"}' },
    });
    assert.ok(killed.status < 300, killed.body);
    await until('all to end', async () => processesWith(seconds).length === 0, 30_000);
    await until('the shell to end', async () => end() !== undefined, 10_000);
    for (const { status, reason } of await tryShells(owner, [{ url: shellUrl(cluster, containerId, '?user.name=bob'), command: giveaway }]))
      assert.ok(status === 404 || /can be entered while it runs/.test(reason), `${status} ${reason}`);
  });

  it('are as many as a container, a user and a node may have, and others still get in', async () => {
    const more = [await containerOf(cluster, 'ann', as), await containerOf(cluster, 'ann', as)];
    const others = [await containerOf(cluster, 'bob', as), await containerOf(cluster, 'carl', as)];
    /** Opens so many at once; gives those that stay open once all others were refused. */
    const flood = async (containerId: string, user: string, count: number, left: number, reason: RegExp) => {
      const open = () => openShell(cluster, containerId, user, ['cat']);
      const all = await Promise.all(Array.from({ length: count }, open));
      const refused = async () => {
        const stay = all.filter(({ end }) => end() === undefined).length;
        // The node may still have been ending those that were here before.
        if (stay < left) all.push(await open());
        return stay === left;
      };
      await until('refusals', refused, 30_000);
      for (const { end } of all) if (end() !== undefined) assert.match(end()!, reason);
      return all.filter(({ end }) => end() === undefined);
    };
    const held = await flood(ann.containerId, 'ann', 30, 2, /2 shells are open in this container/);
    // Sockets that say nothing count too.
    const silent = Array.from(
      { length: 12 },
      () => new WebSocket(shellUrl(cluster, more[0]!.containerId, '?user.name=ann'), shellProtocol),
    );
    const closed = new Set<WebSocket>();
    for (const socket of silent) socket.on('error', () => undefined).on('close', () => closed.add(socket));
    await until('refusals', async () => closed.size >= 10, 30_000);
    const last = await flood(
      more[1]!.containerId,
      'ann',
      10,
      1,
      /(?:2|5) shells (?:are open in this container|of ann are open on this node)/,
    );
    const bobs = await flood(others[0]!.containerId, 'bob', 10, 2, /2 shells are open in this container/);
    for (const { shell } of bobs.slice(1)) shell.close();
    const carl = await openShell(cluster, others[1]!.containerId, 'carl', ['sh', '-c', 'echo in; cat']);
    await until('carl to be in', async () => carl.shown.text === 'in\n');
    const second = await openShell(cluster, others[1]!.containerId, 'carl', ['sh', '-c', 'echo in; cat']);
    await until('the node to be full, or not', async () => second.shown.text === 'in\n' || second.end() !== undefined);
    for (const { shell } of [...held, ...last, ...bobs, carl, second]) shell.close();
    for (const socket of silent) socket.terminate();
    await until('room again', async () => {
      const { shell, shown } = await openShell(cluster, ann.containerId, 'ann', ['echo', 'in']);
      await shell.ended.catch(() => undefined);
      return shown.text === 'in\n';
    });
  });
});

describe('shells in containers that run as those who submitted them', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let ann: UnixUser;
  let eve: UnixUser;
  let cluster: ClusterProcesses;
  let container: { applicationId: string; containerId: string };
  let room: { readonly path: string };
  const lists = {
    'application-acls': {
      entry: [
        { key: 'VIEW_APP', value: '*' },
        { key: 'MODIFY_APP', value: '*' },
      ],
    },
  };
  const running = (command: string) => ({ context: { 'am-container-spec': { commands: { command }, ...lists } } });
  before(async () => {
    ann = made.use(makeUser('ann'));
    eve = made.use(makeUser('eve'));
    room = made.use(folderOf());
    chmodSync(room.path, 0o777);
    const settings = {
      ...{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss ', 'heddle.node-manager.switch-users': 'true' },
      'yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users': 'false',
    };
    cluster = made.use(await startCluster({ settings }));
    container = await containerOf(cluster, ann.name, running('exec sleep 600'));
  });
  after(() => made.disposeAsync());

  it('are for their owner and administrators, not for who views, changes, or names nobody', async () => {
    const urlOf = (query: string) => ({ url: shellUrl(cluster, container.containerId, query), command: `${giveaway}; id -u` });
    const refused = ['', '?user.name=', '?user.name=dr.who', `?user.name=${eve.name}`, '?user.name=nobody'];
    for (const [index, { status, code, output }] of (await tryShells(undefined, refused.map(urlOf))).entries()) {
      assert.ok(status === 400 || status === 401 || code === 1008, `${refused[index >> 1]}: ${status} ${code}`);
      assert.equal(output, '');
    }
    for (const { output } of await tryShells(
      undefined,
      [ann.name, 'boss'].map((name) => urlOf(`?user.name=${name}`)),
    )) {
      assert.ok(output.includes(said(container.containerId)), output);
      assert.match(output, new RegExp(`^${ann.uid}\\r?$`, 'm'));
    }
  });

  it('are out of reach for a job of another user', async () => {
    const { shell, shown } = await openShell(cluster, container.containerId, ann.name, ['bash', '--norc', '-c', 'tty; sleep 600'], true);
    await until('its terminal', async () => shown.text.includes('/dev/pts/'));
    const terminal = /\/dev\/pts\/\d+/.exec(shown.text)![0];
    const [input, output, out] = ['input', 'attempts', 'out'].map((name) => join(room.path, name));
    const names = [
      '',
      `?user.name=${ann.name}`,
      '?user.name=root',
      '?user.name=boss',
      `?user.name=${eve.name}`,
      `?user.name=boss&doAs=${ann.name}`,
    ];
    const attempts = names.flatMap((query) => {
      const url = shellUrl(cluster, container.containerId, query);
      const bearer = { Authorization: 'Bearer TOKEN' };
      return [{ url, command: giveaway }, ...[bearer].map((headers) => ({ url, headers, command: giveaway }))];
    });
    // Its own container: the attempts can succeed.
    attempts.push({ url: shellUrl(cluster, 'OWN', `?user.name=${eve.name}`), command: giveaway });
    writeFileSync(input!, JSON.stringify(attempts));
    const victims = processesWith('600').join(' ');
    const script = join(room.path, 'job.sh');
    const lines = [
      `sed "s|OWN|$CONTAINER_ID|; s|TOKEN|$(cat "$HEDDLE_ATTEMPT_TOKEN_FILE")|" ${input} | ${process.execPath} ${shellProgram} >${output}`,
      `for pid in ${victims}; do cat /proc/$pid/environ; ls /proc/$pid/cwd/; nsenter --target $pid --all id; kill -9 $pid && echo killed; done >${out} 2>/dev/null`,
      `echo from-eve >${terminal} && echo written >>${out}`,
      `touch ${room.path}/done; exec sleep 600`,
    ];
    writeFileSync(script, lines.join('\n'), { mode: 0o755 });
    const own = await containerOf(cluster, eve.name, running(`bash ${script}`));
    await until('the job to have tried', async () => existsSync(join(room.path, 'done')), 90_000);
    const ends = JSON.parse(readFileSync(output!, 'utf8')) as AttemptEnd[];
    assert.equal(ends.length, attempts.length);
    const last = ends.pop()!;
    assert.ok(last.output.includes(said(own.containerId)), JSON.stringify(last));
    for (const [index, { status, code, output: text }] of ends.entries()) {
      assert.ok(status === 401 || code === 1008, `${JSON.stringify(attempts[index])}: ${status} ${code}`);
      assert.equal(text, '');
    }
    assert.equal(readFileSync(out!, 'utf8'), '');
    assert.doesNotMatch(shown.text, /from-eve/);
    // What the job could not do, the owner of the shell can.
    await runAs(ann, ['sh', '-c', `echo from-ann >${terminal}`]);
    await until('the owner to be heard', async () => shown.text.includes('from-ann'));
    shell.close();
  });

  it('read nothing that is not for their user: no secrets, no stores, no environment of the servers', async () => {
    const { dataDir } = cluster;
    const pid = cluster.pids.get('up');
    const folders = ['secrets', 'resource-manager', 'node-manager/recovery'].map((path) => join(dataDir, path));
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
    assert.ok(files.length > 3);
    const script = `id -u; for file in ${files.join(' ')} /proc/${pid}/environ /proc/${pid}/mem; do head -c 16 $file | base64; done 2>/dev/null; ls ${folders.join(' ')} 2>/dev/null; true`;
    const { shell, shown } = await openShell(cluster, container.containerId, ann.name, ['bash', '-c', script]);
    assert.equal(await shell.ended, 0);
    assert.equal(shown.text, `${ann.uid}\n`);
    assert.ok(readlinkSync(`/proc/${pid}/exe`).includes('node'));
  });
});
