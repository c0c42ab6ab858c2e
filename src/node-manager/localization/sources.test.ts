import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeToken } from '../../auth/delegation/token-text.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { makeCache, never, owner, root, serve } from '../test-support/local-cache.ts';

const at = (resource: string, more: Partial<LocalResource> = {}): LocalResource => ({
  resource,
  type: 'FILE',
  visibility: 'PRIVATE',
  size: -1,
  timestamp: 0,
  ...more,
});
const filesIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()) : [];

test('a server that falls silent, before or in the middle of its answer, is given up', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/middle') response.writeHead(200, { 'content-length': '100' }).write('begin');
  });
  const { cache, folder } = makeCache({ clock: systemClock, limits: { stallMs: 50 } });
  for (const path of ['/never', '/middle'])
    await assert.rejects(cache.acquire(at(`http://${server.host}${path}`), owner(), never), {
      javaClass: 'java.net.SocketTimeoutException',
      message: new RegExp(`^http://${server.host}${path}: Read timed out: nothing came for 0.05 seconds`),
    });
  assert.deepEqual(filesIn(folder), []);
});

test('a server that never comes to an end is given up, and one that breaks off', async () => {
  await using server = await serve((request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '100' }).write('begin', () => response.destroy());
      return;
    }
    const drip = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(drip));
  });
  const { cache } = makeCache({ clock: systemClock, limits: { stallMs: 60_000, totalMs: 100 } });
  await assert.rejects(cache.acquire(at(`http://${server.host}/drip`), owner(), never), /did not end within 0.1 seconds/);
  const { cache: patient } = makeCache({ clock: systemClock });
  await assert.rejects(patient.acquire(at(`http://${server.host}/cut`), owner(), never), /broke off after 5 bytes/);
});

test('many containers wait for one download; two at a time run for a user, and others are not held up', async () => {
  const asked: string[] = [];
  const held: ServerResponse[] = [];
  await using server = await serve((request, response) => {
    asked.push(request.url ?? '');
    if (request.url?.startsWith('/slow')) held.push(response);
    else response.end('words');
  });
  const { cache } = makeCache({ concurrentFetches: 2 });
  const slow = [1, 2, 3].flatMap((file) =>
    [1, 2, 3].map((container) => cache.acquire(at(`http://${server.host}/slow-${file}`), owner(container), never)),
  );
  assert.equal(readFileSync(await cache.acquire(at(`http://${server.host}/quick`), owner(4, 'bob'), never), 'utf8'), 'words');
  while (held.length < 2) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(asked.filter((url) => url.startsWith('/slow')).sort(), ['/slow-1', '/slow-2']);
  for (let answered = 0; answered < 3; answered++) {
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve));
    held.shift()!.end('slow words');
  }
  const paths = await Promise.all(slow);
  assert.equal(new Set(paths).size, 3);
  assert.equal(asked.filter((url) => url.startsWith('/slow')).length, 3);
});

test('a half download of an earlier process is never used', async () => {
  let answers = 0;
  await using server = await serve((_request, response) => {
    if (++answers === 1) response.writeHead(200, { 'content-length': '5' }).write('wo');
    else response.end('words');
  });
  for (const visibility of ['PRIVATE', 'APPLICATION'] as const) {
    const { cache, again, folder } = makeCache();
    answers = 0;
    const resource = at(`http://${server.host}/words`, { visibility });
    // The first process ends here: nothing of it is ended or cleaned up.
    cache.acquire(resource, owner(), never).catch(() => undefined);
    while (!filesIn(folder).some(({ name }) => name === '.part')) await new Promise((resolve) => setImmediate(resolve));
    const successor = again();
    await successor.verify();
    assert.deepEqual(filesIn(folder), []);
    assert.equal(readFileSync(await successor.acquire(resource, owner(), never), 'utf8'), 'words');
  }
});

