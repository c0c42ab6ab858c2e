// Hadoop's shuffle of a node manager that is killed: reduces fetch afterwards what maps left before, by the token and at the port of before.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hadoopHash, signedMessage } from '../../src/batch/shuffle/hadoop-request.ts';
import { writtenToken } from '../../src/wire/files/credentials.ts';
import { startNodeProcess } from '../support/node-process.ts';
import { until } from '../support/processes.ts';

const [firstLine = ''] = readFileSync(join(import.meta.dirname, '../compatibility/files/shuffle.jsonl'), 'utf8').split('\n');
const { outputs } = JSON.parse(firstLine) as { outputs: Record<string, { file: string; index: string }> };
const [[map, { file, index }] = ['', { file: '', index: '' }]] = Object.entries(outputs);

test('a node manager killed with -9 goes on serving what maps left, at the same port', async () => {
  await using node = await startNodeProcess();
  const password = Buffer.alloc(20, 9);
  const job = 'job_1700000000000_0001';
  const token = writtenToken({ identifier: Buffer.from('id'), password, kind: 'mapreduce.job', service: job });
  const folder = '\\${LOCAL_DIRS%%,*}/output';
  const master = node.order(
    1,
    `mkdir -p ${folder}/${map} && echo ${file} | base64 -d > ${folder}/${map}/file.out && echo ${index} | base64 -d > ${folder}/${map}/file.out.index && echo \\$NM_AUX_SERVICE_mapreduce_shuffle > <LOG_DIR>/stdout && touch ready && sleep 1000`,
    { serviceData: { mapreduce_shuffle: token.toString('base64') } },
  );
  node.send(master);
  await node.resourceManager.running(master.containerId);
  await until('the output of the map', async () => existsSync(join(node.folder(master), 'ready')));
  const log = async () => (await fetch(`${node.url()}/api/v1/containers/${master.containerId}/logs/stdout?user.name=ada`)).text();
  const port = Buffer.from(await log(), 'base64').readInt32BE();
  const fetched = async () => {
    const path = `/mapOutput?job=${job}&reduce=0&map=${map}`;
    const headers = { name: 'mapreduce', version: '1.0.0', UrlHash: hadoopHash(password, signedMessage(port, path)) };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    return [response.status, Buffer.from(await response.arrayBuffer()).toString('base64')];
  };
  const before = await fetched();
  assert.equal(before[0], 200);
  await node.stop('SIGKILL');
  await assert.rejects(fetched());
  await node.start();
  assert.deepEqual(await fetched(), before);
  node.resourceManager.send({ type: 'finishApplications', applicationIds: [master.applicationId] });
  await until('the application is forgotten', async () => (await fetched())[0] === 401);
});
