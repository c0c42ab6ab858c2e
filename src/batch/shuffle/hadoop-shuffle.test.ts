// What Hadoop's reduces are answered, compared with what an unmodified ShuffleHandler of 3.4.2 answered to the same requests about the
// same files; and what is refused beyond that.
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { appendFileSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { AuditLog } from '../../auth/audit-log.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Logger, silentLogger } from '../../lib/log.ts';
import { seededRandom, systemRandom } from '../../lib/random.ts';
import { writtenToken } from '../../wire/files/credentials.ts';
import { encodeIndex } from '../tasks/segment-index.ts';
import { auditedLog } from '../test-support/audited-log.ts';
import { type HadoopListenerOptions, listenHadoop } from './hadoop-listener.ts';
import { hadoopHash, readHadoopRequest, signedMessage } from './hadoop-request.ts';
import { HadoopShuffle, type HadoopShuffleOptions } from './hadoop-shuffle.ts';
import { lengthOf, type Slice, sendSlices } from './map-outputs.ts';
import { decodeShuffleHeader } from './protocol.ts';
import { ShuffleService } from './shuffle-service.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly text?: string;
}

interface Probe {
  readonly probe: string;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
  /** Null where nothing was answered. */
  readonly answers: readonly (Answered | null)[];
  readonly closed: boolean;
}

interface Recorded {
  readonly serviceData: string;
  readonly outputs: Readonly<Record<string, { readonly file: string; readonly index: string }>>;
  readonly port: number;
  readonly applicationId: string;
}

const [first = '', ...rest] = readFileSync(join(import.meta.dirname, '../../../test/compatibility/files/shuffle.jsonl'), 'utf8')
  .trim()
  .split('\n');
const recorded = JSON.parse(first) as Recorded;
const probes = rest.map((line) => JSON.parse(line) as Probe);
const data = Buffer.from(recorded.serviceData, 'base64');
const password = Buffer.from(Array.from({ length: 20 }, (_, i) => (i * 7 + 1) & 0xff));
const job = 'job_1700000000000_0001';
const map = (index: number) => `attempt_1700000000000_0001_m_00000${index}_0`;