/** A name node and a data node. */
function webHdfs(files: Record<string, { content?: string; permission?: string; children?: string[]; time?: number }>) {
  const seen: URL[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    seen.push(url);
    if (url.pathname.startsWith('/data')) return response.end(files[decodeURIComponent(url.pathname).slice(5)]?.content);
    const path = decodeURIComponent(url.pathname.slice('/webhdfs/v1'.length));
    const file = files[path];
    const status = (one: string) => ({
      pathSuffix: one.slice(path.length + 1),
      type: files[one]?.content === undefined ? 'DIRECTORY' : 'FILE',
      length: files[one]?.content?.length ?? 0,
      modificationTime: files[one]?.time ?? 1000,
      permission: files[one]?.permission ?? '755',
    });
    if (!file) {
      const fault = {
        exception: 'FileNotFoundException',
        javaClassName: 'java.io.FileNotFoundException',
        message: `File does not exist: ${path}`,
      };
      return response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify({ RemoteException: fault }));
    }
    const operation = url.searchParams.get('op');
    if (operation === 'OPEN') return response.writeHead(307, { location: `http://${request.headers.host}/data${encodeURI(path)}` }).end();
    const body =
      operation === 'LISTSTATUS'
        ? { FileStatuses: { FileStatus: file.children?.map(status) } }
        : { FileStatus: { ...status(path), pathSuffix: '' } };
    return response.end(JSON.stringify(body));
  };
  return { seen, handle };
}

test('webhdfs: files and folders come from the data node, with the checks and words of Hadoop', async () => {
  const { seen, handle } = webHdfs({
    '/': {},
    '/shared': { permission: '755' },
    '/closed': { permission: '700' },
    '/shared/ä b.txt': { content: 'words', permission: '644', time: 5000 },
    '/closed/x.txt': { content: 'words', permission: '644', time: 5000 },
    '/shared/folder': { children: ['/shared/folder/one', '/shared/folder/two'], time: 7000 },
    '/shared/folder/one': { content: '1' },
    '/shared/folder/two': { content: '22' },
    '/mixed': { children: ['/mixed/open', '/mixed/closed'] },
    '/mixed/open': { content: '1' },
    '/mixed/closed': { content: '2', permission: '640' },
  });
  await using server = await serve(handle);
  const { cache } = makeCache();
  const base = `webhdfs://${server.host}`;
  const file = at(`${base}/shared/%C3%A4%20b.txt`, { timestamp: 5000, visibility: 'PUBLIC' });
  assert.equal(readFileSync(await cache.acquire(file, owner(), never), 'utf8'), 'words');
  assert.equal(seen[0]?.searchParams.get('user.name'), 'ada');
  const folder = await cache.acquire(at(`${base}/shared/folder`, { timestamp: 7000 }), owner(), never);
  assert.deepEqual(
    readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')),
    ['1', '22'],
  );
  await assert.rejects(cache.acquire(at(`${base}/none`), owner(), never), {
    javaClass: 'java.io.FileNotFoundException',
    message: 'File does not exist: /none',
  });
  await assert.rejects(
    cache.acquire({ ...file, timestamp: 6000 }, owner(), never),
    /Resource webhdfs:\/\/\S+ b.txt changed on src filesystem - expected: /,
  );
  await assert.rejects(
    cache.acquire(at(`${base}/closed/x.txt`, { timestamp: 5000, visibility: 'PUBLIC' }), owner(), never),
    /is not publicly accessible/,
  );
  await assert.rejects(
    cache.acquire(at(`${base}/mixed`, { timestamp: 1000, visibility: 'PUBLIC' }), owner(), never),
    /is not publicly accessible/,
    'a folder with a file that not all may read',
  );
});

test('webhdfs: the delegation token of the container is used where it has one', async () => {
  const { seen, handle } = webHdfs({ '/x': { content: 'words' } });
  await using server = await serve(handle);
  const token = encodeToken({
    identifier: Buffer.from('id'),
    password: Buffer.from('pw'),
    kind: 'WEBHDFS delegation',
    service: server.host,
  });
  const other = encodeToken({
    identifier: Buffer.from('id'),
    password: Buffer.from('no'),
    kind: 'WEBHDFS delegation',
    service: '10.0.0.1:1',
  });
  const part = (text: string) => [Buffer.from([1]), Buffer.from('a'), Buffer.from(text, 'base64url')];
  const tokens = Buffer.concat([Buffer.from('HDTS\0'), Buffer.from([2]), ...part(other), ...part(token), Buffer.from([0])]).toString(
    'base64',
  );
  const { cache } = makeCache();
  await cache.acquire(at(`webhdfs://${server.host}/x`, { timestamp: 1000 }), { ...owner(), tokens }, never);
  for (const url of seen.filter(({ pathname }) => pathname.startsWith('/webhdfs')))
    assert.deepEqual([url.searchParams.get('delegation'), url.searchParams.get('user.name')], [token, null]);
});

