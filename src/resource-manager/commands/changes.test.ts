// Kill, move, priority, lifetime and signal: with two faults at once the one that Hadoop finds first wins.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import type { PolicyKind } from '../../scheduler/policy.ts';
import { commandMaster, encodeJob } from '../../wire/cluster/command-job.ts';
import type { Application } from '../applications/application.ts';
import type { ApplicationState } from '../applications/application-states.ts';
import type { Container } from '../applications/container.ts';
import { aContainer } from '../test-support/builders.ts';
import { accessOf, applicationOf, callerNamed, codeOf, lookupOf, queuePolicy, RememberedAudit } from '../test-support/commands.ts';
import { kill } from './kill.ts';
import { type MovePorts, move } from './move.ts';
import { setInstances } from './set-instances.ts';
import { parseExpiry, setLifetime } from './set-lifetime.ts';
import { setPriority } from './set-priority.ts';
import { signal } from './signal.ts';

const id = 'application_1_0001';
const containerId = 'container_1_0001_01_000002';
const nowMs = Date.parse('2030-01-01T00:00:00Z');

/** Ports over one application that remember what was done. */
function stand({
  application = {},
  kind,
  aclEnabled = true,
  settled = async () => undefined,
}: {
  application?: Partial<Application>;
  kind?: PolicyKind;
  aclEnabled?: boolean;
  settled?: (same: Application) => Promise<void>;
} = {}) {
  const policy = queuePolicy(kind);
  const audit = new RememberedAudit();
  const done: string[] = [];
  const changed = applicationOf(application);
  const access = accessOf(policy, audit, aclEnabled);
  const shared = { applications: lookupOf(changed), access, audit };
  const container = aContainer({ id: containerId });
  return {
    audit,
    done,
    application: changed,
    kill: {
      ...shared,
      kill: async (killed: Application, user: string, reason: string | undefined) => {
        done.push(`kill by ${user} ${reason}`);
        killed.state = 'KILLING';
        await Promise.resolve();
        killed.state = 'KILLED';
        return killed.submission.unmanaged ? ('done' as const) : ('begun' as const);
      },
    },
    move: {
      ...shared,
      policy,
      settled,
      move: async (_: Application, queue: string) => {
        done.push(`move to ${queue}`);
        return queue === 'full' ? { refused: 'it is full' } : { moved: `root.${queue}` };
      },
    },
    setPriority: {
      ...shared,
      policy,
      settled,
      setPriority: async (_: Application, priority: number) => {
        done.push(`priority ${priority}`);
        return Math.min(priority, 10);
      },
    },
    setLifetime: {
      ...shared,
      clock: new ManualClock(nowMs),
      setLifetime: async (_: Application, expiryMs: number) => void done.push(`expiry ${expiryMs}`),
    },
    setInstances: {
      ...shared,
      policy,
      settled,
      setInstances: async (_: Application, { before, after }: { before: number; after: number }) =>
        void done.push(`instances ${before} to ${after}`),
    },
    signal: {
      containers: {
        find: (wanted: string) => (wanted === containerId ? { container, application: changed } : undefined),
        signal: (_: Container, wanted: string) => void done.push(wanted),
      },
      access,
      audit,
      isUnchecked: false,
    },
  };
}

const owner = callerNamed('ada');
const other = callerNamed('eve');
const inState = (state: ApplicationState) => ({ application: { state } });