const scratch = mkdtempSync(join(tmpdir(), 'heddle-hadoop-shuffle-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

interface Started
  extends Partial<Pick<HadoopShuffleOptions, 'keepsAlive' | 'bufferBytes'>>,
    Partial<Pick<HadoopListenerOptions, 'maximumConnections' | 'keepAliveMs'>> {
  readonly logger?: Logger;
  /** Service data of the application; default the recorded one. */
  readonly data?: Buffer;
}

/** The shuffle on a port, with the recorded outputs on two disks. */
async function aShuffle(t: TestContext, started: Started = {}) {
  const root = join(scratch, String(++serial));
  const disks = [join(root, 'disk1'), join(root, 'disk2')];
  const folderOf = (index: number) => join(disks[index % 2]!, 'output', map(index));
  for (const [index, { file, index: entries }] of Object.values(recorded.outputs).entries()) {
    mkdirSync(folderOf(index), { recursive: true });
    writeFileSync(join(folderOf(index), 'file.out'), Buffer.from(file, 'base64'));
    writeFileSync(join(folderOf(index), 'file.out.index'), Buffer.from(entries, 'base64'));
  }
  const service = new ShuffleService({
    applicationFolders: () => disks,
    stateFolder: join(root, 'state'),
    clock: systemClock,
    logger: silentLogger,
  });
  service.start();
  service.initializeApplication(recorded.applicationId, 'root', started.data ?? data);
  const shuffle = new HadoopShuffle({
    applications: service.applications,
    outputs: service.outputs,
    keepsAlive: started.keepsAlive ?? false,
    keepAliveSeconds: 5,
    bufferBytes: started.bufferBytes ?? 131_072,
    figures: service.figures,
    logger: started.logger ?? silentLogger,
  });
  const listener = await listenHadoop({
    shuffle,
    audit: new AuditLog(started.logger ?? silentLogger),
    host: '127.0.0.1',
    ports: [0],
    backlog: 16,
    maximumConnections: started.maximumConnections ?? 0,
    limits: { connections: 1000, connectionsPerAddress: 1000 },
    keepAliveMs: started.keepAliveMs ?? 5000,
  });
  t.after(() => listener.close());
  return { disks, folderOf, service, shuffle, listener, port: listener.port };
}

/** A connection on which requests are sent one after the other. */
class Connection {
  readonly #socket;
  #bytes = Buffer.alloc(0);
  /** What came since; it is put together once there is enough of it. */
  #pieces: Buffer[] = [];
  #wanted = 0;
  #wake: () => void = () => undefined;
  isClosed = false;
  readonly closed: Promise<void>;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.on('data', (bytes: Buffer) => {
      this.#pieces.push(bytes);
      this.#wake();
    });
    this.#socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      this.#socket.on('close', () => {
        this.isClosed = true;
        this.#wake();
        resolve();
      });
    });
  }

  send(method: string, path: string, headers: Readonly<Record<string, string>>): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nHost: node\r\n${lines.join('')}\r\n`);
  }

  /** The next answer; undefined where the connection ends before it is whole. */
  async answer(): Promise<{ status: number; headers: Map<string, string>; body: Buffer } | undefined> {
    for (;;) {
      const come = this.#pieces.reduce((sum, { length }) => sum + length, this.#bytes.length);
      if (come >= this.#wanted || this.isClosed) this.#bytes = Buffer.concat([this.#bytes, ...this.#pieces.splice(0)]);
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end >= 0) {
        const [line = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
        const headers = new Map(lines.map((text) => [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 2)]));
        const length = Number(headers.get('content-length'));
        this.#wanted = end + 4 + length;
        if (this.#bytes.length >= this.#wanted) {
          this.#wanted = 0;
          const body = this.#bytes.subarray(end + 4, end + 4 + length);
          this.#bytes = this.#bytes.subarray(end + 4 + length);
          return { status: Number(line.split(' ')[1]), headers, body };
        }
      }
      if (this.isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** One signed request on a connection of its own. */
async function get(port: number, query: string, headers: Record<string, string> = {}) {
  const connection = new Connection(port);
  const path = `/mapOutput?${query}`;
  connection.send('GET', path, {
    name: 'mapreduce',
    version: '1.0.0',
    UrlHash: hadoopHash(password, signedMessage(port, path)),
    ...headers,
  });
  const answer = await connection.answer();
  connection.close();
  return answer;
}

/** What is answered otherwise than Hadoop does, and what instead: its 500 for what the caller asked wrongly, and its silence. */
const otherwise: Readonly<Record<string, { readonly status: number; readonly text: RegExp }>> = {
  'leading comma': { status: 404, text: /^Could not find output {2}in any/ },
  'empty map': { status: 404, text: /^Could not find output {2}in any/ },
  'only comma': { status: 400, text: /^Required param job, map and reduce$/ },
  'reduce 3 of 3': {
    status: 404,
    text: /^Invalid request {2}Map Id = attempt_1700000000000_0001_m_000000_0 Reducer = 3 Index Info Length = 3$/,
  },
  'reduce -1': { status: 404, text: /^Invalid request .* Reducer = -1 / },
  'missing map': { status: 404, text: /^Could not find output attempt_1700000000000_0001_m_000009_0 in any/ },
  'first there, second missing': { status: 404, text: /^Could not find output attempt_1700000000000_0001_m_000009_0 in any/ },
  'map of another job': { status: 404, text: /^Could not find output attempt_1700000000000_0002_m_000000_0 in any/ },
  'escaping map': { status: 404, text: /^Could not find output \.\.\/\.\.\/\.\.\/\.\.\/etc\/passwd in any/ },
  'escaping map, with dots into the same': {
    status: 404,
    text: /^Could not find output x\/\.\.\/attempt_1700000000000_0001_m_000000_0 in any/,
  },
  'index damaged': { status: 500, text: /^Error reading the output of attempt_1700000000000_0001_m_000002_0$/ },
  'index cut': { status: 500, text: /^Error reading the output of attempt_1700000000000_0001_m_000003_0$/ },
};

describe('an unmodified ShuffleHandler and this one answer the same', () => {
  for (const { probe, requests, answers, closed } of probes)
    test(probe, async (t) => {
      const { shuffle, listener } = await aShuffle(t);
      // The recorded requests are signed for the port that they were sent to.
      const handle = shuffle.handle.bind(shuffle);
      shuffle.handle = (request, response) => handle(request, response, recorded.port);
      const connection = new Connection(listener.port);
      for (const [index, { method, path, headers }] of requests.entries()) {
        connection.send(method, path, headers);
        const answer = await connection.answer();
        assert.ok(answer, 'there is an answer');
        const expected = answers[index];
        const other = otherwise[probe];
        if (other) {
          assert.deepEqual([answer.status, other.text.test(answer.body.toString())], [other.status, true], answer.body.toString());
          continue;
        }
        assert.ok(expected);
        assert.equal(answer.status, expected.status);
        if (expected.body !== undefined) assert.equal(answer.body.toString('base64'), expected.body);
        if (expected.text !== undefined) assert.equal(answer.body.toString(), expected.text);
        for (const [name, value] of Object.entries(expected.headers)) assert.equal(answer.headers.get(name), value, name);
      }
      if (closed || otherwise[probe]) await connection.closed;
      assert.equal(connection.isClosed, closed || otherwise[probe] !== undefined);
      connection.close();
    });
});

describe('parts', () => {
  test('many megabytes come whole, in pieces of any size', async (t) => {
    const { folderOf, port, service } = await aShuffle(t, { bufferBytes: 1024 });
    const bytes = Buffer.alloc(5_000_001, 'abcdefg');
    writeFileSync(join(folderOf(0), 'file.out'), bytes);
    writeFileSync(
      join(folderOf(0), 'file.out.index'),
      indexOf([
        [0, 1],
        [1, 5_000_000],
        [5_000_001, 0],
      ]),
    );
    const answer = await get(port, `job=${job}&reduce=1&map=${map(0)}`);
    const { header, size } = decodeShuffleHeader(answer!.body)!;
    assert.deepEqual(header, { mapId: map(0), partLength: 5_000_000, rawLength: 5_000_000, reduce: 1 });
    assert.ok(answer!.body.subarray(size).equals(bytes.subarray(1)));
    const empty = await get(port, `job=${job}&reduce=2&map=${map(0)}`);
    assert.equal(empty!.body.length, decodeShuffleHeader(empty!.body)!.size, 'a part without bytes is a header alone');
    assert.deepEqual(service.figures.shown, {
      ShuffleOutputBytes: 5_000_000,
      ShuffleOutputsFailed: 0,
      ShuffleOutputsOK: 2,
      ShuffleConnections: 0,
    });
  });

  test('what left counts as sent, although who has it left before that was seen', async () => {
    const file = join(scratch, 'three-bytes');
    writeFileSync(file, 'abc');
    const place = { offset: 0, partLength: 3, rawLength: 3 };
    const slices: Slice[] = [{ header: Buffer.from('h'), output: { file, open: () => openSync(file, 'r') }, place }];
    const total = lengthOf(slices);
    for (const lost of [0, 1]) {
      let left = 0;
      const connection = Object.assign(new EventEmitter(), {
        destroyed: false,
        write(bytes: Buffer, flushed: (error?: Error) => void): boolean {
          left += bytes.length;
          connection.destroyed = left >= total;
          flushed(connection.destroyed && lost > 0 ? new Error('gone') : undefined);
          return true;
        },
      });
      assert.equal(await sendSlices(connection as unknown as ServerResponse, slices, 1), lost === 0);
    }
  });

  test('outputs of Tez are found by their names, whatever its further parameters say', async (t) => {
    const { disks, folderOf, port } = await aShuffle(t);
    const name = 'attempt_1700000000000_0001_1_00_000000_0_10003_0';
    mkdirSync(join(disks[1]!, 'output', name), { recursive: true });
    for (const file of ['file.out', 'file.out.index'])
      writeFileSync(join(disks[1]!, 'output', name, file), readFileSync(join(folderOf(0), file)));
    const answer = await get(port, `job=${job}&dag=1&reduce=0&map=${name}&keepAlive=true`);
    assert.equal(decodeShuffleHeader(answer!.body)?.header.mapId, name);
    assert.equal(answer!.headers.get('Connection'), 'Keep-Alive');
  });

  test('a place that the file does not have, a link and a folder are told as damage, without a path of the node', async (t) => {
    const secret = join(scratch, 'secret');
    writeFileSync(secret, 'x'.repeat(1000));
    const faults: ((folder: string) => void)[] = [
      (folder) => truncateSync(join(folder, 'file.out'), 3),
      (folder) => writeFileSync(join(folder, 'file.out.index'), indexOf([[-1, 5]])),
      (folder) => writeFileSync(join(folder, 'file.out.index'), indexOf([[0, 2 ** 60]])),
      (folder) => {
        rmSync(join(folder, 'file.out'));
        symlinkSync(secret, join(folder, 'file.out'));
      },
      (folder) => {
        rmSync(join(folder, 'file.out.index'));
        symlinkSync(secret, join(folder, 'file.out.index'));
      },
      (folder) => {
        rmSync(join(folder, 'file.out'));
        mkdirSync(join(folder, 'file.out'));
      },
    ];
    for (const make of faults) {
      const { folderOf, port } = await aShuffle(t);
      make(folderOf(0));
      const answer = await get(port, `job=${job}&reduce=0&map=${map(0)}`);
      assert.deepEqual([answer?.status, answer?.body.toString()], [500, `Error reading the output of ${map(0)}`], String(make));
    }
  });

  test('a file that is cut while it is sent ends the connection, and no wrong bytes follow', async (t) => {
    const { folderOf, port } = await aShuffle(t, { bufferBytes: 1024 });
    const bytes = 50_000_000;
    appendFileSync(join(folderOf(0), 'file.out'), Buffer.alloc(bytes));
    writeFileSync(join(folderOf(0), 'file.out.index'), indexOf([[0, bytes]]));
    const path = `/mapOutput?job=${job}&reduce=0&map=${map(0)}`;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: node\r\nname: mapreduce\r\nversion: 1.0.0\r\nUrlHash: ${hadoopHash(password, signedMessage(port, path))}\r\n\r\n`,
    );
    // Once it comes, the reader stands still: most of it is still to be read from the file.
    const head = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.pause();
    assert.match(head.toString('latin1'), /^HTTP\/1\.1 200 OK/);
    truncateSync(join(folderOf(0), 'file.out'), 1000);
    let received = head.length;
    socket.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    assert.ok(received < bytes, `${received} bytes came`);
  });
});

