import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { aContainer, anApplication, anAttempt } from '../test-support/builders.ts';
import { MasterDelays } from './master-delays.ts';

it('tells how long masters waited for their containers, their starts and their registrations', () => {
  const clock = new ManualClock(10_000);
  const delays = new MasterDelays(clock);
  const container = aContainer({ isMaster: true, createdMs: 12_000 });
  const attempt = anAttempt({
    id: container.attemptId,
    startedMs: 10_000,
    masterContainerId: container.id,
    containers: new Map([[container.id, container]]),
  });
  const application = anApplication({ attempts: [attempt] });
  delays.containerCreated(application, container);
  delays.containerCreated(application, aContainer({ isMaster: false, createdMs: 50_000 }));
  clock.advance(2300);
  delays.attemptLaunched(application, attempt);
  clock.advance(4000);
  delays.attemptRegistered(application, attempt);
  delays.attemptRegistered(application, attempt);
  assert.deepEqual(
    [delays.allocation, delays.launch, delays.registration],
    [
      { count: 1, totalMs: 2000 },
      { count: 1, totalMs: 300 },
      { count: 1, totalMs: 4000 },
    ],
  );
});
