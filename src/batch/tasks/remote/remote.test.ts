// Input that lies with other machines: found by the rules for files, cut into splits, and read so that each line comes once.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { startS3Fixture } from '../../../client/test-support/s3-fixture.ts';
import { startFileServers } from '../../test-support/file-servers.ts';
import type { InputSplit } from '../input/input-split.ts';
import { cutByLines, withLineEnds } from '../input/line-splits.ts';
import { SplitReader } from '../input/split-reader.ts';
import { cutIntoSplits, type InputFile, InvalidInput, type SplitRules } from '../input/splits.ts';
import { JobConfiguration } from '../job-configuration.ts';
import { listRemote, readRemote } from './listing.ts';
import { isRemote, remoteParts, schemeOf } from './store.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-remote-'));
after(() => rmSync(scratch, { recursive: true }));

const rules: SplitRules = {
  api: 'mapreduce',
  blockSizeBytes: 1000,
  minimumBytes: 1,
  maximumBytes: Number.MAX_SAFE_INTEGER,
  mapsHint: 1,
  recursive: false,
  ignoreSubfolders: false,
  hosts: [],
};
const lines = Array.from({ length: 400 }, (_, i) => `line ${i} ${'x'.repeat(i % 23)}`);
const text = Buffer.from(`${lines.join('\n')}\n`);

