// Servers that are stopped while callers wait for something.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { startCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';

/** What of a stream came, and whether it ended or broke off. */
async function received(answer: Response): Promise<{ text: string; end: 'whole' | 'broken' }> {
  let text = '';
  try {
    for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece;
    return { text, end: 'whole' };
  } catch {
    return { text, end: 'broken' };
  }
}

test('who waits at a server that is stopped gets an answer, or an end that says whether there is more', async () => {
  // Containers outlive their node manager.
  const cluster = await startCluster({ settings: { 'yarn.nodemanager.recovery.supervised': 'true' } });
  const { resourceManager, nodeManager, history } = cluster.urls;
  try {
    // It ends when the cluster's folder is gone.
    const command = `echo first > <LOG_DIR>/stdout; while [ -e ${cluster.dataDir} ]; do sleep 0.1; done`;
    const id = await submitApplication(resourceManager, commandApplication(command), 'ada');
    // Its master runs outside the cluster, and never comes.
    const expected = await submitApplication(resourceManager, commandApplication('true', { 'unmanaged-AM': true }), 'ada');
    const containerId = `${id.replace('application', 'container')}_01_000001`;
    const log = `/api/v1/containers/${containerId}/logs/stdout`;
    await until('the first line', async () => (await (await fetch(`${nodeManager}${log}`)).text()) === 'first\n');
    const accept = (type: string) => ({ headers: { accept: type } });
    const [sse, json] = ['text/event-stream', 'application/json'].map(accept);
    const streams = await Promise.all([
      fetch(`${nodeManager}${log}?follow=true`),
      fetch(`${nodeManager}${log}`, sse),
      fetch(`${resourceManager}/api/v1/logs/${containerId}/stdout?follow=true`),
      fetch(`${resourceManager}/api/v1/events?user=nobody`, sse),
    ]);
    const shell = new WebSocket(`${nodeManager.replace('http', 'ws')}/container/${containerId}?user.name=ada`);
    await once(shell, 'open');
    const shellClosed = once(shell, 'close');
    const ended = Promise.all(streams.map(received));
    const waits = Promise.all([
      fetch(`${resourceManager}/api/v1/applications/${expected}?wait=60000&until=end`, json),
      fetch(`${resourceManager}/api/v1/events?wait=60000&user=nobody`, json),
      fetch(`${history}/api/v1/jobs/${id.replace('application', 'job')}?wait=60000&until=end`, json),
    ]);
    // They wait once the servers have read them: what they are asked behind that is answered.
    await Promise.all([resourceManager, history].map((url) => fetch(`${url}/readyz`)));
    await cluster[Symbol.asyncDispose]();
    const [application, events, job] = await waits;
    assert.equal(application.status, 200);
    assert.equal(((await application.json()) as { state: string }).state, 'ACCEPTED');
    assert.deepEqual([events.status, ((await events.json()) as { events: unknown[] }).events], [200, []]);
    assert.deepEqual([job.status, job.headers.get('retry-after')], [503, '1']);
    const [followed, followedEvents, relayed, told] = await ended;
    assert.deepEqual(followed, { text: 'first\n', end: 'broken' });
    assert.deepEqual(followedEvents, { text: 'id: 6\ndata: {"text":"first\\n"}\n\n', end: 'whole' });
    assert.deepEqual(relayed, { text: 'first\n', end: 'broken' });
    assert.equal(told!.end, 'whole');
    const [code, reason] = (await shellClosed) as [number, Buffer];
    assert.deepEqual([code, String(reason)], [1001, 'the node manager ends']);
  } finally {
    await cluster[Symbol.asyncDispose]();
  }
});
