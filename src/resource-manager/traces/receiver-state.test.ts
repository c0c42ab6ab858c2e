import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../../lib/clock.ts';
import { ReceiverState } from './receiver-state.ts';
import { openSpanExporter } from './span-exporter.ts';

function heard() {
  const lines: { readonly level: number; readonly lost: number; readonly reason?: string }[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock();
  return { lines, ports: { clock, logger }, clock };
}
const [warning, word] = [pino.levels.values['warn'], pino.levels.values['info']];

describe('a receiver of traces that takes none', () => {
  it('is told of at once, once a minute with how many are lost, and when it takes them again', () => {
    const { lines, ports, clock } = heard();
    const state = new ReceiverState('http://there', ports);
    state.took();
    for (let seconds = 0; seconds < 150; seconds++) {
      state.lost(2, 'refused', 'Unauthorized');
      clock.advance(1000);
    }
    assert.deepEqual(
      lines.map(({ level, lost, reason }) => [level, lost, reason]),
      [2, 122, 242].map((lost) => [warning, lost, 'Unauthorized']),
    );
    // Another trouble does not wait for that.
    state.lost(1, 'too many', 'x'.repeat(1000));
    assert.deepEqual([lines.length, lines[3]!.lost, lines[3]!.reason!.length], [4, 301, 300]);
    state.took();
    state.took();
    assert.deepEqual([lines.length, lines[4]!.level, lines[4]!.lost], [5, word, 301]);
    state.lost(1, 'refused', 'Unauthorized');
    assert.deepEqual([lines.length, lines[5]!.lost], [6, 1]);
  });

  it('holds nothing up: what it refuses, and what is too much, is dropped and told', async () => {
    const answer = { status: 401, asked: 0 };
    const receiver = createServer((request, response) => {
      request.resume().on('end', () => {
        answer.asked++;
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const { lines, ports } = heard();
    try {
      const exporter = await openSpanExporter(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`, '1', ports);
      const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentId: undefined, name: 's', startMs: 1, endMs: 2 };
      for (let number = 0; number < 25_000; number++) exporter.send({ ...span, attributes: {}, moments: [], fault: undefined });
      await exporter.close();
      assert.deepEqual([lines[0]!.lost, lines[0]!.reason], [1, '20000 spans wait already']);
      assert.match(lines[1]!.reason ?? '', /Unauthorized|401/);
      assert.equal(lines.length, 2);
      assert.ok(answer.asked >= 1);
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
