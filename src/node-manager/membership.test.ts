// What is said of a node on its way into the cluster and out of it, and when.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import type { Readiness } from '../lib/role.ts';
import { Membership } from './membership.ts';

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5);

function aMembership() {
  const clock = new ManualClock(startMs);
  const told: Readiness[] = [];
  const membership = new Membership({ resourceManagerUrl: 'http://rm:8088', clock, logger: silentLogger });
  membership.onChange((now) => told.push(now));
  return { clock, told, membership };
}

describe('a node', () => {
  it('is ready when the resource manager took it up, and not before', () => {
    const { told, membership } = aMembership();
    assert.equal(membership.current.ready, false);
    membership.connected(false);
    assert.match(membership.current.reason ?? '', /has not answered the registration yet/);
    membership.registered();
    assert.deepEqual(told, [{ ready: true }]);
  });

  it('says where it finds nobody, since when and why', () => {
    const { clock, told, membership } = aMembership();
    membership.disconnected('ECONNREFUSED');
    clock.advance(1999);
    assert.deepEqual(told, [], 'it may still come');
    clock.advance(1);
    const reason = 'no connection to the resource manager at http://rm:8088 since 2026-01-02T03:04:05.000Z (ECONNREFUSED)';
    assert.deepEqual(told, [{ ready: false, reason }]);
    membership.disconnected('ECONNREFUSED');
    clock.advance(10_000);
    assert.equal(told.length, 1, 'once');
  });

  it('says why it is refused, at once, and when it is wanted again', () => {
    const { told, membership } = aMembership();
    membership.connected(false);
    membership.refused('it is excluded');
    membership.refused('it is excluded');
    const reason = 'refused by the resource manager at http://rm:8088: it is excluded';
    assert.deepEqual(told, [{ ready: false, reason }]);
    membership.registered();
    assert.deepEqual(told.at(-1), { ready: true });
  });

  it('has no hope where what answers is not believed, or does not believe it; but for one that the cluster had before', () => {
    const { told, membership } = aMembership();
    membership.unproven('another secret');
    const reason = 'refused by the resource manager at http://rm:8088: another secret';
    assert.deepEqual(told, [{ ready: false, reason, isHopeless: true }]);
    membership.disconnected('ECONNREFUSED');
    assert.equal(membership.current.isHopeless, undefined, 'nobody answers any more');
    membership.connected(false);
    membership.refused('it is excluded');
    assert.equal(membership.current.isHopeless, undefined, 'it may be wanted later');
    membership.registered();
    membership.unproven('another secret');
    assert.deepEqual(membership.current, { ready: false, reason });
  });

  it('says nothing of a resource manager that is started again, but is not ready meanwhile', () => {
    const { clock, told, membership } = aMembership();
    membership.connected(false);
    membership.registered();
    membership.disconnected();
    assert.equal(membership.current.ready, false);
    clock.advance(1500);
    membership.connected(false);
    membership.registered();
    clock.advance(5000);
    assert.deepEqual(told, [{ ready: true }]);
    membership.disconnected();
    clock.advance(2000);
    assert.deepEqual(
      told.map(({ ready }) => ready),
      [true, false],
    );
  });

  it('is ready again when the connection comes back and the session goes on: it does not register anew', () => {
    const { clock, told, membership } = aMembership();
    membership.connected(false);
    membership.registered();
    membership.disconnected();
    clock.advance(1000);
    membership.connected(true);
    assert.deepEqual(membership.current, { ready: true });
    clock.advance(5000);
    assert.deepEqual(told, [{ ready: true }], 'a short absence is not told');
    membership.disconnected();
    clock.advance(2000);
    membership.unproven('another secret');
    membership.connected(true);
    assert.deepEqual(
      told.map(({ ready }) => ready),
      [true, false, false, true],
    );
  });

  it('is not ready in a session that goes on where it was refused, or never registered', () => {
    const { membership } = aMembership();
    membership.connected(false);
    membership.disconnected();
    membership.connected(true);
    assert.equal(membership.current.ready, false);
    membership.registered();
    membership.refused('it is excluded');
    membership.disconnected();
    membership.connected(true);
    assert.equal(membership.current.ready, false);
  });

  it('is not ready while it is unhealthy, which is told once the resource manager has it', () => {
    const { told, membership } = aMembership();
    membership.checked(false);
    assert.deepEqual(told, [], 'that nobody has it yet is told in its time');
    membership.connected(false);
    membership.registered();
    const reason = 'it is unhealthy, and nothing new starts on it: "heddle node list --all" says why';
    assert.deepEqual(told, [{ ready: false, reason }]);
    membership.checked(false);
    membership.checked(true);
    assert.deepEqual(told.slice(1), [{ ready: true }]);
  });
});
