import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startNode } from './test-support/node-fixture.ts';

test('a command that cannot be read is dropped as a whole and logged with its path; the node registers again and goes on', async () => {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'error', base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  await using node = await startNode({}, { logger });
  const { resourceManager } = node;
  const good = node.order('exit 3');
  const bad = node.order('exit 4');

  resourceManager.sendAnything({ type: 'startContainers', containers: [good, { ...bad, launch: { ...bad.launch, commands: 'exit 4' } }] });
  await resourceManager.until(() => resourceManager.registrations().length === 2);
  assert.deepEqual(resourceManager.registrations()[1]?.containers, []);

  // Not again and again: a resource manager that always sends such commands is not answered with a registration each time.
  resourceManager.sendAnything({
    type: 'stopContainers',
    containers: [{ containerId: good.containerId, exitCode: '-105', diagnostics: '' }],
  });
  for (const message of [null, 'resync', [], {}, { type: 'toString' }, { type: 'hibernate' }]) resourceManager.sendAnything(message);

  node.start(good);
  assert.equal((await resourceManager.complete(good.containerId)).exitCode, 3);
  assert.deepEqual(resourceManager.reports(bad.containerId), []);
  assert.equal(resourceManager.registrations().length, 2);
  const kinds =
    'registered, startContainers, stopContainers, updateContainers, signalContainers, finishApplications, updateResource, refuse, resync';
  assert.deepEqual(
    lines.map(({ fault }) => fault),
    [
      '/containers/1/launch/commands is not a list',
      '/containers/0/exitCode is not a whole number',
      'the body is not an object',
      'the body is not an object',
      'the body is not an object',
      '/type is missing',
      `/type is not one of ${kinds}`,
      `/type is not one of ${kinds}`,
    ],
  );
});