/** Both stores with folders, with the same files in them. */
async function stores() {
  const objects = await startS3Fixture();
  const servers = await startFileServers();
  const settings = { ...objects.settings, 'mapreduce.job.user.name': 'ann' };
  const put = (path: string, bytes: Buffer) => {
    objects.objects.set(path.slice(1), { body: bytes, modified: new Date(0) });
    servers.files.set(path, bytes);
  };
  return {
    ...{ objects, servers, put, roots: ['s3a://logs', servers.nameNode] },
    configuration: new JobConfiguration(settings),
    reader: { property: (name: string) => (settings as Record<string, string>)[name], user: 'ann' },
    async [Symbol.asyncDispose]() {
      await objects[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
    },
  };
}

async function readAll(splits: readonly InputSplit[], configuration: JobConfiguration): Promise<string[]> {
  const found: string[] = [];
  for (const split of splits) {
    const reader = new SplitReader(split, configuration);
    while (await reader.readChunk((buffer, start, end) => found.push(buffer.toString('utf8', start, end))));
    assert.equal(reader.progress, 1);
    reader.close();
  }
  return found;
}
const names = (root: string, files: readonly InputFile[]) => files.map(({ path, length }) => `${path.slice(root.length)} ${length}`);

test('addresses of other machines are told from paths', () => {
  for (const address of ['http://h/x', 'https://h/x', 's3a://b/k', 's3n://b/k', 'webhdfs://h:1/x', 'swebhdfs://h/x', 'S3A://b/k'])
    assert.ok(isRemote(address), address);
  for (const path of ['/x', 'file:/x', 'hdfs://h/x', 'http:/x', 'x/http://h']) assert.ok(!isRemote(path), path);
  assert.deepEqual(remoteParts('s3a://b'), { root: 's3a://b', path: '/' });
  assert.deepEqual(remoteParts('http://h:1/x?y=/z'), { root: 'http://h:1', path: '/x?y=/z' });
  assert.throws(() => remoteParts('http:///x'), /names no host/);
  assert.equal(schemeOf('s3a://b/k'), 'S3A');
});

describe('what lies in a store with folders', () => {
  test('is found as files are: folders, hidden names, patterns', async () => {
    await using all = await stores();
    const { put, roots, reader } = all;
    for (const path of ['/in/a', '/in/b b', '/in/_hidden', '/in/.crc', '/deep/inner/c', '/deep/d', '/logs/2026/x', '/logs/2027/x'])
      put(path, text);
    for (const root of roots) {
      const list = async (path: string, more: Partial<SplitRules> = {}) =>
        names(root, await listRemote(root + path, { ...rules, ...more }, reader));
      const size = text.length;
      assert.deepEqual(await list('/in'), [`/in/a ${size}`, `/in/b b ${size}`], root);
      assert.deepEqual(await list('/in/'), [`/in/a ${size}`, `/in/b b ${size}`]);
      assert.deepEqual(await list('/in/a'), [`/in/a ${size}`]);
      assert.deepEqual(await list('/logs/202{6,7}/*'), [`/logs/2026/x ${size}`, `/logs/2027/x ${size}`]);
      assert.deepEqual(await list('/i\\n/b\\ b'), [`/in/b b ${size}`], 'what follows a backslash is taken as it is');
      assert.deepEqual(await list('/logs/*7'), [`/logs/2027/x ${size}`]);
      assert.deepEqual(await list('/{in/a,deep/d}'), [`/in/a ${size}`, `/deep/d ${size}`]);
      assert.deepEqual(await list('/deep', { recursive: true }), [`/deep/d ${size}`, `/deep/inner/c ${size}`]);
      assert.deepEqual(await list('/deep', { ignoreSubfolders: true }), [`/deep/d ${size}`]);
      await assert.rejects(list('/deep'), new InvalidInput(`Not a file: ${root}/deep/inner`));
      await assert.rejects(list('/none'), new InvalidInput(`Input path does not exist: ${root}/none`));
      await assert.rejects(list('/in/_hidden'), new InvalidInput(`Input path does not exist: ${root}/in/_hidden`));
      await assert.rejects(list('/in/z*'), new InvalidInput(`Input Pattern ${root}/in/z* matches 0 files`));
    }
  });

  test('is read split by split, each line once, wherever the splits are cut; compressed files as a whole', async () => {
    await using all = await stores();
    const { put, roots, configuration, reader } = all;
    put('/in/a', text);
    put('/gz/a.gz', gzipSync(text));
    for (const root of roots) {
      for (const blockSizeBytes of [97, 1000, text.length - 1]) {
        const splits = cutIntoSplits(await listRemote(`${root}/in`, rules, reader), { ...rules, blockSizeBytes });
        assert.ok(splits.length >= Math.floor(text.length / blockSizeBytes));
        assert.deepEqual(await readAll(splits, configuration), lines);
      }
      const splits = cutIntoSplits(await listRemote(`${root}/gz`, rules, reader), { ...rules, blockSizeBytes: 50 });
      assert.equal(splits.length, 1);
      assert.deepEqual(await readAll(splits, configuration), lines);
    }
  });

  test('is cut after so many lines, with the same splits as a file of the machine', async () => {
    await using all = await stores();
    const { put, roots, configuration, reader } = all;
    const mixed = Buffer.from(lines.map((line, i) => line + ['\n', '\r\n', '\r'][i % 3]).join(''));
    put('/in/a', mixed);
    put('/in/b.gz', gzipSync(text));
    const path = join(scratch, 'a');
    writeFileSync(path, mixed);
    const here = cutByLines([{ path, length: mixed.length }], 7);
    for (const root of roots) {
      const files = await listRemote(`${root}/in`, rules, reader);
      const cut = await Promise.all(files.map((file) => withLineEnds(file, 7, (address) => readRemote(address, 0, reader))));
      const splits = cutByLines(cut, 7);
      assert.deepEqual(
        splits.slice(0, -1),
        here.map((split) => ({ ...split, path: `${root}/in/a` })),
      );
      assert.deepEqual(splits.at(-1), { path: `${root}/in/b.gz`, start: 0, length: gzipSync(text).length, hosts: [] });
      assert.deepEqual(await readAll(splits, configuration), [...lines, ...lines]);
      assert.equal((await readAll(splits.slice(0, 1), configuration)).length, 7);
    }
  });

  test('that refuses is told in its words', async () => {
    await using all = await stores();
    const { objects, servers, reader } = all;
    all.put('/in/a', text);
    objects.broken = true;
    await assert.rejects(listRemote('s3a://logs/in', rules, reader), {
      name: 'java.nio.file.AccessDeniedException',
      message: 's3a://logs/in/: Access Denied (AccessDenied)',
    });
    await assert.rejects(listRemote(`${servers.nameNode}/in`, rules, { ...reader, user: 'bob' }), {
      message: `${servers.nameNode}/in: Permission denied`,
    });
    await assert.rejects(listRemote('s3a://X/in', rules, reader), { message: "'X' is no name of a bucket" });
  });
});

describe('a file of a web server', () => {
  test('is cut after so many lines where the server sends parts of it', async () => {
    await using servers = await startFileServers();
    const reader = { property: () => undefined, user: 'ann' };
    for (const [path, splits] of [
      ['/parts/a', 4],
      ['/plain/a', 1],
    ] as const) {
      servers.files.set(path, text);
      const [file] = await listRemote(servers.web + path, rules, reader);
      const cut = cutByLines([await withLineEnds(file!, 100, (address) => readRemote(address, 0, reader))], 100);
      assert.equal(cut.length, splits);
      assert.deepEqual(await readAll(cut, new JobConfiguration({})), lines);
    }
  });

  test('is cut where the server sends parts of it, and else one split; a query belongs to its address', async () => {
    await using servers = await startFileServers();
    const reader = { property: () => undefined, user: 'ann' };
    const configuration = new JobConfiguration({});
    for (const path of ['/parts/a', '/plain/a', '/silent/a']) servers.files.set(path, text);
    servers.files.set('/parts/b.gz', gzipSync(text));
    const splitsOf = async (path: string) => cutIntoSplits(await listRemote(servers.web + path, rules, reader), rules);
    const parts = await splitsOf('/parts/a?token=1');
    assert.ok(parts.length > 5);
    assert.deepEqual(await readAll(parts, configuration), lines);
    assert.ok(servers.asked.includes('GET /parts/a bytes=1000-'));
    const plain = await splitsOf('/plain/a');
    assert.equal(plain.length, 1);
    assert.deepEqual(await readAll(plain, configuration), lines);
    assert.deepEqual(await readAll(await splitsOf('/parts/b.gz?token=1'), configuration), lines);
    await assert.rejects(splitsOf('/silent/a'), { message: `${servers.web}/silent/a: the server does not say how long it is` });
    await assert.rejects(splitsOf('/none'), new InvalidInput(`Input path does not exist: ${servers.web}/none`));
  });

  test('that breaks off, and sends no parts, fails the reading, and is never taken for its end', async () => {
    await using servers = await startFileServers();
    servers.files.set('/plain/a', text);
    const splits = cutIntoSplits(await listRemote(`${servers.web}/plain/a`, rules, { property: () => undefined, user: 'ann' }), {
      ...rules,
      blockSizeBytes: 1 << 20,
    });
    servers.cutAfter = 500;
    await assert.rejects(readAll(splits, new JobConfiguration({})), /broke off after \d+ bytes|broke off: \d+ of/);
  });

  test('where nobody listens is told', async () => {
    const servers = await startFileServers();
    await servers[Symbol.asyncDispose]();
    const patience = { answerMs: 60_000, stallMs: 60_000, attempts: 5, waitMs: 1 };
    await assert.rejects(listRemote(`${servers.web}/a`, rules, { property: () => undefined, user: 'ann', patience }), {
      name: 'java.net.ConnectException',
    });
  });
});
