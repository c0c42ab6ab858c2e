// What questions about activities answer before anything is looked up, as Hadoop 3.4.2 did when it was asked the same.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { startManager } from '../test-support/running-manager.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'heddle-activities-'));
let role: RunningRole;
before(async () => {
  role = await startManager(dataDir);
});
after(async () => {
  await role.close();
  rmSync(dataDir, { recursive: true });
});

interface Told {
  readonly diagnostic?: string;
  readonly message?: string;
}
/** The status where it is not 200, and the sentence. */
async function told(path: string): Promise<string> {
  const response = await fetch(`${role.addresses['web']}/ws/v1/cluster/scheduler/${path}`);
  const [{ diagnostic, message }] = Object.values((await response.json()) as Record<string, Told>) as [Told];
  return diagnostic ?? `${response.status} ${message}`;
}
const ofApplication = (query: string) => told(`app-activities/application_1_0001?${query}`);

const noGrouping = 'Got invalid groupBy: , valid groupBy types: [DIAGNOSTIC]';
const noNode = 'No node manager running in the cluster';
const over = 'fail to get application activities after finished';

describe('questions about activities', () => {
  it('take no empty grouping', async () => {
    for (const path of ['activities', 'app-activities/application_1_0001', 'app-activities/x']) {
      assert.equal(await told(`${path}?groupBy=`), noGrouping);
      assert.equal(await told(`${path}?groupBy`), noGrouping);
    }
    assert.equal(await told('bulk-activities?groupBy='), `400 java.lang.Exception: ${noGrouping}`);
    assert.equal(await told('activities?groupBy=diagnostic'), noNode);
    for (const none of ['', '%20'])
      assert.equal(await told(`bulk-activities?activitiesCount=${none}`), `400 java.lang.Exception: ${noNode}`);
  });

  it('split lists as Java does: a comma alone is nothing, an empty text something', async () => {
    const action = 'Got invalid action: , valid actions: [REFRESH, GET]';
    for (const query of ['actions=', 'actions', 'actions=refresh,&actions=']) assert.equal(await ofApplication(query), action);
    assert.equal(await ofApplication('actions=refresh,x'), 'Got invalid action: x, valid actions: [REFRESH, GET]');
    for (const query of ['requestPriorities=', 'requestPriorities=,1', 'requestPriorities=%201'])
      assert.equal(await ofApplication(query), 'request priorities must be integers!');
    assert.equal(await ofApplication('allocationRequestIds='), 'allocation request Ids must be integers!');
    for (const query of ['actions=,', 'requestPriorities=,', 'allocationRequestIds=,', 'actions=get,'])
      assert.equal(await ofApplication(query), over);
  });

  it('read numbers as Java does', async () => {
    for (const limit of ['', 'x', '99999999999']) assert.equal(await ofApplication(`limit=${limit}`), 'limit must be integer!');
    assert.equal(await ofApplication('limit=0'), 'limit must be greater than 0!');
    for (const query of ['limit=%2B1', 'maxTime=', 'maxTime=2', 'maxTime=1.5e3', 'maxTime=%201'])
      assert.equal(await ofApplication(query), over);
    for (const [maxTime, value] of [
      ['x', 'x.0'],
      ['x.y', 'x.y'],
      ['1f', '1f.0'],
      ['.', '.'],
    ])
      assert.equal(await ofApplication(`maxTime=${maxTime}`), `400 For input string: "${value}"`);
  });

  it('say what was to be done where nothing is to be shown, whether or not the application is there', async () => {
    assert.equal(await ofApplication('actions=refresh'), 'Successfully received action: refresh');
    assert.equal(await ofApplication('actions=refresh,refresh'), 'Successfully received action: refresh,refresh');
    assert.match(await ofApplication('actions=refresh,&actions=refresh'), /^Successfully received actions: /);
  });
});
