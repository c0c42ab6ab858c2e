import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeAggregatedLog } from './aggregated-log.ts';
import {
  aggregatedLogTree,
  applicationLogFolder,
  containerLogText,
  findApplicationLogs,
  javaDateText,
  listContainerLogs,
  logTextTail,
  nodeFileName,
  nodeLogFiles,
} from './aggregated-log-folder.ts';

test('logs of an application are found below whoever owns it, listed by container and given as text', async () => {
  const root = mkdtempSync(join(tmpdir(), 'aggregated-'));
  try {
    const tree = aggregatedLogTree(root, 'logs');
    const id = 'application_1_12345';
    const folder = applicationLogFolder(tree, 'ann', id);
    assert.equal(folder, `${root}/ann/bucket-logs-tfile/2345/application_1_12345`);
    assert.equal(await findApplicationLogs(tree, id), undefined);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(root, 'source'), 'héllo\n');
    writeFileSync(join(folder, 'broken_1'), 'no log');
    writeFileSync(join(folder, 'other_1.tmp'), 'not complete');
    const container = (attempt: number) => ({
      containerId: `container_1_12345_0${attempt}_000001`,
      files: [{ name: 'stdout', path: join(root, 'source'), size: 7 }],
    });
    await writeAggregatedLog(join(folder, nodeFileName('node:45454')), {
      applicationOwner: 'ann',
      acls: { VIEW_APP: 'bob' },
      containers: [container(1), container(2)],
    });
    for (const owner of [undefined, 'ann', 'other', '..', ''])
      assert.deepEqual(await findApplicationLogs(tree, id, owner), { owner: 'ann', folder });
    assert.deepEqual(
      (await nodeLogFiles(folder)).map((file) => file.name),
      ['broken_1', 'node_45454'],
    );
    const all = await listContainerLogs(folder);
    assert.deepEqual(
      all.map((logs) => logs.containerId),
      ['container_1_12345_01_000001', 'container_1_12345_02_000001'],
    );
    assert.deepEqual({ ...all[0]!.acls }, { VIEW_APP: 'bob' });
    assert.deepEqual(
      (await listContainerLogs(folder, { attemptId: 'appattempt_1_12345_000002' })).map((logs) => logs.containerId),
      ['container_1_12345_02_000001'],
    );
    assert.deepEqual(await listContainerLogs(folder, { node: (name) => name === 'x' }), []);
    const text = Buffer.concat(
      (await Array.fromAsync(containerLogText(folder, 'container_1_12345_01_000001', () => true, { size: -2 }))).map((part) =>
        Buffer.from(part),
      ),
    ).toString();
    const first = 'Container: container_1_12345_01_000001 on node_45454';
    const modified = javaDateText((await nodeLogFiles(folder))[1]!.modifiedMs);
    assert.equal(
      text,
      `${first}\nLogAggregationType: AGGREGATED\n${'='.repeat(first.length)}\nLogType:stdout\nLogLastModifiedTime:${modified}\nLogLength:7\nLogContents:\no\n${logTextTail('stdout')}`,
    );
    assert.deepEqual(await Array.fromAsync(containerLogText(folder, 'container_1_12345_03_000001', () => true)), []);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('times read as Java prints them', () => {
  assert.match(javaDateText(1_700_000_000_000), /^Tue Nov 1[45] \d\d:\d\d:20 [+-]\d{4} 2023$/);
});