describe('killing', () => {
  it('finds the first of two faults', async () => {
    const { kill: ports } = stand(inState('KILLED'));
    assert.equal(await codeOf(() => kill(ports, other, 'job_1_1')), 'ID_MALFORMED');
    assert.equal(await codeOf(() => kill(ports, other, 'application_1_0002')), 'APPLICATION_NOT_FOUND');
    assert.equal(await codeOf(() => kill(ports, other, id)), 'KILL_REFUSED');
  });

  it('answers at the beginning of the kill, of masters outside the cluster at its end', async () => {
    const managed = stand();
    assert.deepEqual(await kill(managed.kill, owner, 'application_1_01', 'enough'), { state: 'KILLING', isDone: false });
    assert.deepEqual([managed.done, managed.audit.lines], [['kill by ada enough'], ['changed ada kill application']]);
    const unmanaged = stand({ application: { submission: { ...applicationOf().submission, unmanaged: true } } });
    assert.deepEqual(await kill(unmanaged.kill, owner, id), { state: 'KILLED', isDone: true });
  });

  it('leaves an application that has ended as it is', async () => {
    const ended = stand(inState('FINISHED'));
    assert.deepEqual(await kill(ended.kill, owner, id), { state: 'FINISHED', isDone: true });
    assert.deepEqual([ended.done, ended.audit.lines], [[], []]);
  });

  it('is open to administrators, to the list MODIFY_APP, and to all where lists are off', async () => {
    const listed = { application: { submission: { ...applicationOf().submission, modifyAcl: 'eve' } } };
    assert.equal(await codeOf(() => kill(stand().kill, callerNamed('admin'), id)), 'done');
    assert.equal(await codeOf(() => kill(stand(listed).kill, other, id)), 'done');
    assert.equal(await codeOf(() => kill(stand({ aclEnabled: false }).kill, other, id)), 'done');
    const refused = stand();
    assert.equal(await codeOf(() => kill(refused.kill, other, id)), 'KILL_REFUSED');
    assert.deepEqual([refused.audit.lines, refused.done], [['refused eve kill application'], []]);
  });
});

describe('changing how many instances a run has', () => {
  const job = { command: ['true'], instances: 2, memoryMiB: 128, vcores: 1, environment: {}, files: {}, retries: 0, attached: false };
  /** A run whose master has that much memory. */
  const aRun = (masterMiB: number, more: Partial<Application> = {}) => {
    const { submission } = applicationOf();
    const launch = { commands: ['m'], environment: { [commandMaster.variable]: encodeJob(job) }, localResources: {}, serviceData: {} };
    return stand({ application: { submission: { ...submission, type: commandMaster.type, resource: [masterMiB, 1], launch }, ...more } });
  };

  it('tells of both numbers, and of nothing where it holds already', async () => {
    const run = aRun(128);
    assert.equal(await setInstances(run.setInstances, owner, id, 2), 2);
    assert.equal(await setInstances(run.setInstances, owner, id, 5), 5);
    assert.deepEqual([run.done, run.audit.lines], [['instances 2 to 5'], ['changed ada change instances']]);
    const changed = aRun(128, { wantedInstances: 5 });
    await setInstances(changed.setInstances, owner, id, 5);
    await setInstances(changed.setInstances, owner, id, 2);
    assert.deepEqual(changed.done, ['instances 5 to 2']);
  });

  it('goes as far as its master has memory for, and no further than a run may', async () => {
    for (const [masterMiB, most] of [
      [128, 2000],
      [1024, 10_000],
    ] as const) {
      // The cluster gives no container less than 256 MiB here, whatever was asked for.
      const { setInstances: ports, done } = aRun(masterMiB);
      const least = { ...ports, policy: { minimumAllocation: () => [256, 1] } };
      for (const refused of [0, -1, 1.5, most + 1])
        assert.equal(await codeOf(() => setInstances(least, owner, id, refused)), 'INSTANCES_IMPOSSIBLE');
      assert.equal(await setInstances(least, owner, id, most), most);
      assert.deepEqual(done, [`instances 2 to ${most}`]);
    }
    const small = { ...aRun(128).setInstances, policy: { minimumAllocation: () => [1, 1] } };
    assert.equal(await codeOf(() => setInstances(small, owner, id, 201)), 'INSTANCES_IMPOSSIBLE');
    assert.equal(await setInstances(small, owner, id, 200), 200);
  });

  it('is refused to others, for what is over, and for what is no run', async () => {
    const run = aRun(128);
    assert.equal(await codeOf(() => setInstances(run.setInstances, other, id, 3)), 'INSTANCES_REFUSED');
    assert.deepEqual([run.done, run.audit.lines], [[], ['refused eve change instances']]);
    for (const state of ['FINISHED', 'KILLED', 'KILLING', 'FINAL_SAVING'] as const)
      assert.equal(await codeOf(() => setInstances(aRun(128, { state }).setInstances, owner, id, 3)), 'RUN_IS_OVER');
    assert.equal(await codeOf(() => setInstances(stand().setInstances, owner, id, 3)), 'RUN_NOT_KNOWN');
    assert.equal(await codeOf(() => setInstances(aRun(128, { state: 'SUBMITTED' }).setInstances, owner, id, 3)), 'APPLICATION_TOO_YOUNG');
    assert.equal(await codeOf(() => setInstances(run.setInstances, owner, 'application_1_0002', 3)), 'APPLICATION_NOT_FOUND');
  });
});

