// Secrets of a running cluster and of its applications, looked for in every place where others look: answers, pages, logs, files, processes.
import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterProcesses, until } from '../support/processes.ts';
import { folderOf, makeUser, mallory, otherUsersNeeded, runAs, send, startCluster, type UnixUser } from './harness.ts';

const main = join(import.meta.dirname, '../../src/main.ts');
/** What the application is given, and what stands in the settings; each in a form that nothing else has. */
const ofApplication = 'correct-horse-battery-staple-7711';
const ofSettings = ['settings-password-7712', 'address-password-7713', 'query-password-7714'];
const settings = {
  'yarn.acl.enable': 'true',
  'yarn.admin.acl': 'boss ',
  'yarn.log-aggregation-enable': 'true',
  'my.service.password': ofSettings[0]!,
  'my.copy': 'the ${my.service.password} again',
  'my.service.url': `https://someone:${ofSettings[1]}@db.example/x?password=${ofSettings[2]}`,
};

/** Files below a folder that hold one of the words. */
function holders(folder: string, words: readonly string[]): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => words.some((word) => readFileSync(path).includes(word)));
}

/**
 * Headers and body of an answer as far as it comes in three seconds: what waits for news, or never ends, is cut short. There are hundreds of
 * them: sent from here, without a program for each.
 */
async function whatComes(url: string): Promise<string> {
  let text = '';
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(3000) });
    text = JSON.stringify([...answer.headers]);
    for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  } catch {
    // What came before counts.
  }
  return text;
}

/** Command lines and environments of all processes that show the word. */
function processesShowing(word: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) =>
      ['cmdline', 'environ']
        .filter((file) => {
          try {
            return readFileSync(`/proc/${pid}/${file}`).includes(word);
          } catch {
            return false;
          }
        })
        .map((file) => `${pid} ${file}`),
    );
}

