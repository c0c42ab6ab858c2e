import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { anApplication, anAttempt } from '../test-support/builders.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';
import { WaitingTexts } from './waiting-texts.ts';

const withoutDate = (text: string | undefined) => text?.replace(/^\[[^\]]*\] /, '');

function waiting() {
  const clock = new ManualClock();
  const application = anApplication({ attempts: [anAttempt({ state: 'SCHEDULED' })] });
  const said = { text: 'no room', calls: 0 };
  const texts = new WaitingTexts(
    { isWaiting: (other) => other === application },
    {
      explain() {
        said.calls++;
        return said.text;
      },
    },
    clock,
  );
  return { clock, application, said, texts };
}

describe('what is told of a waiting application', () => {
  it('is what the scheduler says now, with the date since which it says so', () => {
    const { clock, application, said, texts } = waiting();
    const first = texts.of(application);
    assert.equal(withoutDate(first), 'no room');
    clock.advance(5000);
    assert.equal(texts.of(application), first);
    said.text = 'over the limit';
    const second = texts.of(application);
    assert.equal(withoutDate(second), 'over the limit');
    assert.notEqual(second?.slice(0, 30), first?.slice(0, 30));
    said.text = '';
    assert.equal(texts.of(application), '');
  });

  it('may be as old as its reader allows', () => {
    const { clock, application, said, texts } = waiting();
    const first = texts.of(application, 250);
    said.text = 'over the limit';
    clock.advance(249);
    assert.equal(texts.of(application, 250), first);
    assert.equal(said.calls, 1);
    clock.advance(1);
    assert.equal(withoutDate(texts.of(application, 250)), 'over the limit');
  });

  it('is nothing where no master waits', () => {
    const { texts } = waiting();
    assert.equal(texts.of(anApplication({ attempts: [anAttempt({ state: 'SCHEDULED' })] })), undefined);
  });

  it('changes nothing when it is read', async () => {
    using world = new TracedCluster();
    world.addNode();
    const application = await world.submit({ resource: [8192, 1] });
    const { version } = application;
    world.trace();
    assert.match(world.cluster.view.waitingText(application) ?? '', /waiting for resources/);
    assert.equal(world.cluster.findAny(application.id), application);
    await world.settle();
    assert.deepEqual([application.version, application.attempts[0]!.launchDiagnostics, world.trace()], [version, '', []]);
  });
});