describe('moving', () => {
  it('finds the first of two faults', async () => {
    const young = stand(inState('SUBMITTED')).move;
    assert.equal(await codeOf(() => move(young, other, 'application_1_0002', 'closed')), 'APPLICATION_NOT_FOUND');
    assert.equal(await move(young, other, id, 'root.open'), 'root.open');
    assert.equal(await codeOf(() => move(young, other, id, 'closed')), 'MOVE_REFUSED');
    assert.equal(await codeOf(() => move(young, owner, id, 'closed')), 'MOVE_REFUSED');
    assert.equal(await codeOf(() => move(young, owner, id, 'nowhere')), 'MOVE_REFUSED');
    assert.equal(await codeOf(() => move(young, owner, id, 'open')), 'APPLICATION_NOT_MOVABLE');
    assert.equal(await codeOf(() => move(stand({ aclEnabled: false }).move, owner, id, 'full')), 'MOVE_IMPOSSIBLE');
  });

  it('moves for a user whom both queues admit, and knows the queue it is in by either name', async () => {
    const { move: ports, done, audit } = stand({ application: { user: 'bob' } });
    assert.equal(await move(ports, callerNamed('bob'), id, 'open'), 'root.open');
    assert.deepEqual(done, []);
    assert.equal(await move(ports, callerNamed('bob'), id, 'closed'), 'root.closed');
    assert.deepEqual([done, audit.lines], [['move to closed'], ['changed bob move application']]);
  });

  it('knows the queue by its very name alone where nothing can be moved', async () => {
    const { move: ports, done } = stand({ application: { user: 'bob' } });
    const still: MovePorts = { ...ports, policy: { resolveQueue: (queue) => ports.policy.resolveQueue(queue) } };
    assert.equal(await move(still, callerNamed('bob'), id, 'root.open'), 'root.open');
    await move(still, callerNamed('bob'), id, 'open');
    assert.deepEqual(done, ['move to open'], 'it is the policy that refuses');
  });

  it('writes both refusals into the audit log', async () => {
    const { move: ports, audit } = stand();
    await codeOf(() => move(ports, other, id, 'open2'));
    await codeOf(() => move(ports, owner, id, 'closed'));
    assert.deepEqual(audit.lines, ['refused eve move application', 'refused ada move application']);
  });
});

describe('setting the priority', () => {
  it('finds the first of two faults', async () => {
    assert.equal(await setPriority(stand(inState('KILLED')).setPriority, other, id, 0), 0);
    assert.equal(await codeOf(() => setPriority(stand(inState('KILLED')).setPriority, other, id, 9)), 'PRIORITY_REFUSED');
    assert.equal(await setPriority(stand(inState('KILLED')).setPriority, owner, id, 9), 0);
    assert.equal(await codeOf(() => setPriority(stand(inState('SUBMITTED')).setPriority, owner, id, 9)), 'APPLICATION_TOO_YOUNG');
    assert.equal(await codeOf(() => setPriority(stand({ kind: 'fair' }).setPriority, owner, id, 9)), 'PRIORITY_IMPOSSIBLE');
    assert.equal(await codeOf(() => setPriority(stand().setPriority, owner, id, 9)), 'PRIORITY_IMPOSSIBLE');
  });

  it('answers what is so already when that is durable, and sets it where it was taken back', async () => {
    const { setPriority: ports, done } = stand({
      application: { priority: 4 },
      settled: async (same) => {
        done.push('settled');
        same.priority = 0;
      },
    });
    assert.equal(await setPriority(ports, owner, id, 4), 4);
    assert.deepEqual(done, ['settled', 'priority 4']);
  });

  it('sets what the queue lets the user have', async () => {
    const { setPriority: ports, done, audit } = stand();
    assert.equal(await setPriority(ports, owner, id, 4), 4);
    assert.deepEqual([done, audit.lines], [['priority 4'], ['changed ada change priority']]);
  });
});

