// One request of a reduce, and every way in which a node may answer it badly.
import assert from 'node:assert/strict';
import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { map } from '../test-support/a-job.ts';
import { FetchFailed, fetchMapOutputs } from './fetch.ts';
import { encodeShuffleHeader, hashHeader, hashOf, replyHashHeader } from './protocol.ts';

const token = Buffer.from('the secret of the job');

/** Asks a node that answers as told; gives the outputs that came and the error, if any. */
async function ask(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, head: Record<string, string>) => void,
  maps: readonly string[] = [map(0)],
  timeoutMs = 60_000,
) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    answer(request, response, { [replyHashHeader]: hashOf(token, String(request.headers[hashHeader])) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent();
  t.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/auxiliary/mapreduce_shuffle/`;
  const received: [string, string][] = [];
  const dropped: string[] = [];
  const error = await fetchMapOutputs({ agent, url, jobId: 'job_1_0001', reduce: 3, maps, token, timeoutMs }, ({ mapId }) => {
    const pieces: Buffer[] = [];
    return {
      write: (piece) => void pieces.push(Buffer.from(piece)),
      end: () => void received.push([mapId, Buffer.concat(pieces).toString()]),
      drop: () => void dropped.push(mapId),
    };
  }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error !== undefined) assert.ok(error instanceof FetchFailed, String(error));
  return { received, dropped, error, paths };
}

const output = (mapId: string, text: string, change: Partial<Parameters<typeof encodeShuffleHeader>[0]> = {}) =>
  Buffer.concat([encodeShuffleHeader({ mapId, partLength: text.length, rawLength: text.length, reduce: 3, ...change }), Buffer.from(text)]);

test('the outputs of all maps asked for come one after the other', async (t) => {
  const { received, error, paths } = await ask(
    t,
    (_, response, head) => response.writeHead(200, head).end(Buffer.concat([output(map(0), 'first'), output(map(1), 'second')])),
    [map(0), map(1)],
  );
  assert.equal(error, undefined);
  assert.deepEqual(received, [
    [map(0), 'first'],
    [map(1), 'second'],
  ]);
  assert.deepEqual(paths, [`/api/v1/auxiliary/mapreduce_shuffle/mapOutput?job=job_1_0001&reduce=3&map=${map(0)},${map(1)}`]);
});

test('it does not matter how the bytes are cut on their way', async (t) => {
  const bytes = Buffer.concat([output(map(0), 'first'), output(map(1), ''), output(map(2), 'third')]);
  for (const size of [1, 2, 7]) {
    const { received, error } = await ask(
      t,
      async (_, response, head) => {
        response.writeHead(200, head);
        response.flushHeaders();
        for (let at = 0; at < bytes.length; at += size) {
          await new Promise((done) => response.write(bytes.subarray(at, at + size), done));
          await new Promise((next) => setImmediate(next));
        }
        response.end();
      },
      [map(0), map(1), map(2)],
    );
    assert.equal(error, undefined);
    assert.deepEqual(received, [
      [map(0), 'first'],
      [map(1), ''],
      [map(2), 'third'],
    ]);
  }
});

test('what arrived before a fault is kept; the error names the first output that is missing', async (t) => {
  const { received, error } = await ask(t, (_, response, head) => response.writeHead(200, head).end(output(map(0), 'first')), [
    map(0),
    map(1),
    map(2),
  ]);
  assert.deepEqual(received, [[map(0), 'first']]);
  assert.equal(error?.kind, 'WRONG_LENGTH');
  assert.match(error!.message, new RegExp(`ended before the output of ${map(1)}$`));
});

test('a node that says that it has not the output, or not the job, has lost it', async (t) => {
  for (const [status, lost] of [
    [404, true],
    [401, true],
    [400, false],
    [503, false],
  ] as const) {
    const { error } = await ask(t, (_, response) => response.writeHead(status).end('no'));
    assert.deepEqual([error?.kind, error?.lost], ['IO_ERROR', lost], String(status));
    assert.match(error!.message, new RegExp(`^Got invalid response code ${status} from http://`));
  }
});

