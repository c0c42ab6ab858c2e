import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { PacedTurns } from '../../lib/paced-turns.ts';
import { Failure } from '../../model/errors.ts';
import { SubmissionKeys } from '../applications/submission-keys.ts';
import { accessOf, callerNamed, queuePolicy, RememberedAudit, types } from '../test-support/commands.ts';
import type { SubmissionRequest } from './submission-request.ts';
import { type CommandRequest, commandSubmission } from './submit-command.ts';
import { type TrySubmissionPorts, trySubmission } from './try-submission.ts';

const ada = callerNamed('ada');
const requestOf = (more: Partial<SubmissionRequest> = {}): SubmissionRequest => ({
  ...{ applicationId: 'application_1_0001', name: undefined, queue: 'open', priority: -1, type: undefined, tags: [] },
  ...{ unmanaged: undefined, maximumAttempts: undefined, keepContainers: undefined, failuresValidityIntervalMs: undefined },
  ...{ resource: undefined, masterRequests: [], masterBlacklisting: undefined, viewAcl: undefined, modifyAcl: undefined },
  ...{ applicationLabelExpression: undefined, masterLabelExpression: undefined, logAggregation: undefined, reservationId: undefined },
  launch: { commands: [], environment: {}, localResources: {}, serviceData: {} },
  timeouts: undefined,
  ...more,
});
const runOf = (more: Partial<CommandRequest> = {}): CommandRequest => ({
  ...{ command: ['true'], instances: undefined, memoryMiB: undefined, vcores: undefined, retries: undefined, opportunistic: undefined },
  ...{ resources: new Map(), environment: new Map(), files: new Map(), secrets: new Map() },
  ...more,
});

