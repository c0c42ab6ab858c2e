import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startNode } from '../test-support/stand.ts';
import type { AuxiliaryService } from './service.ts';

test('a service hears of applications and their data, adds a variable and answers below its path', async () => {
  const heard: string[] = [];
  let ended: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const service: AuxiliaryService = {
    name: 'notes',
    start: async ({ folder }) => void heard.push(`start ${folder.endsWith('/auxiliary/notes')}`),
    stop: async () => void heard.push('stop'),
    applicationStarted: ({ user, data }) => void heard.push(`application ${user} ${data}`),
    applicationEnded() {
      heard.push('ended');
      ended();
    },
    metadata: () => Buffer.from('hello'),
    handle: (request, response, path) => void response.end(`${request.method} ${path}`),
  };
  {
    await using node = await startNode({ 'yarn.nodemanager.aux-services': 'notes,unknown' }, { auxiliaryServices: [service] });
    const first = node.order('echo $NM_AUX_SERVICE_notes > <LOG_DIR>/stdout');
    const second = node.order('true', { launch: { serviceData: { notes: Buffer.from('token').toString('base64') } } });
    node.start(first);
    await node.resourceManager.complete(first.containerId);
    node.start(second);
    await node.resourceManager.complete(second.containerId);
    assert.equal(
      await (await node.get(`/api/v1/containers/${first.containerId}/logs/stdout`)).text(),
      `${Buffer.from('hello').toString('base64')}\n`,
    );
    assert.equal(await (await node.get('/api/v1/auxiliary/notes/a/b?c=d')).text(), 'GET /a/b?c=d');
    assert.equal((await node.get('/api/v1/auxiliary/unknown/a')).status, 404);
    node.resourceManager.send({ type: 'finishApplications', applicationIds: [first.applicationId] });
    await end;
  }
  assert.deepEqual(heard, ['start true', 'application ada undefined', 'application ada token', 'ended', 'stop']);
});
