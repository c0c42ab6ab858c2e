// A node whose machine lets it do less than it wants; the programs that it needs are replaced by ones that fail.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { pino } from 'pino';
import { engineSettings } from '../config/settings/engines.ts';
import { startNode } from './test-support/node-fixture.ts';

const skip = process.getuid?.() === 0 ? false : 'only root is confined';
const path = process.env['PATH'];
const folder = mkdtempSync(join(tmpdir(), 'heddle-isolation-'));
after(() => rmSync(folder, { recursive: true }));

/** Until the test ends `program` fails with a reason. */
function withFailing(t: TestContext, program: string): void {
  const file = join(folder, program);
  writeFileSync(file, '#!/bin/sh\necho "nothing is done here" >&2\nexit 1\n', { mode: 0o755 });
  process.env['PATH'] = `${folder}${delimiter}${path}`;
  t.after(() => {
    process.env['PATH'] = path;
    rmSync(file);
  });
}

test('where root may mount nothing its containers have no capabilities all the same, and it is said why no more is done', {
  skip,
}, async (t) => {
  withFailing(t, 'unshare');
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  await using node = await startNode({}, { logger });
  assert.equal(lines.filter((line) => line.includes('without capabilities') && line.includes('nothing is done here')).length, 1);
  const { resourceManager } = node;
  const order = node.order("grep -q '^CapEff:.0*$' /proc/self/status");
  node.start(order);
  assert.equal((await resourceManager.complete(order.containerId)).exitCode, 0);
  // Nor is the engine that could not begin in the way of the next start.
  await node.restart();
  const next = node.order('true');
  node.start(next);
  assert.equal((await resourceManager.complete(next.containerId)).exitCode, 0);
});

test('a node that has to conceal secrets does not start there', { skip }, async (t) => {
  withFailing(t, 'unshare');
  await assert.rejects(
    startNode({ [engineSettings.concealSecrets.key]: 'required' }),
    /does not conceal the secrets .*nothing is done here/,
  );
});

test('a node that cannot take capabilities away does not start', { skip }, async (t) => {
  withFailing(t, 'setpriv');
  await assert.rejects(startNode(), /containers cannot be confined: nothing is done here/);
});
