import assert from 'node:assert/strict';
import { it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { anApplication, timestampMs } from '../test-support/builders.ts';
import { writesOn } from './writes.ts';

it('an end stays among those to be told again while what was heard of it is not kept', async () => {
  const store = new ResourceManagerStore(openDatabase(':memory:', { logger: silentLogger }));
  let isKept = false;
  const write = writesOn(
    store,
    () => undefined,
    () => isKept,
  );
  const application = anApplication({ state: 'FINISHED', finishedMs: timestampMs });
  const unsettled = () => store.unsettledApplications().map(({ id }) => id);
  await write({ kind: 'ended', application });
  assert.deepEqual(unsettled(), [application.id]);
  isKept = true;
  await write({ kind: 'ended', application });
  assert.deepEqual(unsettled(), []);
  store.close();
});
