import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import type { PolicyKind } from '../../scheduler/policy.ts';
import { SubmissionKeys } from '../applications/submission-keys.ts';
import { accessOf, bareSubmission, callerNamed, queuePolicy, RememberedAudit, types } from '../test-support/commands.ts';
import type { Admitted } from './admission.ts';
import type { SubmissionRequest } from './submission-request.ts';
import { type SubmitPorts, submit } from './submit.ts';

const id = 'application_1_0001';
const amount = (memoryMiB: number, vcores: number) => ({ memoryMiB, vcores, others: new Map<string, number>() });

const requestOf = (more: Partial<SubmissionRequest> = {}): SubmissionRequest => bareSubmission(id, more);

function stand(
  options: {
    kind?: PolicyKind;
    known?: Promise<void>;
    aclEnabled?: boolean;
    settings?: Partial<SubmitPorts['admission']['settings']>;
  } = {},
) {
  const policy = queuePolicy(options.kind);
  const audit = new RememberedAudit();
  const created: (Admitted & { readonly user: string })[] = [];
  const reserved: number[] = [];
  const ports: SubmitPorts = {
    applications: {
      submissionOf: () => options.known,
      beyondRoom: (_user, { name }) => (name.length > 100 ? 'there is no room' : undefined),
      reserveId: (_timestamp, sequence) => void reserved.push(sequence),
      create: async (application) => void created.push(application),
    },
    admission: {
      policy,
      access: accessOf(policy, audit, options.aclEnabled),
      types,
      settings: { masterLabel: undefined, taggingUsers: undefined, ...options.settings },
    },
    limits: () => ({ configuredMaximum: policy.configuredMaximum(), maximumTags: 2, maximumTagLength: 5, lowerCaseTags: true, types }),
    audit,
    keys: new SubmissionKeys(),
    clock: { now: () => 1000 },
  };
  return { ports, policy, audit, created, reserved };
}

/** The text with which a submission is refused, `accepted` for none. */
async function answerOf(request: SubmissionRequest, user = 'ada', options: Parameters<typeof stand>[0] = {}): Promise<string> {
  try {
    await submit(stand(options).ports, callerNamed(user), request);
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof Failure, String(error));
    return error.message;
  }
}

/** Faults in the order in which they are found; each is a submission with that one fault. */
const faults: readonly (readonly [name: string, fault: Partial<SubmissionRequest>, text: RegExp])[] = [
  [
    'no request for anywhere',
    { masterRequests: [{ resourceName: 'n1', capability: undefined, labelExpression: undefined, relaxLocality: undefined }] },
    /no resource request specified with \*$/,
  ],
  ['too many cores', { resource: amount(9000, 5) }, /^Requested more cores than configured max$/],
  ['too much memory', { resource: amount(9000, 1) }, /^Requested more memory than configured max$/],
  ['a malformed reservation', { reservationId: 'none' }, /reservation id is invalid: none$/],
  ['too many tags', { tags: ['a', 'b', 'größe'] }, /Too many applicationTags/],
  ['a long tag', { tags: ['größte'] }, /Tag größte is too long/],
  ['a tag outside ASCII', { tags: ['größe'] }, /can only have ASCII characters/],
  ['an unknown timeout', { timeouts: new Map([['IDLE', 0]]) }, /^IDLE is not a timeout/],
  ['a timeout of no time', { timeouts: new Map([['lifetime', 0]]) }, /^Invalid application timeout, value=0 for type=LIFETIME$/],
  [
    'an empty queue',
    { queue: '' },
    /^Failed to place application application_1_0001 in a queue and submit context queue is null or empty$/,
  ],
  ['a negative size', { resource: amount(-1, 1) }, /requested resource is less than 0/],
  ['a label', { applicationLabelExpression: 'gpu' }, /node label not enabled/],
  ['a priority above that of the user', { priority: 6 }, /does not have permission to submit\/update application_1_0001 for 6$/],
  [
    'a queue that is closed',
    { queue: 'closed' },
    /AccessControlException: User ada does not have permission to submit application_1_0001 to queue/,
  ],
  ['more than there is room for', { name: 'x'.repeat(101) }, /^there is no room$/],
];

