// What a node serves of map outputs, to which callers, and what it remembers over a restart.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { type Logger, silentLogger } from '../../lib/log.ts';
import { SegmentReader } from '../tasks/segment.ts';
import { applicationId, jobId, map } from '../test-support/a-job.ts';
import { auditedLog, unprovenJob } from '../test-support/audited-log.ts';
import { type Pair, recordsOf, writeMapOutput } from '../test-support/map-outputs.ts';
import { fetchMapOutputs } from './fetch.ts';
import { hashHeader, hashOf, replyHashHeader } from './protocol.ts';
import { ShuffleService } from './shuffle-service.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-shuffle-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const token = Buffer.from('the secret of the job');

/** A service over HTTP with two disks; the application is known unless told otherwise. */
async function aService(t: TestContext, options: { readonly known?: boolean; readonly logger?: Logger } = {}) {
  const root = join(scratch, String(++serial));
  const disks = [join(root, 'disk1'), join(root, 'disk2')];
  for (const disk of disks) mkdirSync(disk, { recursive: true });
  const stateFolder = join(root, 'state');
  const { logger = silentLogger } = options;
  const make = () => new ShuffleService({ applicationFolders: () => disks, stateFolder, clock: systemClock, logger });
  const service = make();
  service.start();
  if (options.known !== false) service.initializeApplication(applicationId, 'ann', token);
  const server = createServer((asked, response) => service.handle(asked, response, asked.url!));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent();
  t.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const fetched = new Map<string, Pair[]>();
  const fetch = (maps: readonly string[], reduce = 0, secret = token) =>
    fetchMapOutputs({ agent, url: `http://127.0.0.1:${port}`, jobId, reduce, maps, token: secret, timeoutMs: 60_000 }, ({ mapId }) => {
      const pieces: Buffer[] = [];
      return {
        write: (piece) => void pieces.push(Buffer.from(piece)),
        end: () => void fetched.set(mapId, recordsOf(SegmentReader.inMemory(Buffer.concat(pieces), 'text', 'text'))),
        drop: () => {},
      };
    });
  return { disks, stateFolder, service, make, port, fetch, fetched };
}

/** One request as it is. */
function get(port: number, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers, method }, async (response) => {
      const text = Buffer.concat(await response.toArray().catch(() => [])).toString();
      resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
    });
    asking.on('error', reject);
    asking.end();
  });
}
const signed = (path: string, secret = token) => ({ [hashHeader]: hashOf(secret, path) });
const pathOf = (maps: string, reduce: string | number = 0, job = jobId) => `/mapOutput?job=${job}&reduce=${reduce}&map=${maps}`;

describe('outputs', () => {
  test('a reduce gets its part of each map it asks for, from whichever disk has it', async (t) => {
    const { disks, fetch, fetched } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[['a', '1']], [['b', '2']]]);
    writeMapOutput(disks[1]!, map(1), [[['c', '3']], []]);
    await fetch([map(0), map(1)]);
    assert.deepEqual(
      [...fetched],
      [
        [map(0), [['a', '1']]],
        [map(1), [['c', '3']]],
      ],
    );
    await fetch([map(0), map(1)], 1);
    assert.deepEqual(
      [...fetched],
      [
        [map(0), [['b', '2']]],
        [map(1), []],
      ],
    );
  });

  test('outputs of many megabytes arrive whole', async (t) => {
    const { disks, fetch, fetched } = await aService(t);
    const big: Pair[] = Array.from({ length: 300 }, (_, i) => [String(i).padStart(3, '0'), String(i % 10).repeat(10_000)]);
    for (const index of [0, 1]) writeMapOutput(disks[0]!, map(index), [big]);
    await fetch([map(0), map(1)]);
    for (const index of [0, 1]) assert.deepEqual(fetched.get(map(index)), big);
  });

  test('what is not here is said to be missing, with its name', async (t) => {
    const { disks, port } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[]]);
    for (const [path, missing] of [
      [pathOf(`${map(0)},${map(1)}`), `output of ${map(1)} for reduce 0 is not here`],
      [pathOf(map(0), 1), `output of ${map(0)} for reduce 1 is not here`],
      [pathOf('attempt_1_0001_m_000000_0'), 'output of attempt_1_0001_m_000000_0 for reduce 0 is not here'],
      [pathOf('../../etc/passwd'), 'output of ../../etc/passwd for reduce 0 is not here'],
    ] as const) {
      const { status, text } = await get(port, path, signed(path));
      assert.deepEqual([status, text], [404, missing]);
    }
  });

  test('an output that is a link out of its application’s folder is not served', async (t) => {
    const { disks, port } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[['a', '1']]]);
    const secret = join(scratch, `${serial}-secret`);
    writeFileSync(secret, 'x'.repeat(1000));
    const file = join(disks[0]!, 'output', map(0), 'file.out');
    rmSync(file);
    symlinkSync(secret, file);
    const path = pathOf(map(0));
    const answered = await get(port, path, signed(path)).then(
      ({ text }) => text,
      () => 'connection closed',
    );
    assert.ok(!answered.includes('xxx'), answered);
  });

  test('an index that is broken is not served, and not remembered', async (t) => {
    const { disks, port, fetch, fetched } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[['a', '1']]]);
    const index = join(disks[0]!, 'output', map(0), 'file.out.index');
    const good = readFileSync(index);
    writeFileSync(index, Buffer.concat([good.subarray(0, 3), Buffer.from([0xff]), good.subarray(4)]));
    const path = pathOf(map(0));
    await assert.rejects(get(port, path, signed(path)));
    writeFileSync(index, good);
    await fetch([map(0)]);
    assert.deepEqual(fetched.get(map(0)), [['a', '1']]);
  });
});