test('s3: objects come by signed requests, with time checks; missing and forbidden ones are told apart', async () => {
  const modified = new Date(1_700_000_000_000);
  const seen: IncomingMessage[] = [];
  await using server = await serve((request, response) => {
    seen.push(request);
    const date = String(request.headers['x-amz-date']);
    const names = 'host;x-amz-content-sha256;x-amz-date';
    const canonical = `GET\n${request.url}\n\nhost:${request.headers.host}\nx-amz-content-sha256:${request.headers['x-amz-content-sha256']}\nx-amz-date:${date}\n\n${names}\n${request.headers['x-amz-content-sha256']}`;
    const scope = `${date.slice(0, 8)}/us-east-1/s3/aws4_request`;
    const key = [date.slice(0, 8), 'us-east-1', 's3', 'aws4_request'].reduce<Buffer | string>(
      (last, text) => createHmac('sha256', last).update(text).digest(),
      'AWS4secret',
    );
    const hash = createHash('sha256').update(canonical).digest('hex');
    const expected = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash}`).digest('hex');
    if (!String(request.headers.authorization).endsWith(`Signature=${expected}`))
      return response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code><Message>The signature differs</Message></Error>');
    if (request.url !== '/mine/deep/a%20file%2B.txt') return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
    return response.writeHead(200, { 'last-modified': modified.toUTCString() }).end('words');
  });
  const settings: Record<string, string> = {
    'fs.s3a.endpoint': `http://${server.host}`,
    'fs.s3a.access.key': 'key',
    'fs.s3a.secret.key': 'secret',
  };
  const { cache } = makeCache({ sources: { property: (key) => settings[key] } });
  const resource = at('s3a://mine/deep/a%20file+.txt', { timestamp: modified.getTime() });
  assert.equal(readFileSync(await cache.acquire(resource, owner(), never), 'utf8'), 'words');
  await assert.rejects(cache.acquire({ ...resource, timestamp: 5 }, owner(), never), /changed on src filesystem/);
  await assert.rejects(cache.acquire(at('s3://mine/none'), owner(), never), { javaClass: 'java.io.FileNotFoundException' });
  settings['fs.s3a.secret.key'] = 'wrong';
  await assert.rejects(cache.acquire(at('s3a://mine/other'), owner(), never), /The signature differs \(SignatureDoesNotMatch\)/);
  await assert.rejects(cache.acquire(at('s3a://no.such@bucket/x'), owner(), never), /is no name of a bucket/);
  await assert.rejects(cache.acquire(at('s3a://bucket-alone'), owner(), never), /names no object/);
});

test('files that may not be read, pipes and circles of links fail with their reason', async () => {
  const { cache } = makeCache();
  const circle = join(root, 'circle');
  execFileSync('bash', ['-c', `mkdir ${circle} && ln -s . ${circle}/again && mkfifo ${root}/pipe`]);
  writeFileSync(join(root, 'closed.txt'), 'x', { mode: 0o000 });
  const of = (path: string) => at(`file://${path}`, { timestamp: Math.floor(statSync(path).mtimeMs) });
  await assert.rejects(cache.acquire(of(circle), owner(), never), /nested too deeply|ELOOP/);
  await assert.rejects(cache.acquire(of(join(root, 'pipe')), owner(), never), /neither a file nor a folder/);
  if (process.getuid?.() !== 0) await assert.rejects(cache.acquire(of(join(root, 'closed.txt')), owner(), never), /\(Permission denied\)/);
});

test('servers of the cluster see that what is asked for is a user’s address, behind redirects and name nodes too', async () => {
  const marked = new Map<string, unknown>();
  await using server = await serve((request, response) => {
    const url = request.url ?? '';
    marked.set(url.replace(/\?.*/, ''), request.headers['heddle-proxied']);
    if (url.includes('GETFILESTATUS'))
      response.end(JSON.stringify({ FileStatus: { type: 'FILE', length: 5, modificationTime: 0, permission: '644' } }));
    else if (url === '/end' || url === '/data') response.end('words');
    else response.writeHead(307, { location: url === '/moved' ? '/end' : '/data' }).end();
  });
  const { cache } = makeCache();
  await cache.acquire(at(`http://${server.host}/moved`), owner(), never);
  await cache.acquire(at(`webhdfs://${server.host}/file`), owner(), never);
  assert.deepEqual(Object.fromEntries(marked), { '/moved': '1', '/end': '1', '/webhdfs/v1/file': '1', '/data': '1' });
});