describe('setting the lifetime', () => {
  const past = { type: 'LIFETIME', expiry: '2029-01-01T00:00:00.000+0000' };
  const later = { type: 'LIFETIME', expiry: '2031-01-01T00:00:00.000+0000' };

  it('finds the first of two faults', async () => {
    const at = (state: ApplicationState) => stand(inState(state)).setLifetime;
    const malformed = { type: 'LIFETIME', expiry: 'tomorrow' };
    assert.equal(
      await codeOf(() => setLifetime(at('RUNNING'), other, 'application_1_0002', { type: 'IDLE', expiry: 'tomorrow' })),
      'APPLICATION_NOT_FOUND',
    );
    assert.equal(await codeOf(() => setLifetime(at('RUNNING'), other, id, { type: 'IDLE', expiry: 'tomorrow' })), 'TIMEOUT_INCOMPLETE');
    assert.equal(await codeOf(() => setLifetime(at('SUBMITTED'), other, id, malformed)), 'TIMEOUT_REFUSED');
    assert.equal(await codeOf(() => setLifetime(at('KILLED'), owner, id, malformed)), 'done');
    assert.equal(await codeOf(() => setLifetime(at('SUBMITTED'), owner, id, malformed)), 'TIMEOUT_NOT_PARSABLE');
    assert.equal(await codeOf(() => setLifetime(at('SUBMITTED'), owner, id, past)), 'APPLICATION_TOO_YOUNG');
    assert.equal(await codeOf(() => setLifetime(at('RUNNING'), owner, id, past)), 'TIMEOUT_IN_THE_PAST');
    assert.equal(
      await codeOf(() => setLifetime(at('RUNNING'), owner, id, { type: 'LIFETIME', expiry: undefined })),
      'TIMEOUT_NOT_PARSABLE',
    );
  });

  it('hands on the moment that the text names', async () => {
    const { setLifetime: ports, done, application } = stand();
    assert.equal(await setLifetime(ports, owner, id, later), application);
    assert.deepEqual(done, [`expiry ${Date.parse('2031-01-01T00:00:00Z')}`]);
  });

  it('reads the one form and says where another stops making sense', () => {
    assert.equal(parseExpiry('2036-01-01T00:00:00.000+0530'), Date.parse('2035-12-31T18:30:00.000Z'));
    const stops = (text: string) => assert.throws.bind(undefined, () => parseExpiry(text));
    stops('2036-01-01T00:00:00.000+00:00')(/could not be parsed at index 23$/);
    stops('2036-01-01T00:00:00.000Z')(/index 23$/);
    stops('2036-01-01T00:00:00+0000')(/index 19$/);
    stops('2036-99-01T00:00:00.000+0000')(/index 0$/);
    stops('tomorrow')(/Text 'tomorrow' could not be parsed at index 0$/);
  });
});

describe('signalling', () => {
  it('finds the first of two faults', async () => {
    const { signal: ports, audit, done } = stand();
    assert.equal(await codeOf(() => signal(ports, other, 'container', 'STOP')), 'SIGNAL_UNKNOWN');
    assert.equal(await codeOf(() => signal(ports, other, 'container', 'graceful_shutdown')), 'SIGNAL_ID_MALFORMED');
    assert.equal(await codeOf(() => signal(ports, other, 'container_1_0001_01_000009', 'GRACEFUL_SHUTDOWN')), 'SIGNAL_CONTAINER_ABSENT');
    assert.equal(await codeOf(() => signal(ports, other, containerId, 'GRACEFUL_SHUTDOWN')), 'SIGNAL_REFUSED');
    assert.deepEqual([done, audit.lines], [[], ['refused eve signal container']]);
  });

  it('signals for the owner in any case of letters, and for all where nothing is checked', async () => {
    const { signal: ports, done } = stand();
    signal(ports, owner, containerId, 'output_thread_dump');
    signal({ ...ports, isUnchecked: true }, other, containerId, 'FORCEFUL_SHUTDOWN');
    assert.deepEqual(done, ['OUTPUT_THREAD_DUMP', 'FORCEFUL_SHUTDOWN']);
  });
});