describe('requests', () => {
  test('without the job’s token, or with another path than the hashed one, nothing is served', async (t) => {
    const { logger, audited } = auditedLog();
    const { disks, port } = await aService(t, { logger });
    writeMapOutput(disks[0]!, map(0), [[['a', '1']], [['b', '2']]]);
    const path = pathOf(map(0));
    for (const headers of [{}, { [hashHeader]: '' }, signed(path, Buffer.from('other')), signed(pathOf(map(0), 1))])
      assert.equal((await get(port, path, headers)).status, 401);
    assert.equal((await get(port, path, signed(path))).status, 200);
    const line = { address: '127.0.0.1', mechanism: 'job-token', reason: unprovenJob('Verification of the hashReply failed') };
    assert.deepEqual(audited(), [line, line, line, line]);
  });

  test('the answer proves that the node knows the token, too', async (t) => {
    const { disks, port } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[]]);
    const path = pathOf(map(0));
    const { headers } = await get(port, path, signed(path));
    assert.equal(headers[replyHashHeader], hashOf(token, hashOf(token, path)));
    assert.equal(headers['name'], 'mapreduce');
    assert.equal(headers['version'], '1.0.0');
  });

  test('what cannot be a request is refused with its reason', async (t) => {
    const { port } = await aService(t);
    const many = Array.from({ length: 21 }, (_, i) => map(i)).join(',');
    for (const path of [
      '/mapOutput',
      pathOf(''),
      pathOf(map(0), 'x'),
      pathOf(map(0), -1),
      pathOf(map(0), 1.5),
      pathOf(map(0), 0, 'job_x'),
      pathOf(many),
    ])
      assert.equal((await get(port, path, signed(path))).status, 400, path);
    for (const path of ['/', '/other', '//[', '//mapOutput']) assert.equal((await get(port, path)).status, 404, path);
    const { status, headers } = await get(port, '/mapOutput', {}, 'POST');
    assert.deepEqual([status, headers['allow']], [405, 'GET']);
  });
});

describe('applications', () => {
  test('are remembered over a restart of the node, with their secrets for the owner alone', async (t) => {
    const { stateFolder, make, disks } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[['a', '1']]]);
    assert.deepEqual(readdirSync(stateFolder), [`${applicationId}.json`]);
    assert.equal(statSync(join(stateFolder, `${applicationId}.json`)).mode & 0o777, 0o600);
    writeFileSync(join(stateFolder, 'application_1_0002.json'), 'broken');
    writeFileSync(join(stateFolder, 'readme'), 'not a state');
    const again = make();
    again.start();
    const server = createServer((asked, response) => again.handle(asked, response, asked.url!));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const path = pathOf(map(0));
    assert.equal((await get((server.address() as AddressInfo).port, path, signed(path))).status, 200);
    server.closeAllConnections();
    server.close();
  });

  test('that end are forgotten, with what was known of their outputs', async (t) => {
    const { stateFolder, service, disks, port, fetch } = await aService(t);
    writeMapOutput(disks[0]!, map(0), [[['a', '1']]]);
    await fetch([map(0)]);
    service.stopApplication(applicationId);
    assert.ok(!existsSync(join(stateFolder, `${applicationId}.json`)));
    const path = pathOf(map(0));
    assert.equal((await get(port, path, signed(path))).status, 401);
    rmSync(join(disks[0]!, 'output'), { recursive: true });
    service.initializeApplication(applicationId, 'ann', token);
    assert.equal((await get(port, path, signed(path))).status, 404, 'the place of the old output is not remembered');
  });

  test('a second telling with the same token changes nothing, with another one the new one counts', async (t) => {
    const { service, stateFolder, port } = await aService(t);
    const file = join(stateFolder, `${applicationId}.json`);
    const before = statSync(file).ino;
    service.initializeApplication(applicationId, 'ann', Buffer.from(token));
    assert.equal(statSync(file).ino, before, 'the file is not written again');
    const other = Buffer.from('another secret');
    service.initializeApplication(applicationId, 'ann', other);
    const path = pathOf(map(0));
    assert.equal((await get(port, path, signed(path))).status, 401);
    assert.equal((await get(port, path, signed(path, other))).status, 404);
  });

  test('an application that the node was not told of is not served', async (t) => {
    const { disks, port } = await aService(t, { known: false });
    writeMapOutput(disks[0]!, map(0), [[['a', '1']]]);
    const path = pathOf(map(0));
    assert.equal((await get(port, path, signed(path))).status, 401);
  });
});
