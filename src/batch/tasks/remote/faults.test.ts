// Servers that do not do what they should: what comes of it is the right bytes, or a sentence, in bounded time.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { SplitReader } from '../input/split-reader.ts';
import type { SplitRules } from '../input/splits.ts';
import { JobConfiguration } from '../job-configuration.ts';
import { patienceOf, retryAfterMs } from './calls.ts';
import { listRemote, readRemote } from './listing.ts';
import type { Patience, RemoteReader } from './remote-store.ts';
import { openWriter, remoteParts } from './store.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;

const text = Buffer.from(Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join(''));
const half = text.length >> 1;
/** Long enough for every answer that comes, however busy the machine is. */
const patience: Patience = { answerMs: 60_000, stallMs: 60_000, attempts: 6, waitMs: 1 };
const short: Patience = { ...patience, answerMs: 250, stallMs: 250, attempts: 3 };

/** A server that gives these answers one after the other, the last one from then on. */
async function serverOf(...answers: readonly Answer[]) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.headers.range ?? ''}`.trim());
    request.resume();
    answers[Math.min(asked.length, answers.length) - 1]!(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings: Readonly<Record<string, string>> = {
    'fs.s3a.endpoint': `http://127.0.0.1:${port}`,
    'fs.s3a.access.key': 'key',
    'fs.s3a.secret.key': 'secret',
  };
  return {
    asked,
    web: `http://127.0.0.1:${port}`,
    nameNode: `webhdfs://127.0.0.1:${port}`,
    reader: (own = patience): RemoteReader => ({ property: (name) => settings[name], user: 'ann', patience: own }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The file from where it is asked for, or a part of it, after which the connection is what `then` makes of it. */
const part =
  (
    bytes = text.length,
    headers: Readonly<Record<string, string>> = {},
    then: (response: ServerResponse) => unknown = (one) => one.end(),
  ): Answer =>
  (response, { headers: { range } }) => {
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    response.writeHead(range === undefined ? 200 : 206, {
      etag: '"one"',
      'accept-ranges': 'bytes',
      'content-length': text.length - start,
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${text.length - 1}/${text.length}` }),
      ...headers,
    });
    response.write(text.subarray(start, start + bytes), () => then(response));
  };
const cut = (response: ServerResponse) => response.destroy();
const says =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Answer =>
  (response) =>
    response.writeHead(status, headers).end(body);
const nothing: Answer = () => {};

async function bytesOf(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test('what breaks off, is too much now, or leads elsewhere is read to its end all the same', async () => {
  for (const [what, ...answers] of [
    ['a connection that is lost twice', part(half, {}, cut), part(7, {}, cut), part()],
    ['one that is lost before any answer', (response) => response.destroy(), part()],
    ['a server with too much to do', says(503, { 'retry-after': '0' }), says(429), part(), part()],
    ['a gateway whose server is not there', says(502), says(504), part()],
    ['a file that lies elsewhere', says(302, { location: '/other' }), part()],
  ] as const satisfies readonly (readonly [string, ...Answer[]])[]) {
    await using server = await serverOf(...answers);
    assert.deepEqual(await bytesOf(readRemote(`${server.web}/a`, 0, server.reader())), text, what);
  }
  await using server = await serverOf(part(half, {}, cut), part());
  await bytesOf(readRemote(`${server.web}/a`, 0, server.reader()));
  assert.deepEqual(server.asked, ['GET', `GET bytes=${half}-`], 'from where it broke off');
});

test('what cannot be read is refused with its reason, and never other bytes taken for it', async () => {
  for (const [what, start, message, ...answers] of [
    ['another file', 0, /changed while it was read$/, part(half, {}, cut), part(text.length, { etag: '"two"' })],
    ['no parts', 0, /broke off after \d+ bytes/, part(half, {}, cut), (response) => response.writeHead(200).end(text)],
    ['another part', 100, /asked for the bytes from 100 on, and sent bytes 0-9\/10$/, part(1, { 'content-range': 'bytes 0-9/10' })],
    ['a range that it does not know', 100, /does not send parts of it$/, (response) => response.writeHead(200).end(text)],
    ['what is compressed on the way', 0, /sends it as gzip, although/, part(text.length, { 'content-encoding': 'gzip' })],
    ['nothing but refusals', 0, /response code: 503/, says(503, { 'retry-after': '0' })],
    ['redirects in a circle', 0, /redirect/, says(302, { location: '/a' })],
    ['one byte each time', 0, /broke off after 0 bytes|broke off: 0 of/, part(half, {}, cut), part(0, {}, cut)],
  ] as const satisfies readonly (readonly [string, number, RegExp, ...Answer[]])[]) {
    await using server = await serverOf(...answers);
    await assert.rejects(bytesOf(readRemote(`${server.web}/a`, start, server.reader({ ...patience, attempts: 3 }))), message, what);
  }
});

test('a server that says nothing, or stops in the midst, is given up', async () => {
  const stalls: Answer = (response) => response.writeHead(200, { 'content-length': 10 }).write('abc');
  const xml: Answer = (response) => response.writeHead(200).write('<ListBucketResult>');
  for (const [message, answer, read] of [
    [/no answer within 0\.25 seconds/, nothing, ({ web, reader }) => bytesOf(readRemote(`${web}/a`, 0, reader(short)))],
    [
      /broke off after 3 bytes: nothing came for 0\.25 seconds|no answer/,
      stalls,
      ({ web, reader }) => bytesOf(readRemote(`${web}/a`, 0, reader(short))),
    ],
    [/no answer within/, nothing, ({ nameNode, reader }) => listRemote(`${nameNode}/a`, rules, reader(short))],
    [/no answer within/, nothing, ({ reader }) => listRemote('s3a://logs/a', rules, reader(short))],
    [/nothing came for|no answer/, xml, ({ reader }) => listRemote('s3a://logs/a', rules, reader(short))],
  ] as const satisfies readonly (readonly [RegExp, Answer, (server: Awaited<ReturnType<typeof serverOf>>) => Promise<unknown>])[]) {
    await using server = await serverOf(answer);
    await assert.rejects(read(server), message);
    if (answer === nothing) assert.equal(server.asked.length, 2, 'a server that does not answer is not asked for minutes');
  }
});

const rules: SplitRules = {
  api: 'mapreduce',
  ...{ blockSizeBytes: 1000, minimumBytes: 1, maximumBytes: Number.MAX_SAFE_INTEGER, mapsHint: 1 },
  ...{ recursive: false, ignoreSubfolders: false, hosts: [] },
};

test('an answer that does not say what there is counts for no answer, not for nothing there', async () => {
  const json = (value: unknown) => says(200, {}, JSON.stringify(value));
  const page = (inner: string) => says(200, {}, `<ListBucketResult>${inner}</ListBucketResult>`);
  for (const [message, root, ...answers] of [
    [/does not say whether it is a file/, 'webhdfs', json({})],
    [/does not say whether it is a file/, 'webhdfs', json({ FileStatus: { type: 'FILE' } })],
    [/has no list of files/, 'webhdfs', json({ FileStatus: { type: 'DIRECTORY' } }), json({ FileStatuses: {} })],
    [/no listing, or a part of one/, 's3a', says(200, {}, '<html>log in first</html>')],
    [/does not say how to go on/, 's3a', page('<IsTruncated>true</IsTruncated>')],
    [/where it has been/, 's3a', page('<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>')],
    [/without its size/, 's3a', page('<Contents><Key>a/b</Key></Contents>')],
    [/does not say how long/, 's3a', page(''), (response) => response.writeHead(200, { 'transfer-encoding': 'chunked' }).end()],
  ] as const satisfies readonly (readonly [RegExp, string, ...Answer[]])[]) {
    await using server = await serverOf(...answers);
    await assert.rejects(listRemote(root === 's3a' ? 's3a://logs/a' : `${server.nameNode}/a`, rules, server.reader()), message);
  }
});

test('a server that nobody reaches is told in words', async () => {
  const { web } = await (async () => {
    await using server = await serverOf(nothing);
    return server;
  })();
  const closed = web.replace('http://', '');
  const reader: RemoteReader = { property: () => undefined, user: 'ann', patience: { ...patience, attempts: 1 } };
  for (const [address, message] of [
    [`webhdfs://${closed}/a`, `webhdfs://${closed}/a: nothing listens there`],
    ['webhdfs://127.0.0.1:1/a', 'webhdfs://127.0.0.1:1/a: its port belongs to another protocol, and is never asked by HTTP'],
  ] as const)
    await assert.rejects(listRemote(address, rules, reader), { message }, address);
  await using server = await serverOf(says(200));
  const secure = server.web.replace('http:', 'https:');
  await assert.rejects(listRemote(`${secure}/a`, rules, reader), {
    message: `${secure}/a: it does not speak TLS there: http may be meant`,
  });
});

test('a file that has become shorter since its job was submitted fails its maps', async () => {
  const gone: Answer = (response) => response.writeHead(416).end();
  for (const [start, answer] of [
    [0, part(half, { 'content-length': String(half) })],
    [half, gone],
  ] as const) {
    await using server = await serverOf(answer);
    const reader = new SplitReader({ path: `${server.web}/a`, start, length: text.length - start, hosts: [] }, new JobConfiguration({}));
    const all = async () => {
      while (await reader.readChunk(() => {}));
    };
    await assert.rejects(all(), new RegExp(`ends after ${half} bytes, though it had ${text.length} at least`));
    reader.close();
  }
});

test('a commit outlives a store that has too much to do, or does not say whether it is done', async () => {
  const done = says(200, {}, '<CompleteMultipartUploadResult/>');
  for (const answers of [
    [says(503), done],
    [says(200), says(404), says(200)],
    [(response: ServerResponse) => response.destroy(), done],
  ]) {
    await using server = await serverOf(...answers);
    const { root, path } = remoteParts('s3a://logs/out');
    await (await openWriter(root, path, server.reader())).complete({ path: '/out/part-00000', token: 'one', parts: ['"1"'] });
    assert.equal(server.asked.length, answers.length);
  }
});

test('waits as long as a server says, within limits', () => {
  const now = Date.UTC(2026, 0, 1);
  const of = (header?: string) => retryAfterMs(new Response(null, header === undefined ? {} : { headers: { 'retry-after': header } }), now);
  assert.deepEqual([of(), of('3'), of('soon'), of('86400')], [undefined, 3000, undefined, 30_000]);
  assert.deepEqual([of(new Date(now + 5000).toUTCString()), of(new Date(now - 5000).toUTCString())], [5000, 0]);
  assert.ok(patienceOf({}).answerMs < 600_000, 'shorter than mapreduce.task.timeout');
});
