import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { aContainer, anApplication, anAttempt, aSubmission, timestampMs } from '../test-support/builders.ts';
import { startManager } from '../test-support/running-manager.ts';
import { ApplicationSpans, spanIdOf, type TracedSpan, traceIdOf } from './application-spans.ts';

function stand() {
  const clock = new ManualClock(timestampMs);
  const taken: TracedSpan[] = [];
  const reasons = ['[Mon] the queue is full', '[Tue] the queue is full', '[Tue] no nodes'];
  const spans = new ApplicationSpans({
    clock,
    isWaiting: () => true,
    waitingText: () => reasons.shift(),
    take: (span) => taken.push(span),
  });
  return { clock, taken, spans, hear: spans.observer };
}
const short = ({ name, startMs, endMs }: TracedSpan) => [name, startMs - timestampMs, endMs - timestampMs];

describe('spans of an application', () => {
  it('tell of waiting and why, of containers, attempts and the whole, which belong together', () => {
    const { clock, taken, hear } = stand();
    const application = anApplication({ state: 'ACCEPTED' });
    hear.applicationCreated!(application);
    for (let i = 0; i < 4; i++) clock.advance(5000);
    const master = aContainer({
      isMaster: true,
      createdMs: clock.now(),
      startedMs: clock.now() + 100,
      finishedMs: clock.now() + 900,
      exitCode: 0,
    });
    hear.containerCreated!(application, master);
    hear.containerFinished!(
      application,
      aContainer({ createdMs: clock.now(), finishedMs: clock.now() + 500, exitCode: 3, diagnostics: 'it broke' }),
    );
    hear.containerFinished!(application, master);
    const attempt = anAttempt({ state: 'FINISHED', startedMs: timestampMs + 10, finishedMs: clock.now() + 950, exitCode: 0 });
    Object.assign(application, { attempts: [attempt], state: 'FINISHED', finishedMs: clock.now() + 1000 });
    hear.attemptFinished!(application, attempt);
    hear.applicationFinished!(application);
    assert.deepEqual(taken.map(short), [
      ['wait for master', 0, 20_000],
      ['container', 20_000, 20_500],
      ['master container', 20_000, 20_900],
      ['attempt', 10, 20_950],
      [`application ${application.submission.name}`, 0, 21_000],
    ]);
    const [wait, container, , attempted, whole] = taken as [TracedSpan, TracedSpan, TracedSpan, TracedSpan, TracedSpan];
    assert.deepEqual(
      wait.moments.map(({ timeMs, attributes }) => [timeMs - timestampMs, attributes?.['reason']]),
      [
        [5000, 'the queue is full'],
        [15_000, 'no nodes'],
      ],
    );
    assert.deepEqual(
      [container.fault, taken[2]!.fault, container.parentId],
      ['it broke', undefined, spanIdOf(container.attributes['heddle.attempt.id'] as string)],
    );
    assert.deepEqual([attempted.spanId, attempted.parentId], [container.parentId, whole.spanId]);
    assert.ok(taken.every(({ traceId }) => traceId === traceIdOf(application.id)));
    assert.deepEqual([whole.parentId, whole.traceId.length, whole.spanId.length], [undefined, 32, 16]);
  });

  it('end with it where it never got a master, and wait again between attempts', () => {
    const { clock, taken, spans, hear } = stand();
    const never = anApplication({ state: 'KILLED', finishedMs: timestampMs + 3000, submission: aSubmission({ name: 'never' }) });
    hear.applicationCreated!(never);
    clock.advance(3000);
    hear.applicationFinished!(never);
    assert.deepEqual(taken.map(short), [
      ['wait for master', 0, 3000],
      ['application never', 0, 3000],
    ]);
    assert.notEqual(taken[1]!.fault, undefined);
    const again = anApplication({ id: `application_${timestampMs}_0002` });
    hear.attemptFinished!(again, anAttempt({ state: 'FAILED', diagnostics: 'lost' }));
    clock.advance(1000);
    hear.containerCreated!(again, aContainer({ isMaster: true, createdMs: clock.now() }));
    assert.deepEqual(taken.slice(2).map(short), [
      ['attempt', 0, 3000],
      ['wait for master', 3000, 4000],
    ]);
    spans.close();
  });
});

interface Received {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly startTimeUnixNano: string;
        readonly status: { readonly code: number; readonly message?: string };
      }[];
    }[];
  }[];
}

describe('heddle.traces.endpoint', () => {
  const settings = (endpoint: string) => ({ 'heddle.traces.endpoint': endpoint });

  it('is sent what applications did, over OTLP, at the latest when the resource manager closes', async () => {
    const bodies: Received[] = [];
    const receiver = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
        bodies.push(JSON.parse(Buffer.concat(pieces).toString()) as Received);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const folder = mkdtempSync(join(tmpdir(), 'heddle-traces-'));
    try {
      const role = await startManager(folder, settings(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/v1/traces`));
      const address = `${role.addresses['web']}/api/v1/applications?user.name=ann`;
      const body = JSON.stringify({
        'application-name': 'traced',
        'am-container-spec': { commands: { command: 'true' } },
      });
      const submitted = await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { id } = (await submitted.json()) as { id: string };
      assert.equal(submitted.status, 202);
      const killed = await fetch(`${role.addresses['web']}/ws/v1/cluster/apps/${id}/state?user.name=ann`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ state: 'KILLED' }),
      });
      assert.ok(killed.status < 300);
      await (await fetch(`${role.addresses['web']}/api/v1/applications/${id}?user.name=ann&wait=30000&until=end`)).arrayBuffer();
      await role.close();
      const spans = bodies.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
      );
      const of = (name: string) => spans.find((span) => span.name === name);
      const whole = of('application traced');
      assert.deepEqual([whole?.traceId, whole?.spanId, whole?.parentSpanId ?? ''], [traceIdOf(id), spanIdOf(id), '']);
      assert.equal(whole?.status.code, 2, 'it was killed');
      assert.deepEqual([of('wait for master')?.parentSpanId, of('attempt')?.parentSpanId], [whole?.spanId, whole?.spanId]);
      assert.match(whole?.startTimeUnixNano ?? '', /^\d{19}$/);
      const names = bodies[0]!.resourceSpans[0]!.resource.attributes.map(({ key, value }) => [key, value.stringValue]);
      assert.deepEqual(names[0], ['service.name', 'heddle']);
    } finally {
      receiver.closeAllConnections();
      receiver.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('that is no address keeps the resource manager from starting', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-traces-'));
    await assert.rejects(startManager(folder, settings('collector')), /'collector' is no address/);
    rmSync(folder, { recursive: true, force: true });
  });
});
