import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { startNode } from './test-support/node-fixture.ts';
import { NodeUsers, openWay, parseExecutorFile, type UserRules } from './users.ts';

const rules: UserRules = {
  limitUsers: false,
  localUser: 'nobody',
  userPattern: /^[_.A-Za-z0-9][-@_.A-Za-z0-9]{0,255}?[$]?$/,
  minimumId: 1000,
  bannedUsers: ['root', 'bin'],
  allowedSystemUsers: [],
};
const nobody = { name: 'nobody', userId: 65_534, groupId: 65_534 };

test('only users that the rules allow run containers', async () => {
  const users = (more: Partial<UserRules> = {}) =>
    new NodeUsers({ ...rules, ...more }, systemClock, { hold: () => undefined, release: () => undefined });
  assert.deepEqual(await users().identityOf('nobody'), nobody);
  assert.deepEqual(await users({ limitUsers: true }).identityOf('somebody-who-does-not-exist'), nobody);
  await assert.rejects(users().identityOf('somebody-who-does-not-exist'), /User somebody-who-does-not-exist not found/);
  await assert.rejects(users().identityOf('bin'), /Requested user bin is banned/);
  await assert.rejects(users().identityOf('root'), /Requested user root is banned/);
  await assert.rejects(users({ bannedUsers: [], minimumId: 0 }).identityOf('root'), /not run as root/);
  await assert.rejects(
    users().identityOf('games'),
    /Requested user games is not whitelisted and has id \d+,which is below the minimum allowed 1000/,
  );
  assert.equal((await users({ allowedSystemUsers: ['games'] }).identityOf('games')).name, 'games');
  for (const name of ['', '-x', '../x', 'a b', 'a\nb', '$(id)', '--', 'x'.repeat(400)])
    await assert.rejects(users().identityOf(name), /Invalid user name|not found/);
});

test('container-executor.cfg is read as it is', () => {
  const text =
    '# group\nyarn.nodemanager.linux-container-executor.group=hadoop#comment\nbanned.users = hdfs,yarn\nmin.user.id=500\n[docker]\nmin.user.id=1\n';
  assert.deepEqual(Object.fromEntries(parseExecutorFile(text)), {
    'yarn.nodemanager.linux-container-executor.group': 'hadoop',
    'banned.users': 'hdfs,yarn',
    'min.user.id': '500',
  });
});

