// Options of batch jobs that stand for settings with longer names.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type CommandLine, commandsAt, type StubRequest, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-batch-names-'));
const cluster = new StubServer((request: StubRequest) => {
  if (request.path === '/api/v1/applications' && request.query.has('dryRun'))
    return { json: { accepted: false, sentence: 'Nothing is taken here.', user: 'ada', containers: [], adjusted: [] } };
  if (request.path.endsWith('/new-application'))
    return { json: { 'application-id': 'application_1_0001', 'maximum-resource-capability': { memory: 8192, vCores: 8 } } };
  return undefined;
});
let commands: CommandLine;
before(async () => {
  commands = commandsAt(await cluster.listen(), { HEDDLE_DATA: join(folder, 'data') });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
const sleep = (...more: string[]) => commands.run('batch', 'sleep', '1', '0', '1', '1', ...more);
/** Name and queue of what was asked for last. */
function tried(): unknown[] {
  const { body } = cluster.requests.findLast(({ query }) => query.has('dryRun'))!;
  const asked = JSON.parse(String(body)) as Record<string, unknown>;
  return [asked['application-name'], asked['queue']];
}

it('--queue and --name say where a batch job runs and what it is called', async () => {
  await sleep('--queue', 'root.etl', '--name', 'of the night');
  assert.deepEqual(tried(), ['of the night', 'root.etl']);
  // The same said twice, once by its old name.
  await sleep('-D', 'mapred.job.queue.name=root.a', '--queue', 'root.a');
  assert.deepEqual(tried(), ['Sleep job', 'root.a']);
});

it('are refused beside a -D that says something else', async () => {
  const before = cluster.requests.length;
  const { code, err } = await sleep('-D', 'mapred.job.queue.name=root.a', '--queue', 'root.b');
  assert.equal(code, 2);
  assert.match(err, /--queue says root\.b, and -Dmapreduce\.job\.queuename says root\.a/);
  assert.equal(cluster.requests.length, before);
});