describe('secrets of a cluster', { skip: otherUsersNeeded }, () => {
  const made = new AsyncDisposableStack();
  let owner: UnixUser;
  let cluster: ClusterProcesses;
  let room: { readonly path: string };
  before(async () => {
    owner = made.use(makeUser('owner'));
    room = made.use(folderOf(owner));
    cluster = made.use(await startCluster({ as: owner, settings }));
  });
  after(() => made.disposeAsync());

  const servers = () => {
    const { resourceManager, nodeManager, timeline, history } = cluster.urls;
    return [resourceManager, nodeManager, timeline, history];
  };

  /** Every GET that a server describes, with names for the parts of its paths, as its administrator sees it. */
  async function everythingShown(server: string, names: Readonly<Record<string, string>>): Promise<{ path: string; text: string }[]> {
    const description = JSON.parse((await send(`${server}/openapi.json?user.name=boss`)).body) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const paths = Object.entries(description.paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
    assert.ok(paths.length > 10, server);
    const shown: { path: string; text: string }[] = [];
    for (const path of paths) {
      const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(names[name] ?? 'none'));
      shown.push({ path: filled, text: await whatComes(`${server}${filled}?user.name=boss&from=oldest`) });
    }
    assert.ok(shown.filter(({ text }) => text !== '').length > paths.length / 2, server);
    return shown;
  }

  it('of an application are shown by no server, log, process or file that others can read', async () => {
    const file = join(room.path, 'secret');
    writeFileSync(file, ofApplication, { mode: 0o600 });
    chownSync(file, owner.uid, owner.gid);
    const out = join(room.path, 'out');
    const script = `stat -c %a "$PASS_FILE"; rev < "$PASS_FILE"; touch ${out}; until [ -e ${out}.go ]; do sleep 0.1; done`;
    const started = runAs(
      owner,
      [
        ...[process.execPath, main, 'run', '--conf', cluster.confDir, '--data', cluster.dataDir, '--secret', `PASS=${file}`],
        ...['--', 'bash', '-c', script],
      ],
      '',
      120_000,
    );
    await until('the command to run', async () => statSync(out, { throwIfNoEntry: false }) !== undefined, 60_000);
    const apps = JSON.parse((await send(`${cluster.urls.resourceManager}/ws/v1/cluster/apps?user.name=boss`)).body) as {
      apps: { app: { id: string }[] };
    };
    const id = apps.apps.app[0]!.id;
    const digits = id.slice('application_'.length);
    for (const container of [`container_${digits}_01_000001`, `container_${digits}_01_000002`]) {
      const names = {
        ...{ appid: id, application: id, id, entityId: id, entityid: id, entityType: 'YARN_APPLICATION', user: owner.name },
        ...{ appattemptid: `appattempt_${digits}_000001`, attemptid: `appattempt_${digits}_000001`, containerid: container, container },
        ...{ filename: 'launch_container.sh', file: 'launch_container.sh', entity: container, node: 'node', userid: owner.name },
      };
      for (const server of servers())
        for (const { path, text } of await everythingShown(server, names))
          assert.ok(!text.includes(ofApplication), `${server}${path} as an administrator`);
    }
    assert.deepEqual(processesShowing(ofApplication), []);
    // Who runs the cluster finds it where the stores and the containers keep it, and nobody else does.
    const kept = holders(cluster.home, [ofApplication]);
    assert.ok(kept.length > 0, 'it is somewhere');
    for (const path of kept) {
      assert.equal(statSync(path).mode & 0o077, 0, path);
      assert.notEqual((await runAs(mallory, ['cat', '--', path])).code, 0, path);
    }
    writeFileSync(`${out}.go`, '');
    const { code, stdout, stderr } = await started;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `600\n${[...ofApplication].reverse().join('')}\n`.replace('\n\n', '\n'));
    assert.ok(!stderr.includes(ofApplication) && !cluster.output('up').includes(ofApplication));
    // What was gathered of its logs, and the folders of its containers, hold it no more.
    await until('the folders of its containers to go', async () =>
      holders(cluster.dataDir, [ofApplication]).every((path) => /\.sqlite(?:-wal|-shm)?$/.test(path)),
    );
  });

  it('of its settings are shown by no server and no command', async () => {
    for (const server of servers()) {
      const { status, body } = await send(`${server}/conf?user.name=boss`);
      assert.equal(status, 200, server);
      assert.ok(body.includes('my.service.password') && body.includes('db.example'), server);
      for (const word of ofSettings) assert.ok(!body.includes(word), `${server}/conf shows ${word}`);
      for (const name of Object.keys(settings)) {
        const one = await send(`${server}/conf?name=${encodeURIComponent(name)}&format=json&user.name=boss`);
        for (const word of ofSettings) assert.ok(!one.body.includes(word), `${server}/conf?name=${name} shows ${word}`);
      }
    }
    const commands = [['config', 'show'], ...Object.keys(settings).map((name) => ['config', 'explain', name]), ['doctor']];
    for (const command of commands) {
      const { output } = await cluster.heddle(...command);
      for (const word of ofSettings) assert.ok(!output.includes(word), `heddle ${command.join(' ')} shows ${word}`);
    }
    for (const word of ofSettings) assert.ok(!cluster.output('up').includes(word), 'the log shows it');
  });

  it('of its servers stand in no log and no answer to a fault', async () => {
    const words = readdirSync(join(cluster.dataDir, 'secrets')).map((name) =>
      readFileSync(join(cluster.dataDir, 'secrets', name), 'latin1').trim(),
    );
    assert.ok(words.length > 1 && words.every((word) => word.length >= 16));
    for (const server of servers())
      for (const path of [
        '/',
        '/%zz',
        '/none',
        '/conf',
        '/jmx',
        '/stacks',
        '/metrics',
        '/cluster',
        '/openapi.json',
        `/${'x'.repeat(9000)}`,
      ]) {
        const { body, headers } = await send(`${server}${path}?user.name=boss`);
        for (const word of words) assert.ok(!(JSON.stringify(headers) + body).includes(word), `${server}${path}`);
      }
    for (const word of words) assert.ok(!cluster.output('up').includes(word), 'the log shows a secret');
  });

  it('that others can read or write, that are weak, or another user’s, start no server, and the refusal does not show them', async () => {
    const folder = join(room.path, 'weak');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const good = 'b2Yg4oCmIHNvbWUgMzIgYnl0ZXMgb2YgY2hhbmNlIQ=='.padEnd(44, 'A');
    const casesOf = (uniform: string) => [
      { name: 'readable', text: good, mode: 0o644, uid: owner.uid },
      { name: 'writable', text: good, mode: 0o620, uid: owner.uid },
      { name: 'short', text: 'c2hvcnQ=', mode: 0o600, uid: owner.uid },
      { name: 'uniform', text: uniform, mode: 0o600, uid: owner.uid },
      { name: 'foreign', text: good, mode: 0o600, uid: mallory.uid },
    ];
    // The cluster's secret is base64, the other one every byte of its file.
    for (const [key, uniform] of [
      ['heddle.cluster.secret-file', Buffer.alloc(32, 7).toString('base64')],
      ['hadoop.http.authentication.signature.secret.file', 'a'.repeat(44)],
    ] as const)
      for (const { name, text, mode, uid } of casesOf(uniform)) {
        const file = join(folder, `${name}-${key}`);
        writeFileSync(file, text, { mode: 0o600 });
        chmodSync(file, mode);
        chownSync(file, uid, owner.gid);
        const data = join(room.path, `data-${name}-${key}`);
        const start = [process.execPath, main, 'start', 'resource-manager', '--data', data, '--set', `${key}=${file}`];
        const web = ['--set', 'yarn.resourcemanager.webapp.address=127.0.0.1:0', '--set', 'heddle.rpc.enabled=false'];
        const { code, stdout, stderr } = await runAs(owner, [...start, ...web], '', 20_000);
        assert.equal(code, 1, `${name} ${key}: ${stdout}${stderr}`);
        assert.ok(stderr.includes(file), stderr);
        assert.ok(!`${stdout}${stderr}`.includes(text), `${name} ${key} is shown`);
      }
  });
});
