// Files of containers that run on a real node manager, over its interface: what is shown, what is not, and how much at once.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import pino from 'pino';
import { failure } from '../../model/errors.ts';
import type { FolderListing } from '../../wire/node/files.ts';
import { type NodeFixture, startNode } from '../test-support/node-fixture.ts';
import { pathInside } from './container-files.ts';

const audited: Record<string, unknown>[] = [];
const log = new Writable({
  write(chunk: Buffer, _encoding, done) {
    const line = JSON.parse(String(chunk)) as Record<string, unknown>;
    if (line['audit']) audited.push(line);
    done();
  },
});
/** What the container makes before it waits. */
const making = [
  'mkdir -p sub/deep $LOCAL_DIRS/../elsewhere',
  "printf 'first\\nsecond\\n' > 'a file.txt'",
  "printf '\\377\\000binary' > $'odd\\xff\\nname'",
  'printf 0123456789 > sub/digits',
  'ln -s sub/digits inside; ln -s /etc/passwd outside; ln -s .. up; ln -s nowhere broken; ln -s "$PWD"/.. above',
  'mkfifo pipe; printf secret > sealed; chmod 000 sealed; printf secret > appTokens; mkdir closed; chmod 300 closed',
  'echo it is the end > made; sleep 600',
].join('; ');
let node: NodeFixture;
let id = '';
before(async () => {
  node = await startNode({ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' }, { logger: pino({ level: 'info' }, log) });
  const order = node.order(making, {
    applicationAcls: { VIEW_APP: '*', MODIFY_APP: '*' },
    launch: { secretEnvironment: { PASSWORD: 'told to nobody' } },
  });
  node.start(order);
  await node.resourceManager.running(order.containerId);
  id = order.containerId;
  while ((await content('made')).status !== 200) await new Promise((resolve) => setTimeout(resolve, 20));
});
after(() => node[Symbol.asyncDispose]());

const query = (values: Record<string, string>) => new URLSearchParams({ 'user.name': 'ada', ...values }).toString();
const ask = (path: string, values: Record<string, string> = {}, of = id) =>
  node.get(`/api/v1/containers/${of}/files${path}?${query(values)}`);
const content = (path: string, values: Record<string, string> = {}) => ask('/content', { path, ...values });
const listed = async (path: string, values: Record<string, string> = {}): Promise<FolderListing> => {
  const answer = await ask('', { path, ...values });
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as FolderListing;
};
/** Status and sentence of a refusal. */
const refused = async (answer: Response): Promise<readonly [number, string]> => {
  const { RemoteException } = (await answer.json()) as { RemoteException: { message: string } };
  return [answer.status, RemoteException.message];
};

describe('files of a container', () => {
  it('are listed with name, kind, size, when they were changed, and where links lead', async () => {
    const { entries, more, path } = await listed('');
    assert.deepEqual([more, path], [false, '']);
    const by = new Map(entries.map((entry) => [entry.name, entry]));
    assert.deepEqual([by.get('sub')?.kind, by.get('a file.txt')?.kind, by.get('a file.txt')?.bytes], ['folder', 'file', 13]);
    assert.ok(Math.abs((by.get('made')?.modifiedTime ?? 0) - Date.now()) < 120_000);
    assert.deepEqual([by.get('inside')?.kind, by.get('inside')?.leadsTo, by.get('inside')?.leadsToKind], ['link', 'sub/digits', 'file']);
    assert.deepEqual([by.get('pipe')?.kind, by.get('broken')?.kind, by.get('broken')?.leadsToKind], ['pipe', 'link', undefined]);
    assert.equal(entries.findIndex(({ kind }) => kind !== 'folder') > entries.findLastIndex(({ kind }) => kind === 'folder'), true);
    assert.deepEqual(
      (await listed('sub/')).entries.map(({ name }) => name),
      ['deep', 'digits'],
    );
    assert.deepEqual((await listed('./sub//deep/.')).entries, []);
  });

  it('are read with names of any bytes', async () => {
    const odd = (await listed('')).entries.find(({ nameBase64 }) => nameBase64 !== undefined);
    assert.equal(Buffer.from(odd?.nameBase64 ?? '', 'base64').toString('latin1'), 'odd\xff\nname');
    const answer = await ask('/content', { pathBase64: odd!.nameBase64! });
    assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1'), '\xff\0binary');
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''/);
    assert.deepEqual(
      [answer.headers.get('content-type'), answer.headers.get('x-content-type-options'), answer.headers.get('cache-control')],
      ['application/octet-stream', 'nosniff', 'no-store'],
    );
  });

  it('are read whole, from a byte on, from the end, and no further than was asked for', async () => {
    const parts = [
      [{}, '0123456789', '0'],
      [{ offset: '4' }, '456789', '4'],
      [{ offset: '-3' }, '789', '7'],
      [{ offset: '-300' }, '0123456789', '0'],
      [{ offset: '2', length: '3' }, '234', '2'],
      [{ offset: '30' }, '', '30'],
      [{ length: '0' }, '', '0'],
    ] as const;
    for (const [values, wanted, start] of parts) {
      const answer = await content('inside', values);
      assert.deepEqual([await answer.text(), answer.headers.get('heddle-file-start')], [wanted, start], JSON.stringify(values));
      assert.equal(answer.headers.get('heddle-file-bytes'), '10');
    }
    for (const values of [{ offset: 'x' }, { offset: '1.5' }, { length: '-1' }, { offset: '99999999999999999999' }])
      assert.equal((await content('inside', values as unknown as Record<string, string>)).status, 400, JSON.stringify(values));
    assert.equal((await ask('/content', { path: 'made', pathBase64: 'bWFkZQ' })).status, 400);
    assert.equal((await ask('/content', { pathBase64: '%%' })).status, 400);
    assert.equal((await ask('', { pth: '' })).status, 400);
  });

  it('are followed until the length is reached', async () => {
    const followed = await content('growing.log', { follow: 'true' });
    assert.equal(followed.status, 404);
    const order = node.order('while true; do echo a line >> growing.log; sleep 0.05; done');
    node.start(order);
    await node.resourceManager.running(order.containerId);
    for (;;) {
      const answer = await ask('/content', { path: 'growing.log', follow: 'true', length: '70' }, order.containerId);
      const text = await answer.text();
      if (answer.status !== 200) continue;
      assert.equal(text.length, 70);
      assert.match(text, /^(a line\n){10}$/);
      assert.ok(Number(answer.headers.get('heddle-file-bytes')) >= 0);
      break;
    }
  });

  it('are not shown where a path or a link leads out of the folders of the container', async () => {
    for (const path of ['../', '/etc/passwd', 'sub/../../x', '..', 'a\0b', 'x'.repeat(5000)]) {
      assert.equal((await ask('', { path })).status, 400, path.slice(0, 20));
      assert.equal((await content(path)).status, 400, path.slice(0, 20));
    }
    for (const path of ['up', 'above', 'up/..']) assert.equal((await ask('', { path })).status >= 400, true, path);
    assert.deepEqual(await refused(await ask('', { path: 'up' })), [409, failure('NODE_FILE_OUTSIDE', { id, path: 'up' }).message]);
    assert.deepEqual(await refused(await content('outside')), [409, failure('NODE_FILE_OUTSIDE', { id, path: 'outside' }).message]);
    const escapes = await content('$(touch escaped)`touch escaped`"\'; touch escaped; \\0057etc\\0057passwd %s');
    assert.equal(escapes.status, 404);
    assert.equal(
      (await listed('')).entries.some(({ name }) => name === 'escaped'),
      false,
    );
  });

  it('are not read where they are no files, credentials, or kept from the user of the container', async () => {
    assert.deepEqual(await refused(await content('pipe')), [409, failure('NODE_FILE_SPECIAL', { id, path: 'pipe' }).message]);
    assert.deepEqual(await refused(await content('sub')), [409, failure('NODE_FILE_IS_FOLDER', { id, path: 'sub' }).message]);
    assert.deepEqual(await refused(await ask('', { path: 'made' })), [409, failure('NODE_FILE_NO_FOLDER', { id, path: 'made' }).message]);
    assert.deepEqual(await refused(await content('broken')), [404, failure('NODE_FILE_NOT_FOUND', { id, path: 'broken' }).message]);
    for (const path of ['container_tokens', 'appTokens', '.secrets/PASSWORD']) assert.equal((await content(path)).status, 409, path);
    assert.equal((await ask('', { path: '.secrets' })).status, 409);
    // Root reads everything, where the container has root's rights at all.
    const sealed = await content('sealed');
    assert.ok([200, 409].includes(sealed.status));
    if (process.getuid?.() !== 0) assert.equal(sealed.status, 409);
    const denied = failure('NODE_FILE_DENIED', { id, path: 'closed' }).message;
    if (sealed.status === 409) assert.deepEqual(await refused(await ask('', { path: 'closed' })), [409, denied]);
  });

  it('are for the owner and administrators alone, whoever else may view and change the application', async () => {
    for (const who of ['?user.name=bob', '']) {
      const answer = await node.get(`/api/v1/containers/${id}/files${who}`);
      assert.ok([401, 403].includes(answer.status), `${who}: ${answer.status}`);
    }
    audited.length = 0;
    assert.equal((await content('made', { 'user.name': 'boss' })).status, 200);
    const read = audited.filter(({ operation }) => operation === 'read container file');
    assert.deepEqual([read.length, read[0]?.['user'], read[0]?.['target'], read[0]?.['path']], [1, 'boss', id, 'made']);
    assert.equal((await content('made', { 'user.name': 'bob' })).status, 403);
    assert.equal(
      audited.some(({ msg, user }) => user === 'bob' && /refused/.test(String(msg))),
      true,
    );
  });

  it('are looked at by so many at once, and by nobody for longer than it takes', async () => {
    const open = await Promise.all(Array.from({ length: 8 }, () => content('made', { follow: 'true' })));
    assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
    assert.equal((await content('made')).status, 429);
    assert.equal((await content('made', { 'user.name': 'boss' })).status, 200);
    await Promise.all(open.map(({ body }) => body!.cancel()));
    while ((await content('made')).status === 429) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(await (await content('made')).text(), 'it is the end\n');
    await noLooks();
  });

  it('are gone with the container, which is said', async () => {
    const order = node.order('sleep 600');
    node.start(order);
    await node.resourceManager.running(order.containerId);
    const [followed] = await Promise.all([ask('/content', { path: 'launch_container.sh', follow: 'true' }, order.containerId)]);
    assert.equal(followed.status, 200);
    node.resourceManager.send({
      type: 'stopContainers',
      containers: [{ containerId: order.containerId, exitCode: 143, diagnostics: 'enough' }],
    });
    await followed.text();
    await node.resourceManager.until(() => node.resourceManager.reports(order.containerId).some(({ state }) => state === 'COMPLETE'));
    const [status, sentence] = await refused(await ask('', {}, order.containerId));
    assert.equal(status, 409);
    assert.match(sentence, /its files can be looked at while it runs/);
    assert.equal((await ask('', {}, 'container_1700000000000_0001_01_009999')).status, 404);
  });
});

/** Waits until no process follows a file of the container any more. */
async function noLooks(): Promise<void> {
  const isFollowing = () =>
    readdirSync('/proc').some((pid) => {
      try {
        return (
          /^\d+$/.test(pid) && readdirSync(join('/proc', pid, 'cwd')).includes('launch_container.sh') && commandOf(pid).startsWith('tail\0')
        );
      } catch {
        return false;
      }
    });
  while (isFollowing()) await new Promise((resolve) => setTimeout(resolve, 10));
}
const commandOf = (pid: string): string => String(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));

describe('a path below the folder of a container', () => {
  it('has no empty parts, and never leads out', () => {
    assert.equal(String(pathInside(Buffer.from('a//b/./c/'))), 'a/b/c');
    assert.equal(String(pathInside(Buffer.from('..a/b..'))), '..a/b..');
    for (const path of ['..', 'a/..', '/a', 'a/../b', '\0']) assert.throws(() => pathInside(Buffer.from(path)), /leaves its folder/);
  });
});