describe('who is served', () => {
  test('a job whose secret is as short as MapReduce makes it, and none with a shorter one', async (t) => {
    const query = `job=${job}&reduce=0&map=${map(0)}`;
    for (const [length, status] of [
      [8, 200],
      [7, 401],
    ] as const) {
      const secret = Buffer.alloc(length, 5);
      const { port } = await aShuffle(t, { data: tokenOf(secret) });
      const answer = await get(port, query, { UrlHash: hadoopHash(secret, signedMessage(port, `/mapOutput?${query}`)) });
      assert.equal(answer?.status, status, String(length));
    }
  });

  test('nobody, of an application whose service data is no token', async (t) => {
    for (const wrong of [
      Buffer.from('the secret of one of Heddle’s own jobs'),
      Buffer.alloc(0),
      tokenOf(Buffer.alloc(0)),
      tokenOf(password).subarray(0, -1),
    ]) {
      const { port } = await aShuffle(t, { data: wrong });
      const path = `/mapOutput?job=${job}&reduce=0&map=${map(0)}`;
      for (const key of [password, Buffer.alloc(0), wrong]) {
        const answer = await get(port, path.slice('/mapOutput?'.length), { UrlHash: hadoopHash(key, signedMessage(port, path)) });
        assert.deepEqual([answer?.status, answer?.body.toString()], [401, `Can't find job token for job ${job} !!`]);
      }
    }
  });

  test('nobody any more, when the application was forgotten', async (t) => {
    const { service, port } = await aShuffle(t);
    assert.equal((await get(port, `job=${job}&reduce=0&map=${map(0)}`))?.status, 200);
    service.stopApplication(recorded.applicationId);
    assert.equal((await get(port, `job=${job}&reduce=0&map=${map(0)}`))?.status, 401);
  });

  test('no name of a job leads to a file elsewhere', async (t) => {
    const { logger, audited } = auditedLog();
    const { port } = await aShuffle(t, { logger });
    for (const other of ['application_1700000000000_0001', '../job_1700000000000_0001', 'job_1700000000000_0001/..', 'job_', '__proto__'])
      assert.equal((await get(port, `job=${encodeURIComponent(other)}&reduce=0&map=${map(0)}`))?.status, 401, other);
    assert.deepEqual(
      audited().map(({ address, mechanism }) => [address, mechanism]),
      Array.from({ length: 5 }, () => ['127.0.0.1', 'job-token']),
    );
  });
});