function stand({ mostWaiting = 2 } = {}) {
  const policy = queuePolicy();
  const audit = new RememberedAudit();
  const known = new Set<string>();
  const keys = new SubmissionKeys();
  const clock = new ManualClock();
  const changed = (): never => {
    throw new Error('something was changed');
  };
  const ports: TrySubmissionPorts = {
    submit: {
      applications: {
        beyondRoom: () => undefined,
        submissionOf: (id) => (known.has(id) ? Promise.resolve() : undefined),
        reserveId: changed,
        create: changed,
      },
      admission: { policy, access: accessOf(policy, audit), types, settings: { masterLabel: undefined, taggingUsers: undefined } },
      limits: () => ({ configuredMaximum: policy.configuredMaximum(), maximumTags: 2, maximumTagLength: 5, lowerCaseTags: true, types }),
      audit,
      keys,
      clock,
    },
    ...{ policy, types, handlesConstraints: true },
    turns: {
      placement: new PacedTurns(clock, { restPart: 9, mostWaiting }),
      admission: new PacedTurns(clock, { restPart: 3, mostWaiting }),
    },
  };
  for (let i = 0; i < 2; i++) policy.addNode({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/r', resource: [4096, 4], label: '' });
  return { ports, policy, audit, known, keys, clock };
}

/** What is promised, less the entity. */
async function promised(ports: TrySubmissionPorts, request: SubmissionRequest) {
  const tried = await trySubmission(ports, ada, request);
  assert.ok(!('takenBefore' in tried));
  return tried;
}

describe('a submission that is only tried', () => {
  it('is told its queue, its priority, its sizes and its places, and leaves nothing', async () => {
    const { ports, policy, audit } = stand();
    const before = JSON.stringify(policy.describe());
    const request = commandSubmission(requestOf({ timeouts: new Map([['LIFETIME', 60]]) }), runOf({ instances: 3, memoryMiB: 1000 }));
    const { queue, mapped, priority, rejected, lifetimeSeconds, containers } = await promised(ports, request);
    assert.deepEqual([queue, mapped, priority, rejected, lifetimeSeconds], ['root.open', false, -1, undefined, 60]);
    assert.deepEqual(
      containers.map(({ role, count, resource, nodes, waiting, refused }) => [role, count, resource, [...nodes], waiting, refused]),
      [
        ['master', 1, [128, 1], [['n0:1', 1]], 0, undefined],
        [
          'instance',
          3,
          [1024, 1],
          [
            ['n1:1', 2],
            ['n0:1', 1],
          ],
          0,
          undefined,
        ],
      ],
    );
    assert.equal(JSON.stringify(policy.describe()), before);
    assert.deepEqual(audit.lines, []);
  });

  it('is refused what the submission is refused, and that is audited', async () => {
    const { ports, audit } = stand();
    const code = (request: SubmissionRequest) =>
      trySubmission(ports, ada, request).then(
        () => 'taken',
        (error) => (error instanceof Failure ? error.code : String(error)),
      );
    assert.equal(await code(requestOf({ tags: ['a', 'b', 'c'] })), 'TOO_MANY_TAGS');
    assert.equal(await code(requestOf({ queue: 'closed' })), 'SUBMISSION_REFUSED');
    assert.equal(await code(requestOf({ resource: { memoryMiB: 9000, vcores: 1, others: new Map() } })), 'TOO_MUCH_MEMORY');
    assert.deepEqual(audit.lines, ['refused ada try a submission']);
  });

  it('is told what it would repeat', async () => {
    const { ports, known, keys, clock } = stand();
    known.add('application_1_0001');
    assert.deepEqual(await trySubmission(ports, ada, requestOf()), { takenBefore: 'application_1_0001' });
    keys.take({ key: 'k', digest: 'd', applicationId: 'application_1_0009', user: 'ada', takenMs: clock.now() });
    const other = requestOf({ applicationId: 'application_1_0002' });
    assert.deepEqual(await trySubmission(ports, ada, other, { key: 'k', digest: 'd' }), { takenBefore: 'application_1_0009' });
    await assert.rejects(trySubmission(ports, ada, other, { key: 'k', digest: 'e' }), { code: 'SUBMISSION_KEY_TAKEN' });
  });

  it('is told that its master would be refused its instances, and what waits where there is no room', async () => {
    const { ports } = stand();
    const tooLarge = await promised(ports, commandSubmission(requestOf(), runOf({ memoryMiB: 9000 })));
    assert.match(
      tooLarge.containers[1]!.refused!,
      /^a container of 9000 MiB, 1 vcore is more than the largest allowed \(\d+ MiB, \d+ vcores\)$/,
    );
    const many = await promised(ports, commandSubmission(requestOf(), runOf({ instances: 20 })));
    const [, { waiting, reasons }] = many.containers as [unknown, (typeof many.containers)[number]];
    assert.ok(waiting > 0 && reasons.length > 0, JSON.stringify([waiting, reasons]));
    const unknown = await promised(ports, requestOf({ queue: 'nowhere' }));
    assert.match(unknown.rejected!, /unknown queue: nowhere/);
  });

  it('is told whether it would be refused without a look at what runs, in turns of their own', async () => {
    const { ports, policy } = stand({ mostWaiting: 1 });
    // The other kind of turn is taken, and somebody waits for it.
    const placed = trySubmission(ports, ada, requestOf());
    const admission = async (request: SubmissionRequest) => {
      const tried = await trySubmission(ports, ada, request, undefined, 'admission');
      assert.ok(!('takenBefore' in tried));
      return tried;
    };
    const before = JSON.stringify(policy.describe());
    const { queue, rejected, containers } = await admission(commandSubmission(requestOf(), runOf({ instances: 20 })));
    assert.deepEqual([queue, rejected], ['root.open', undefined]);
    assert.deepEqual(
      containers.map(({ role, count, resource, nodes, waiting, reasons }) => [role, count, resource, nodes.size, waiting, reasons.length]),
      [
        ['master', 1, [128, 1], 0, 0, 0],
        ['instance', 20, [1024, 1], 0, 0, 0],
      ],
    );
    assert.match((await admission(requestOf({ queue: 'nowhere' }))).rejected!, /unknown queue: nowhere/);
    await assert.rejects(admission(requestOf({ queue: 'closed' })), { code: 'SUBMISSION_REFUSED' });
    assert.equal(JSON.stringify(policy.describe()), before);
    await placed;
  });

  it('names the types of resources there are, where it asks for another one, however it is tried', async () => {
    const { ports } = stand();
    const unknown = commandSubmission(requestOf(), runOf({ resources: new Map([['yarn.io/gpu', 1]]) }));
    for (const depth of ['admission', 'placement'] as const) {
      const tried = await trySubmission(ports, ada, unknown, undefined, depth);
      assert.ok(!('takenBefore' in tried));
      assert.equal(
        tried.containers[1]!.refused,
        'there is no resource type yarn.io/gpu in this cluster; those there are: memory-mb, vcores',
      );
    }
  });

  it('waits for its turn, and is turned away where too many wait', async () => {
    const { ports } = stand({ mostWaiting: 2 });
    const all = [1, 2, 3].map(() => trySubmission(ports, ada, requestOf()));
    const settled = await Promise.allSettled(all);
    assert.deepEqual(
      settled.map((each) => (each.status === 'fulfilled' ? 'tried' : (each.reason as Failure).code)),
      ['tried', 'tried', 'OVERLOADED'],
    );
  });
});