suite('containers of other users', { skip: process.getuid?.() === 0 ? false : 'only root can switch users' }, () => {
  const settings = { 'yarn.nodemanager.container-executor.class': 'org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor' };
  /** A node whose folders others can reach. */
  const start = async (more: Record<string, string> = {}) => {
    const room = realpathSync(mkdtempSync(join(tmpdir(), 'users-')));
    chmodSync(room, 0o711);
    const folders = { 'yarn.nodemanager.local-dirs': join(room, 'local'), 'yarn.nodemanager.log-dirs': join(room, 'logs') };
    const node = await startNode({ ...settings, ...folders, ...more });
    const remove = async () => {
      await node[Symbol.asyncDispose]();
      rmSync(room, { recursive: true, force: true });
    };
    return { node, room, [Symbol.asyncDispose]: remove };
  };
  test('others can go through what Heddle made above their folders; what it did not make is named', async () => {
    await assert.rejects(
      startNode(settings),
      /local-dirs: containers run as other users, who cannot go through \S+\/node-\w+\. Let others enter it/,
    );
    const data = realpathSync(mkdtempSync(join(tmpdir(), 'users-')));
    const folders = { local: [join(data, 'node-manager/local')], logs: [join(data, 'node-manager/logs')] };
    assert.throws(() => openWay(folders, data), /cannot go through/);
    chmodSync(data, 0o711);
    mkdirSync(join(data, 'node-manager'), { mode: 0o700, recursive: true });
    chmodSync(join(data, 'node-manager'), 0o700);
    openWay(folders, data);
    assert.equal(statSync(join(data, 'node-manager')).mode & 0o777, 0o711);
    writeFileSync(join(data, 'file'), '');
    openWay({ local: [join(data, 'file/local')], logs: [] }, data);
    rmSync(data, { recursive: true });
  });

  const logs = async (node: Awaited<ReturnType<typeof startNode>>, id: string) =>
    (await node.get(`/ws/v1/node/containers/${id}/logs/stdout`)).text();

  test('a container runs as the local user, reads its files, keeps its secrets, and is cleaned up', async () => {
    await using fixture = await start({ 'heddle.node-manager.secrets-in-environment': 'true' });
    const { node, room } = fixture;
    const resource = join(room, 'words');
    writeFileSync(resource, 'private words\n');
    const { size, mtimeMs } = statSync(resource);
    const localResources = {
      words: { resource: `file://${resource}`, type: 'FILE', visibility: 'PRIVATE', size, timestamp: Math.floor(mtimeMs) },
      mine: { resource: `file://${resource}`, type: 'FILE', visibility: 'APPLICATION', size, timestamp: Math.floor(mtimeMs) },
      all: { resource: `file://${resource}`, type: 'FILE', visibility: 'PUBLIC', size, timestamp: Math.floor(mtimeMs) },
    } as const;
    const secret = 'it\'s a \\ "secret"\nof two lines $HOME';
    const order = node.order(
      'id -un > <LOG_DIR>/stdout; cat words mine all >> <LOG_DIR>/stdout; stat -c %U . container_tokens words >> <LOG_DIR>/stdout; printenv SECRET >> <LOG_DIR>/stdout; (cat "$SECRET_FILE" && echo) >> <LOG_DIR>/stdout; touch {{LOCAL_DIRS}}/shared && echo shared >> <LOG_DIR>/stdout; cat /etc/shadow || echo kept >> <LOG_DIR>/stdout; mkfifo gate; read -r line < gate',
      { launch: { localResources, secretEnvironment: { SECRET: secret, LD_PRELOAD: '/nowhere.so' } } },
    );
    node.start(order);
    await node.resourceManager.running(order.containerId);
    const work = join(room, 'local/usercache/ada/appcache', order.applicationId, order.containerId);
    while (!existsSync(join(work, 'gate'))) await new Promise((resolve) => setImmediate(resolve));
    assert.match(
      await logs(node, order.containerId),
      new RegExp(
        `LogContents:\nnobody\n(private words\n){3}nobody\nnobody\nnobody\n(${secret.replace(/[$\\]/g, '\\$&')}\n){2}shared\nkept\n`,
      ),
    );
    assert.equal(lstatSync(join(room, 'local/usercache/ada')).uid, 0);
    assert.equal(lstatSync(join(work, 'launch_container.sh')).mode & 0o777, 0o700);
    // Stopped with signals although it is another user's; its folders go.
    node.resourceManager.send({
      type: 'stopContainers',
      containers: [{ containerId: order.containerId, exitCode: -105, diagnostics: 'x' }],
    });
    await node.resourceManager.complete(order.containerId);
    node.resourceManager.send({ type: 'finishApplications', applicationIds: [order.applicationId] });
    const application = join(room, 'local/usercache/ada/appcache', order.applicationId);
    const brought = join(room, 'local/usercache/ada/appfilecache');
    while (existsSync(application) || readdirSync(brought).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('links that a container leaves lead root nowhere', async () => {
    await using fixture = await start();
    const { node, room } = fixture;
    const precious = join(room, 'precious');
    mkdirSync(precious, { mode: 0o700 });
    writeFileSync(join(precious, 'file'), 'root only\n', { mode: 0o600 });
    const order = node.order(
      `ln -s ${precious}/file <LOG_DIR>/stdout; ln -s ${precious}/file <LOG_DIR>/stderr; mkfifo <LOG_DIR>/more.stderr; ln -s ${precious} inner; ln -s ${precious} {{LOCAL_DIRS}}/filecache; exit 4`,
    );
    node.start(order);
    const { diagnostics, exitCode } = await node.resourceManager.complete(order.containerId);
    assert.equal(exitCode, 4);
    assert.doesNotMatch(diagnostics, /root only/);
    assert.doesNotMatch(await logs(node, order.containerId), /root only/);
    // A link in the place of the next container's folder goes.
    const next = node.order('true');
    symlinkSync(precious, join(room, 'local/usercache/ada/appcache', order.applicationId, next.containerId));
    node.start(next);
    assert.equal((await node.resourceManager.complete(next.containerId)).exitCode, 0);
    await node.restart();
    node.resourceManager.send({ type: 'finishApplications', applicationIds: [order.applicationId] });
    while (existsSync(join(room, 'local/usercache/ada/appcache', order.applicationId)))
      await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(readdirSync(precious), ['file']);
    assert.equal(statSync(join(precious, 'file')).uid, 0);
  });

  test('root writes nothing through links that a container left before it starts again', async () => {
    await using fixture = await start({ 'yarn.nodemanager.container-retry-minimum-interval-ms': '1' });
    const { node, room } = fixture;
    const precious = join(room, 'precious');
    writeFileSync(precious, 'of root', { mode: 0o600 });
    const order = node.order(
      `[ -e again ] && exit 0; touch again; for file in launch_container.sh directory.info; do ln -sf ${precious} <LOG_DIR>/\\$file; done; exit 1`,
      { launch: { retry: { policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: 1 } } },
    );
    node.start(order);
    assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
    assert.deepEqual([readFileSync(precious, 'utf8'), statSync(precious).mode & 0o777], ['of root', 0o600]);
  });

  test('files are brought with the rights of the container’s user, never with those of root', async () => {
    await using fixture = await start();
    const { node, room } = fixture;
    const of = (name: string, visibility: 'PRIVATE' | 'PUBLIC' = 'PRIVATE') => {
      const path = join(room, name);
      return { resource: `file://${path}`, type: 'FILE', visibility, size: -1, timestamp: Math.floor(statSync(path).mtimeMs) } as const;
    };
    writeFileSync(join(room, 'secret'), 'root only', { mode: 0o600 });
    mkdirSync(join(room, 'folder/deep'), { recursive: true });
    writeFileSync(join(room, 'folder/deep/words'), 'open words');
    symlinkSync(join(room, 'secret'), join(room, 'link'));
    const failed = async (resource: ReturnType<typeof of>) => {
      const order = node.order('true', { launch: { localResources: { x: resource } } });
      node.start(order);
      const { exitCode, diagnostics } = await node.resourceManager.complete(order.containerId);
      assert.equal(exitCode, -1000);
      return diagnostics;
    };
    for (const name of ['secret', 'link'])
      for (const visibility of ['PRIVATE', 'PUBLIC'] as const) assert.match(await failed(of(name, visibility)), /\(Permission denied\)/);
    assert.match(await failed({ ...of('folder'), timestamp: 5 }), /changed on src filesystem - expected: /);
    assert.match(await failed({ ...of('folder'), resource: `file://${room}/none` }), /File file:\S+none does not exist/);
    const order = node.order('cat x/deep/words > <LOG_DIR>/stdout', { launch: { localResources: { x: of('folder') } } });
    node.start(order);
    assert.equal((await node.resourceManager.complete(order.containerId)).exitCode, 0);
    assert.match(await logs(node, order.containerId), /LogContents:\nopen words/);
  });

  test('a user who may not run containers is told why', async () => {
    await using fixture = await start({ 'yarn.nodemanager.linux-container-executor.nonsecure-mode.limit-users': 'false' });
    const { node } = fixture;
    const order = node.order('true', { user: 'games' });
    node.start(order);
    assert.match((await node.resourceManager.complete(order.containerId)).diagnostics, /below the minimum allowed 1000/);
  });
});