describe('connections', () => {
  test('beyond the limit are told to come again, and served when there is room', async (t) => {
    const { port } = await aShuffle(t, { maximumConnections: 1 });
    const query = `job=${job}&reduce=0&map=${map(0)}&keepAlive=true`;
    const path = `/mapOutput?${query}`;
    const headers = { name: 'mapreduce', version: '1.0.0', UrlHash: hadoopHash(password, signedMessage(port, path)) };
    const held = new Connection(port);
    held.send('GET', path, headers);
    assert.equal((await held.answer())?.status, 200);
    for (let i = 0; i < 5; i++) {
      const refused = await get(port, query);
      assert.deepEqual([refused?.status, refused?.headers.get('Retry-After'), refused?.headers.get('name')], [429, '1000', 'mapreduce']);
    }
    held.send('GET', path, headers);
    assert.equal((await held.answer())?.status, 200, 'who has a connection goes on');
    held.close();
    let status: number | undefined;
    for (let tries = 0; status !== 200 && tries < 1000; tries++) status = (await get(port, query))?.status;
    assert.equal(status, 200);
  });

  test('stay open for all requests where the settings say so, and for a while alone', async (t) => {
    const { port } = await aShuffle(t, { keepsAlive: true, keepAliveMs: 50 });
    const path = `/mapOutput?job=${job}&reduce=0&map=${map(0)}`;
    const connection = new Connection(port);
    for (let i = 0; i < 2; i++) {
      connection.send('GET', path, { name: 'mapreduce', version: '1.0.0', UrlHash: hadoopHash(password, signedMessage(port, path)) });
      const answer = await connection.answer();
      assert.deepEqual([answer?.status, answer?.headers.get('Keep-Alive')], [200, 'timeout=5']);
    }
    await connection.closed;
  });
});

test('a query of any pieces is read or refused', () => {
  const seed = systemRandom.int(2 ** 31);
  const random = seededRandom(seed);
  const pieces = ['job=', 'map=', 'reduce=', 'keepAlive=true', '&', ';', ',', '%', '%2', '=', '..', '/', 'a', '1', '-', '+', '?', '\u0000'];
  for (let i = 0; i < 2000; i++) {
    const target = `/mapOutput?${Array.from({ length: random.int(12) }, () => pieces[random.int(pieces.length)]).join('')}`;
    const read = readHadoopRequest(target);
    if ('refusal' in read) assert.ok(read.refusal.length > 0, `${target}, seed ${seed}`);
    else assert.ok(Number.isInteger(read.reduce) && read.maps.length > 0, `${target}, seed ${seed}`);
  }
});

const tokenOf = (secret: Buffer): Buffer =>
  writtenToken({ identifier: Buffer.from('id'), password: secret, kind: 'mapreduce.job', service: job });

/** An index whose parts begin and have the lengths that are given. */
function indexOf(parts: readonly (readonly [offset: number, length: number])[]): Buffer {
  return encodeIndex(parts.map(([offset, length]) => ({ offset, rawLength: length, partLength: length })));
}