describe('submitting', () => {
  for (const [name, fault, text] of faults) it(`is refused for ${name}`, async () => assert.match(await answerOf(requestOf(fault)), text));

  it('names the first of two faults', async () => {
    const wrong: string[] = [];
    for (const [at, [name, fault, text]] of faults.entries()) {
      for (const [later, second] of faults.slice(at + 1)) {
        // Two faults of the same member cannot be had at once.
        if (Object.keys(fault).some((member) => member in second)) continue;
        const answer = await answerOf(requestOf({ ...second, ...fault }));
        if (!text.test(answer)) wrong.push(`${name} with ${later}: ${answer}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  // docs/protocol.md, P17.
  describe('under a key', () => {
    const digest = 'd'.repeat(43);
    const numbered = (sequence: number) => requestOf({ applicationId: `application_1_000${sequence}` });
    const codeOf = async (answer: Promise<string>) => (await answer.catch((error: Failure) => error)) as { readonly code?: string };

    it('happens once: the same again is given the same application, also while it is being stored', async () => {
      const { ports, created } = stand();
      let stored: () => void = () => undefined;
      const durable = new Promise<void>((resolve) => {
        stored = resolve;
      });
      ports.applications.create = async (application) => {
        created.push(application);
        await durable;
      };
      ports.applications.submissionOf = (id) => (created.some(({ submission }) => submission.applicationId === id) ? durable : undefined);
      const first = submit(ports, callerNamed('ada'), numbered(1), { key: 'k', digest });
      const second = submit(ports, callerNamed('ada'), numbered(2), { key: 'k', digest });
      stored();
      assert.deepEqual(await Promise.all([first, second]), ['application_1_0001', 'application_1_0001']);
      assert.equal(created.length, 1);
      // Of another user it is another key.
      assert.equal(await submit(ports, callerNamed('bob'), numbered(3), { key: 'k', digest }), 'application_1_0003');
    });

    it('is refused for another request, and for a key that no header carries', async () => {
      const { ports, created } = stand();
      await submit(ports, callerNamed('ada'), numbered(1), { key: 'k', digest });
      const other = submit(ports, callerNamed('ada'), numbered(2), { key: 'k', digest: 'e'.repeat(43) });
      assert.equal((await codeOf(other)).code, 'SUBMISSION_KEY_TAKEN');
      for (const key of ['', 'a b', 'ä', 'x'.repeat(256)])
        assert.equal((await codeOf(submit(ports, callerNamed('ada'), numbered(2), { key, digest }))).code, 'SUBMISSION_KEY_MALFORMED', key);
      assert.equal(created.length, 1);
    });

    it('may be tried again under the same key where it was refused or could not be stored', async () => {
      const { ports, created } = stand();
      const refused = submit(ports, callerNamed('ada'), requestOf({ queue: 'closed' }), { key: 'k', digest });
      assert.equal((await codeOf(refused)).code, 'SUBMISSION_REFUSED');
      const { create } = ports.applications;
      ports.applications.create = () => Promise.reject(new Error('the disk is full'));
      await assert.rejects(submit(ports, callerNamed('ada'), numbered(2), { key: 'k', digest }), /disk/);
      ports.applications.create = create;
      assert.equal(await submit(ports, callerNamed('ada'), numbered(3), { key: 'k', digest }), 'application_1_0003');
      assert.equal(created.length, 1);
    });
  });

  it('fills in what was not said', async () => {
    const { ports, created, audit, reserved } = stand();
    await submit(ports, callerNamed('ada'), requestOf());
    const { submission, queue, mapped, user } = created[0]!;
    assert.deepEqual([queue, mapped, user, reserved], ['open', false, 'ada', [1]]);
    const { name, type, priority, resource, maximumAttempts, failuresValidityIntervalMs, lifetimeSeconds } = submission;
    assert.deepEqual(
      { name, type, priority, resource, maximumAttempts, failuresValidityIntervalMs, lifetimeSeconds },
      {
        name: 'N/A',
        type: 'YARN',
        priority: 0,
        resource: [0, 0],
        maximumAttempts: 0,
        failuresValidityIntervalMs: -1,
        lifetimeSeconds: undefined,
      },
    );
    assert.deepEqual(audit.lines, ['changed ada submit application']);
  });

  it('cuts the type, and sorts and lower-cases tags once', async () => {
    const { ports, created } = stand();
    await submit(ports, callerNamed('ada'), requestOf({ type: 'a type of more than twenty letters', tags: ['b', 'A', 'b'] }));
    assert.deepEqual([created[0]!.submission.type, created[0]!.submission.tags], ['a type of more than ', ['a', 'b']]);
  });

  it('takes the request for anywhere as the size, the others as places', async () => {
    const { ports, created } = stand();
    const request = (resourceName: string | undefined, memoryMiB: number) => ({
      resourceName,
      capability: amount(memoryMiB, 1),
      labelExpression: undefined,
      relaxLocality: false,
    });
    const masterRequests = [request(undefined, 512), request('n1', 9999), request('/r1', 9999)];
    await submit(
      ports,
      callerNamed('ada'),
      requestOf({ resource: amount(1, 1), masterRequests, masterBlacklisting: { enabled: true, threshold: 2 } }),
    );
    const { resource, masterPlaces, masterBlacklisting } = created[0]!.submission;
    assert.deepEqual(
      [resource, masterPlaces, masterBlacklisting],
      [[512, 1], { nodes: ['n1'], racks: ['/r1'], relaxed: false }, { enabled: true }],
    );
    assert.match(
      await answerOf(requestOf({ masterRequests: [request('*', 1), request(undefined, 1)] })),
      /only one resource request with \* is allowed$/,
    );
  });

  it('asks nothing of an id that is known: it waits for the first write alone', async () => {
    const { ports, created, audit } = stand({ known: Promise.resolve() });
    await submit(ports, callerNamed('ada'), requestOf({ queue: 'closed' }));
    assert.deepEqual([created, audit.lines], [[], []]);
    await assert.rejects(submit(stand({ known: Promise.reject(new Error('disk')) }).ports, callerNamed('ada'), requestOf()), /disk/);
  });

  it('writes a refusal into the audit log and creates nothing', async () => {
    const { ports, created, audit, reserved } = stand();
    await assert.rejects(submit(ports, callerNamed('ada'), requestOf({ queue: 'closed' })));
    assert.deepEqual([audit.lines, created, reserved], [['refused ada submit application'], [], []]);
  });

  it('lets those in the list of the queue and administrators pass, and every user where lists are off', async () => {
    assert.equal(await answerOf(requestOf({ queue: 'closed' }), 'bob'), 'accepted');
    assert.equal(await answerOf(requestOf({ queue: 'closed' }), 'ada', { aclEnabled: false }), 'accepted');
    assert.match(await answerOf(requestOf({ queue: 'closed' }), 'ada', { kind: 'fair' }), /denied by ACL for queue root\.closed$/);
  });

  it('takes no priority where the policy knows none', async () => {
    for (const [kind, priority] of [
      ['capacity', 3],
      ['fair', 0],
      ['fifo', 0],
    ] as const) {
      const { ports, created } = stand({ kind });
      await submit(ports, callerNamed('ada'), requestOf({ priority: 3 }));
      assert.equal(created[0]!.submission.priority, priority, kind);
    }
  });

  it('holds the size of a master against what nodes have now', async () => {
    const { ports, policy } = stand();
    const node = { nodeId: 'n1:1', host: 'n1', rack: '/r', resource: [2048, 4], label: '' };
    policy.addNode(node);
    await assert.rejects(
      submit(ports, callerNamed('ada'), requestOf({ resource: amount(4096, 1) })),
      /maximum allowed allocation=<memory:2048, vCores:4>, please note.*=<memory:8192, vCores:4>$/,
    );
  });

  it('gives masters that name no label the label of the cluster, masters outside it none', async () => {
    const settings = { masterLabel: 'core' };
    assert.match(await answerOf(requestOf(), 'ada', { settings }), /node label not enabled/);
    assert.equal(await answerOf(requestOf({ unmanaged: true }), 'ada', { settings }), 'accepted');
  });

  it('places as the tagged user for listed gateways that may use the queue of that user', async () => {
    const queues: (string | undefined)[] = [];
    for (const user of ['hue', 'gate', 'bob']) {
      const { ports, created } = stand({ settings: { taggingUsers: ['hue', 'gate'] } });
      const limits = () => ({ ...ports.limits(), maximumTagLength: 20 });
      const tagged = user === 'bob' ? 'userid=ada' : 'userid=bob';
      await submit({ ...ports, limits }, callerNamed(user), requestOf({ queue: undefined, tags: [tagged] }));
      queues.push(created[0]?.queue);
    }
    // hue places as bob; gate may not use bob's queue; bob is no gateway and stays bob.
    assert.deepEqual(queues, ['root.closed', 'default', 'root.closed']);
  });
});