test('a node that does not prove that it knows the job’s token is not believed', async (t) => {
  for (const reply of [{}, { [replyHashHeader]: hashOf(Buffer.from('other'), 'x') }]) {
    const { received, error } = await ask(t, (_, response) => response.writeHead(200, reply).end(output(map(0), 'forged')));
    assert.deepEqual(received, []);
    assert.deepEqual([error?.kind, error?.message], ['IO_ERROR', 'Verification of the hashReply failed']);
  }
});

test('outputs that were not asked for are refused', async (t) => {
  for (const [bytes, kind, message] of [
    [output(map(7), 'x'), 'WRONG_MAP', `Invalid map-output! Received output for ${map(7)}`],
    [Buffer.concat([output(map(0), 'x'), output(map(0), 'y')]), 'WRONG_MAP', `Invalid map-output! Received output for ${map(0)}`],
    [output(map(0), 'x', { reduce: 4 }), 'WRONG_REDUCE', 'data for the wrong reduce 4'],
    [output(map(0), 'x', { partLength: -1 }), 'WRONG_LENGTH', `invalid lengths in map output header: ${map(0)}`],
    [output(map(0), 'x', { rawLength: -5 }), 'WRONG_LENGTH', `invalid lengths in map output header: ${map(0)}`],
    [Buffer.from([0x8e, 0x7f, 0xff]), 'IO_ERROR', 'shuffle header with an impossible map id'],
  ] as const) {
    const { error } = await ask(t, (_, response, head) => response.writeHead(200, head).end(bytes), [map(0), map(1)]);
    assert.deepEqual([error?.kind, error?.message], [kind, message]);
  }
});

test('an output of which less comes than was said is given up', async (t) => {
  const { received, dropped, error } = await ask(t, (_, response, head) =>
    response.writeHead(200, head).end(output(map(0), 'x', { partLength: 2 ** 52, rawLength: 2 ** 52 })),
  );
  assert.deepEqual([received, dropped], [[], [map(0)]]);
  assert.equal(error?.kind, 'WRONG_LENGTH');
});

test('a node sends no more than buffers take while the place for an output is made', async (t) => {
  let sent = 0;
  const body = Buffer.alloc(64 << 20);
  const server = createServer(async (request, response) => {
    response.writeHead(200, { [replyHashHeader]: hashOf(token, String(request.headers[hashHeader])) });
    response.write(encodeShuffleHeader({ mapId: map(0), partLength: body.length, rawLength: body.length, reduce: 3 }));
    for (; sent < body.length; sent += 1 << 16)
      if (!response.write(body.subarray(sent, sent + (1 << 16)))) await new Promise((done) => response.once('drain', done));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = new Agent();
  t.after(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let received = 0;
  await fetchMapOutputs({ agent, url, jobId: 'job_1_0001', reduce: 3, maps: [map(0)], token, timeoutMs: 60_000 }, async () => {
    let before = -1;
    for (let same = 0; same < 20; before = sent) {
      await new Promise((turn) => setImmediate(turn));
      same = sent === before ? same + 1 : 0;
    }
    assert.ok(sent < body.length / 2, `${sent} bytes were sent`);
    return { write: (piece) => void (received += piece.length), end: () => {}, drop: () => {} };
  });
  assert.equal(received, body.length);
});

test('a connection that breaks in the midst is an error of reading', async (t) => {
  const { received, error } = await ask(
    t,
    (_, response, head) => {
      response.writeHead(200, { ...head, 'content-length': '1000' });
      response.write(output(map(0), 'first'), () => response.destroy());
    },
    [map(0), map(1)],
  );
  assert.deepEqual(received, [[map(0), 'first']]);
  assert.equal(error?.kind, 'IO_ERROR');
});

test('a node that cannot be reached, or says nothing, is an error of the connection', async (t) => {
  const agent = new Agent();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const gone = { agent, url: `http://127.0.0.1:${port}`, jobId: 'job_1_0001', reduce: 0, maps: [map(0)], token, timeoutMs: 1000 };
  await assert.rejects(
    fetchMapOutputs(gone, () => assert.fail('nothing came')),
    (error: unknown) => error instanceof FetchFailed && error.kind === 'CONNECTION' && !error.lost,
  );
  agent.destroy();
  const { error } = await ask(t, () => {}, [map(0)], 20);
  assert.deepEqual([error?.kind, error?.message], ['CONNECTION', 'Read timed out after 20 ms']);
});
