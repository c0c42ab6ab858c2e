// Names that callers choose never lead out of the folders they belong to: local resources, archives, logs, users.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';
import { closeConnections, send } from './raw-request.ts';

const outside = realpathSync(mkdtempSync(join(tmpdir(), 'heddle-outside-')));
after(() => rmSync(outside, { recursive: true, force: true }));
const secret = 'the words of somebody else';

/** A file to bring, with the time it has. */
function brought(path: string, type = 'FILE') {
  const facts = statSync(path);
  return { resource: `file://${path}`, type, visibility: 'APPLICATION', size: facts.size, timestamp: Math.floor(facts.mtimeMs) };
}

/** A tar entry: header and content. `kind`: 0 file, 1 hard link, 2 symbolic link. */
function tarEntry(name: string, content = '', kind = 0, linkTo = ''): Buffer {
  const header = Buffer.alloc(512);
  const put = (text: string, at: number) => void header.write(text, at, 'latin1');
  put(name, 0);
  put('0000644\0', 100);
  put('0000000\0', 108);
  put('0000000\0', 116);
  put(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  put('00000000000\0', 136);
  put('        ', 148);
  put(String(kind), 156);
  put(linkTo, 157);
  put('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padded = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  padded.write(content);
  return Buffer.concat([header, padded]);
}
const tar = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);

describe('folders', () => {
  let cluster: TestCluster;
  before(async () => {
    writeFileSync(join(outside, 'secret.txt'), secret);
    writeFileSync(join(outside, 'plain.txt'), 'plain');
    cluster = await startCluster();
  });
  after(async () => {
    closeConnections();
    await cluster[Symbol.asyncDispose]();
  });
  const untouched = () => {
    assert.deepEqual(
      readdirSync(outside).filter((name) => name.startsWith('evil')),
      [],
    );
    for (const path of ['/evil.txt', '/tmp/evil.txt', join(cluster.dataDir, 'evil.txt')]) assert.ok(!existsSync(path), path);
    assert.equal(readFileSync(join(outside, 'secret.txt'), 'utf8'), secret);
    assert.equal(statSync(join(outside, 'secret.txt')).mode & 0o777, 0o644);
  };
  const port = () => Number(new URL(cluster.urls.resourceManager).port);
  const run = async (name: string, resource: unknown, command = 'true') => {
    const id = await submitApplication(
      cluster.urls.resourceManager,
      commandApplication(command, {
        'am-container-spec': { commands: { command }, 'local-resources': { entry: [{ key: name, value: resource }] } },
      }),
    );
    return endedApplication(cluster.urls.resourceManager, id);
  };

  test('names of local resources', async () => {
    const names = [
      '../evil.txt',
      '/evil.txt',
      'a/../../evil.txt',
      `${outside}/evil.txt`,
      '..',
      '.',
      'a\u0000b',
      'a/../../../../../../../../tmp/evil.txt',
      '../*',
    ];
    const ends = await Promise.all(names.map((name) => run(name, brought(join(outside, 'plain.txt')))));
    for (const [index, end] of ends.entries()) {
      assert.equal(end.state, 'FAILED', `${names[index]}: ${end.diagnostics}`);
      assert.doesNotMatch(end.diagnostics, /\n\s+at .*\.ts/, end.diagnostics);
    }
    untouched();
  });

  test('names that a shell would read', async () => {
    for (const name of ['$(touch evil.txt)', '`touch evil.txt`', 'a"; touch evil.txt; "', "a'b", 'a\nb', '-rf']) {
      const { state, diagnostics } = await run(name, brought(join(outside, 'plain.txt')), 'test ! -e evil.txt');
      assert.match(diagnostics, /exitCode: 0/, `${JSON.stringify(name)}: ${state} ${diagnostics}`);
    }
    untouched();
  });

  test('archives that climb, link out or are none', async () => {
    const archives: Record<string, Buffer> = {
      'climb.tar': tar(tarEntry('../../../evil.txt', 'evil')),
      'absolute.tar': tar(tarEntry(`${outside}/evil.txt`, 'evil')),
      'link.tar': tar(tarEntry('x', '', 2, outside), tarEntry('x/evil.txt', 'evil')),
      'overwrite.tar': tar(tarEntry('x', '', 2, join(outside, 'secret.txt')), tarEntry('x', 'evil')),
      'hard.tar': tar(tarEntry('x', '', 1, join(outside, 'secret.txt')), tarEntry('x', 'evil')),
      'garbage.tar': Buffer.from('no archive'.repeat(100)),
      'cut.tgz': gzipSync(tar(tarEntry('a', 'b'.repeat(5000)))).subarray(0, 40),
      'garbage.zip': Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18, 255)]),
      'empty.zip': Buffer.alloc(0),
    };
    await Promise.all(
      Object.entries(archives).map(async ([name, bytes]) => {
        const path = join(outside, name);
        writeFileSync(path, bytes);
        const { diagnostics } = await run('archive', brought(path, 'ARCHIVE'), 'true');
        assert.doesNotMatch(diagnostics, /\n\s+at .*\.ts/, `${name}: ${diagnostics}`);
      }),
    );
    untouched();
  });

  test('a pattern that never ends does not hold the node', async () => {
    mkdirSync(join(outside, 'jar'));
    writeFileSync(join(outside, 'jar', `${'a'.repeat(60)}!`), '');
    const path = join(outside, 'job.jar');
    // A stored zip with one entry, written by hand: no archiver is there for sure.
    const name = Buffer.from(`${'a'.repeat(60)}!`);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(name.length, 28);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50, 0);
    end.writeUInt16LE(1, 8);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(46 + name.length, 12);
    end.writeUInt32LE(30 + name.length, 16);
    writeFileSync(path, Buffer.concat([local, name, central, name, end]));
    const { state, diagnostics } = await run('job.jar', { ...brought(path, 'PATTERN'), pattern: '(a+)+$' });
    assert.equal(state, 'FAILED');
    assert.match(diagnostics, /takes too long/);
  });

  test('sources that may not be read', async () => {
    for (const resource of [
      'file:///dev/zero',
      'file:///proc/self/mem',
      'ftp://x/y',
      'file://../x',
      'http://127.0.0.1:1/x',
      'x',
      'file:///%00',
      'file:///%zz',
    ]) {
      const { state, diagnostics } = await run('x', { resource, type: 'FILE', visibility: 'PRIVATE', size: 1, timestamp: 0 });
      assert.equal(state, 'FAILED', `${resource}: ${diagnostics}`);
      assert.doesNotMatch(diagnostics, /\n\s+at .*\.ts/, diagnostics);
    }
    untouched();
  });

  test('users and logs', async () => {
    const node = Number(new URL(cluster.urls.nodeManager).port);
    const id = await submitApplication(
      cluster.urls.resourceManager,
      commandApplication(
        `echo mine > <LOG_DIR>/stdout; ln -s ${outside}/secret.txt <LOG_DIR>/linked; ln -s ${outside} <LOG_DIR>/folder; mkfifo <LOG_DIR>/pipe; exec sleep 60`,
      ),
      encodeURIComponent('../../evil'),
    );
    const containerId = `${id.replace('application', 'container')}_01_000001`;
    const list = async () =>
      (await send(node, { method: 'GET', target: `/ws/v1/node/containers/${containerId}/logs`, headers: { accept: 'application/json' } }))
        .text;
    await until('the logs', async () => (await list()).includes('stdout'));
    const names = [
      'linked',
      'folder%2fsecret.txt',
      'folder/secret.txt',
      '..%2f..%2f..%2fetc%2fpasswd',
      '..%2f',
      '..',
      '.',
      '%2fetc%2fpasswd',
      '%00',
      'stdout%00',
      '',
      '%2e%2e%2f%2e%2e%2fsecrets%2fcluster',
      '....%2f%2f',
      '..%5c..',
      'pipe',
      'x'.repeat(5000),
      encodeURIComponent(`${outside}/secret.txt`),
    ];
    for (const name of names) {
      for (const path of [
        `/ws/v1/node/containers/${containerId}/logs/${name}`,
        `/ws/v1/node/containerlogs/${containerId}/${name}`,
        `/api/v1/containers/${containerId}/logs/${name}`,
        `/node/containerlogs/${containerId}/root/${name}`,
      ]) {
        const answer = await send(node, { method: 'GET', target: path });
        assert.ok(answer.status < 500 && answer.status !== 0, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        assert.doesNotMatch(answer.text, /words of somebody|root:x/, path);
      }
    }
    await send(port(), {
      method: 'PUT',
      target: `/ws/v1/cluster/apps/${id}/state?user.name=root`,
      headers: { 'content-type': 'application/json' },
      body: '{"state":"KILLED"}',
    });
    await endedApplication(cluster.urls.resourceManager, id);
    const history = Number(new URL(cluster.urls.history).port);
    for (const name of ['..%2f..%2fsecret', '..', 'linked', '%00'])
      for (const path of [
        `/ws/v1/history/containerlogs/${containerId}/${name}`,
        `/jobhistory/logs/127.0.0.1:1/${containerId}/${containerId}/..%2f..%2fevil/${name}`,
      ]) {
        const answer = await send(history, { method: 'GET', target: path });
        assert.ok(answer.status < 500 && answer.status !== 0, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        assert.doesNotMatch(answer.text, /words of somebody|root:x/, path);
      }
    untouched();
    const written = execFileSync('find', [cluster.dataDir, '-name', '*evil*', '-not', '-path', '*/usercache/*'], { encoding: 'utf8' });
    assert.doesNotMatch(written, /\/evil/, written);
  });
});
