// Clusters by name: which one a command means, and the file that says how they are reached.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { contextOf, isContextName } from './contexts.ts';
import { CommandLine, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-contexts-'));
const file = join(folder, '.heddle', 'contexts.json');
const server = new StubServer(({ path }) => (path === '/ws/v1/cluster/nodes' ? { json: { nodes: null } } : undefined));
let url: string;
let commands: CommandLine;

before(async () => {
  url = await server.listen();
  commands = new CommandLine({ HOME: folder, HEDDLE_CONTEXTS: file });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const heddle = (...args: string[]) => commands.run(...args);
const asked = async (...args: string[]) => {
  server.requests.length = 0;
  const { code } = await heddle('node', 'list', ...args);
  return code === 0 ? server.requests[0]?.query.get('user.name') : code;
};

describe('heddle context', () => {
  it('gives a cluster a name, which --cluster takes and which can be used without', async () => {
    assert.match((await heddle('context', 'list')).out, /No clusters have names/);
    assert.equal((await heddle('context', 'add', 'prod', '--cluster', url, '--user', 'bob', '--token-file', 'token')).code, 0);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { contexts } = JSON.parse(readFileSync(file, 'utf8'));
    assert.deepEqual([contexts.prod.cluster, contexts.prod.tokenFile], [url, join(process.cwd(), 'token')]);
    const again = await heddle('context', 'add', 'prod', '--cluster', url, '--user', 'bob');
    assert.deepEqual([again.code, /^What the name stood for is forgotten\. /.test(again.out)], [0, true], again.out);
    assert.equal(await asked('--cluster', 'prod'), 'bob');
    assert.equal(await asked('--cluster', 'prod', '--user', 'ann'), 'ann');
    assert.equal((await heddle('context', 'use', 'prod')).code, 0);
    assert.equal(await asked(), 'bob');
    assert.match((await heddle('context', 'list')).out, /\* +prod +http/);
  });

  it('is not asked where a folder or an address says which cluster is meant', () => {
    process.env['HEDDLE_CONTEXTS'] = file;
    try {
      assert.equal(contextOf({}, {})?.user, 'bob');
      assert.equal(contextOf({}, { HEDDLE_CLUSTER: 'prod' })?.user, 'bob');
      for (const flags of [{ data: 'd' }, { conf: 'c' }, { cluster: 'http://h:1' }, { cluster: 'other' }])
        assert.equal(contextOf(flags, {}), undefined);
      assert.equal(contextOf({}, { HEDDLE_DATA: 'd' }), undefined);
    } finally {
      delete process.env['HEDDLE_CONTEXTS'];
    }
    assert.deepEqual(['a', 'a-b_1', '1a', 'h:80', 'h.example', 'localhost', ''].map(isContextName), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('refuses what makes no sense, and forgets what is removed', async () => {
    for (const wrong of [
      ['add', 'a.b', '--cluster', url],
      ['add', 'x'],
      ['add', 'x', '--cluster', 'h:80'],
      ['use', 'none'],
      ['use'],
      ['use', 'prod', '--none'],
      ['remove', 'none'],
    ])
      assert.equal((await heddle('context', ...wrong)).code, 2, wrong.join(' '));
    await using nowhere = new CommandLine({ HOME: folder, HEDDLE_CONTEXTS: join(file, 'contexts.json') });
    assert.match((await nowhere.run('context', 'add', 'x', '--cluster', url)).err, /contexts\.json.*\n {2}Set HEDDLE_CONTEXTS to a file/);
    assert.equal((await heddle('context', 'remove', 'prod')).code, 0);
    assert.deepEqual(JSON.parse((await heddle('context', 'list', '--json')).out), { file, current: null, contexts: {} });
    writeFileSync(file, '{"contexts": []}');
    assert.match((await heddle('context', 'list')).err, /contexts\.json: \/contexts is not an object/);
    rmSync(file);
  });
});

describe('a data folder that is named', () => {
  it('counts over the address of the settings: its ports may be others', async () => {
    const [conf, data] = [join(folder, 'conf'), join(folder, 'data')];
    for (const path of [conf, data]) mkdirSync(path);
    writeFileSync(
      join(conf, 'yarn-site.xml'),
      '<configuration><property><name>yarn.resourcemanager.webapp.address</name><value>127.0.0.1:1</value></property></configuration>',
    );
    const running = { pid: process.pid, startedAt: '', addresses: { 'resource-manager': { web: url } } };
    writeFileSync(join(data, 'cluster.json'), JSON.stringify(running));
    assert.equal(await asked('--conf', conf), 1);
    assert.equal(typeof (await asked('--conf', conf, '--data', data)), 'string');
  });
});
