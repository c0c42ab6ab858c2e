// The client protocol of a real resource manager over real connections: what Hadoop's own answers to wrong requests were, and what programs ask.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { seededRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { framesOf, probed, recordedProbes } from '../../rpc/test-support/probes.ts';
import { RefusedCall, RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import { applicationClientProtocol as protocol } from '../../wire/rpc/protocols/application-client.ts';
import { start } from '../server.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-rpc-'));
let manager: RunningRole;
let address: string;
/** Lines of the log, the audit among them. */
const audited: string[] = [];

before(async () => {
  // Only administrators administer queues: owners' applications are their own.
  const properties = {
    'root.queues': 'default,few',
    'root.default.capacity': '70',
    'root.few.capacity': '30',
    'root.few.queues': 'fewer,rest',
    'root.few.fewer.capacity': '40',
    'root.few.rest.capacity': '60',
    'root.acl_administer_queue': ' ',
  };
  const xml = Object.entries(properties).map(
    ([key, value]) => `<property><name>yarn.scheduler.capacity.${key}</name><value>${value}</value></property>`,
  );
  writeFileSync(join(folder, 'capacity-scheduler.xml'), `<configuration>${xml.join('')}</configuration>`);
  const configuration = loadConfiguration({
    confDir: folder,
    dataDir: join(folder, 'data'),
    set: {
      'yarn.resourcemanager.webapp.address': '127.0.0.1:0',
      'yarn.resourcemanager.address': '127.0.0.1:0',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': 'boss',
      'ipc.client.connection.maxidletime': '60s',
    },
  });
  manager = await start(configuration, {
    clock: systemClock,
    logger: pino({ level: 'info' }, { write: (line) => void audited.push(line) }),
    random: seededRandom(7),
  });
  address = manager.addresses['rpc']!;
});
after(async () => {
  await manager.close();
  rmSync(folder, { recursive: true });
});

/** What depends on the recorded cluster: its queues, its keys; an internal error of Hadoop's. */
const elsewhere = new Set([
  'two calls in one write',
  'submit to an unknown queue',
  'SASL asked where simple is enough',
  'submit without a context',
]);

describe('recorded requests that are wrong in one way', () => {
  for (const probe of recordedProbes(8032).filter(({ probe: name }) => !elsewhere.has(name)))
    it(`${probe.probe}`, async () => {
      const answer = await probed(address, probe);
      assert.equal(answer.closed, probe.closed);
      const expected = Buffer.from(probe.received, 'base64');
      // Neither HTTP nor what clients of old versions are told has frames; a cluster without nodes has shorter answers.
      if (probe.probe === 'HTTP to the port' || probe.probe === 'IPC version 8') assert.deepEqual(answer.bytes, expected);
      else assert.deepEqual(withoutSizes(framesOf(answer.bytes)), withoutSizes(framesOf(expected)));
    });
});

const withoutSizes = (frames: object[]): object[] => frames.map((frame) => ({ ...frame, bytes: 0 }));

describe('a login', () => {
  it('is offered tokens and names', async () => {
    using client = new RpcTestClient(address);
    client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    client.sasl({ state: 'NEGOTIATE' });
    const { state, auths } = await client.saslReply();
    assert.equal(state, 'NEGOTIATE');
    assert.deepEqual(
      auths.map(({ method, mechanism }) => [method, mechanism]),
      [
        ['TOKEN', 'DIGEST-MD5'],
        ['SIMPLE', ''],
      ],
    );
    client.sasl({ state: 'INITIATE', auths: [{ method: 'SIMPLE', mechanism: '' }] });
    client.context({ effectiveUser: 'ann' }, protocol.name);
    assert.equal((await client.call(protocol, 'getClusterMetrics', {})).cluster_metrics?.num_node_managers, 0);
  });

  it('with a token that nobody made is refused, and closed', async () => {
    using client = new RpcTestClient(address);
    client.send(Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0xdf]));
    client.sasl({ state: 'NEGOTIATE' });
    const challenge = Buffer.from((await client.saslReply()).auths[0]!.challenge!).toString();
    const nonce = /nonce="([^"]+)"/.exec(challenge)![1]!;
    const token = Buffer.from(
      `username="eA==",realm="default",nonce="${nonce}",nc=00000001,cnonce="x",digest-uri="/default",response=${'0'.repeat(32)},qop=auth`,
    );
    client.sasl({ state: 'INITIATE', auths: [{ method: 'TOKEN', mechanism: 'DIGEST-MD5', protocol: '', serverId: 'default' }], token });
    const reply = await client.reply();
    assert.equal(reply?.header.status, 'FATAL');
    assert.equal(reply?.header.exceptionClassName, 'org.apache.hadoop.security.token.SecretManager$InvalidToken');
    await client.closed;
  });
});

/** The class of the exception that a call is refused with, and the first line of what it says. */
async function refusalOf(call: Promise<unknown>): Promise<readonly [exception: string | undefined, text: string | undefined]> {
  try {
    await call;
    return [undefined, undefined];
  } catch (error) {
    assert.ok(error instanceof RefusedCall, String(error));
    const { exceptionClassName, errorMsg } = error.header;
    return [exceptionClassName?.replace('org.apache.hadoop.yarn.exceptions.', ''), errorMsg?.split('\n')[0]];
  }
}
const classOf = async (call: Promise<unknown>) => (await refusalOf(call))[0];

const idOf = async (client: RpcTestClient) => (await client.call(protocol, 'getNewApplication', {})).application_id!;
const submission = (application_id: Awaited<ReturnType<typeof idOf>>, more: object = {}) => ({
  application_submission_context: {
    application_id,
    application_name: 'by rpc',
    queue: 'default',
    applicationType: 'TEST',
    applicationTags: ['one'],
    am_container_spec: { command: ['true'], environment: [{ key: 'A', value: 'b' }] },
    resource: { memory: 512, virtual_cores: 1 },
    ...more,
  },
});

describe('an application', () => {
  it('is submitted, reported, listed, changed and killed', async () => {
    using client = RpcTestClient.named(address, 'ann', protocol.name);
    const application_id = await idOf(client);
    await client.call(protocol, 'submitApplication', submission(application_id));
    const { application_report: report } = await client.call(protocol, 'getApplicationReport', { application_id });
    assert.deepEqual(
      [report?.user, report?.name, report?.queue, report?.applicationType, report?.applicationTags, report?.yarn_application_state],
      ['ann', 'by rpc', 'root.default', 'TEST', ['one'], 'ACCEPTED'],
    );
    assert.deepEqual([report?.host, report?.rpc_port, report?.originalTrackingUrl], ['N/A', -1, 'N/A']);
    const listed = await client.call(protocol, 'getApplications', {
      application_states: ['ACCEPTED'],
      applicationTags: ['ONE'],
      users: ['ann'],
    });
    assert.deepEqual(
      listed.applications.map(({ applicationId }) => applicationId),
      [application_id],
    );
    assert.deepEqual((await client.call(protocol, 'getApplications', { application_types: ['OTHER'] })).applications, []);
    const priority = await client.call(protocol, 'updateApplicationPriority', {
      applicationId: application_id,
      applicationPriority: { priority: 0 },
    });
    assert.equal(priority.applicationPriority?.priority, 0);
    const attempts = await client.call(protocol, 'getApplicationAttempts', { application_id });
    assert.equal(attempts.application_attempts[0]?.yarn_application_attempt_state, 'APP_ATTEMPT_SCHEDULED');
    assert.equal((await client.call(protocol, 'forceKillApplication', { application_id })).is_kill_completed, false);
    const killed = await client.call(protocol, 'forceKillApplication', { application_id });
    assert.equal(killed.is_kill_completed, true);
    const ended = await client.call(protocol, 'getApplicationReport', { application_id });
    assert.deepEqual(
      [ended.application_report?.yarn_application_state, ended.application_report?.final_application_status],
      ['KILLED', 'APP_KILLED'],
    );
    assert.match(ended.application_report?.diagnostics ?? '', /was killed by user ann at 127\.0\.0\.1$/);
    assert.equal((await client.call(protocol, 'getApplications', { application_states: ['KILLED'], limit: 1 })).applications.length, 1);
  });

  it('of another is neither shown in full nor killed', async () => {
    using ann = RpcTestClient.named(address, 'ann', protocol.name);
    using eve = RpcTestClient.named(address, 'eve', protocol.name);
    const application_id = await idOf(ann);
    await ann.call(protocol, 'submitApplication', submission(application_id));
    const seen = (await eve.call(protocol, 'getApplicationReport', { application_id })).application_report;
    assert.deepEqual([seen?.user, seen?.currentApplicationAttemptId?.attemptId, seen?.diagnostics], ['ann', -1, 'N/A']);
    assert.ok((seen?.startTime ?? 0) > 0, 'when it was submitted is no secret');
    const id = `application_${application_id.cluster_timestamp}_${String(application_id.id).padStart(4, '0')}`;
    const application_attempt_id = { application_id, attemptId: 1 };
    const mayNotModify = `java.security.AccessControlException: User eve cannot perform operation MODIFY_APP on ${id}`;
    const mayNotSee = (what: string) => `User eve does not have privilege to see this ${what}`;
    const expire = { application_timeout_type: 'APP_TIMEOUT_LIFETIME', expire_time: '2090-01-01T00:00:00.000+0000' } as const;
    for (const [call, text] of [
      [() => eve.call(protocol, 'forceKillApplication', { application_id }), mayNotModify],
      [() => eve.call(protocol, 'getApplicationAttempts', { application_id }), mayNotSee(`application ${id}`)],
      [() => eve.call(protocol, 'getContainers', { application_attempt_id }), mayNotSee(`application ${id}`)],
      [
        () => eve.call(protocol, 'getApplicationAttemptReport', { application_attempt_id }),
        mayNotSee(`attempt ${id.replace('application', 'appattempt')}_000001`),
      ],
      [() => eve.call(protocol, 'failApplicationAttempt', { application_attempt_id }), mayNotModify],
      [
        () => eve.call(protocol, 'updateApplicationTimeouts', { applicationId: application_id, application_timeouts: [expire] }),
        mayNotModify,
      ],
      [
        () => eve.call(protocol, 'updateApplicationPriority', { applicationId: application_id, applicationPriority: { priority: 0 } }),
        mayNotModify,
      ],
      [() => eve.call(protocol, 'moveApplicationAcrossQueues', { application_id, target_queue: 'none' }), mayNotModify],
      // What is so already is not theirs to say either.
      [() => eve.call(protocol, 'moveApplicationAcrossQueues', { application_id, target_queue: 'root.default' }), mayNotModify],
      [
        () => ann.call(protocol, 'moveApplicationAcrossQueues', { application_id, target_queue: 'none' }),
        `java.security.AccessControlException: User ann cannot submit applications to target queue or the target queue doesn't exist: none while moving ${id}`,
      ],
    ] as const)
      assert.deepEqual(await refusalOf(call()), ['YarnException', text]);
    const refusals = audited
      .filter((line) => line.includes('"audit":true') && line.includes('"user":"eve"'))
      .map((line) => JSON.parse(line) as { operation: string });
    assert.deepEqual(
      refusals.map(({ operation }) => operation),
      [
        'kill application',
        'getApplicationAttempts',
        'getContainers',
        'getApplicationAttemptReport',
        'fail attempt',
        'change timeout',
        'change priority',
        'move application',
        'move application',
      ],
    );
    await ann.call(protocol, 'forceKillApplication', { application_id });
  });

  it('is found by its queue and those above it; a queue names those that the caller may view', async () => {
    using ann = RpcTestClient.named(address, 'ann', protocol.name);
    using eve = RpcTestClient.named(address, 'eve', protocol.name);
    const application_id = await idOf(ann);
    await ann.call(protocol, 'submitApplication', submission(application_id));
    const listed = async (queues: readonly string[], limit?: number) =>
      (await ann.call(protocol, 'getApplications', { queues, application_states: ['ACCEPTED'], limit })).applications.map(
        ({ applicationId }) => applicationId,
      );
    for (const queue of ['default', 'root.default', 'root']) assert.deepEqual(await listed([queue]), [application_id], queue);
    assert.deepEqual(await listed(['none', 'default']), [application_id]);
    assert.deepEqual(await listed(['none']), []);
    assert.deepEqual(await listed(['root'], 0), []);
    const ofQueue = async (client: RpcTestClient, queueName: string) =>
      (await client.call(protocol, 'getQueueInfo', { queueName, includeApplications: true })).queueInfo?.applications?.map(
        ({ applicationId }) => applicationId,
      );
    for (const queue of ['default', 'root']) {
      assert.deepEqual(await ofQueue(ann, queue), [application_id], queue);
      assert.deepEqual(await ofQueue(eve, queue), [], queue);
    }
    await ann.call(protocol, 'forceKillApplication', { application_id });
    assert.deepEqual(await ofQueue(ann, 'default'), []);
  });

  it('whose attempt is failed has another one, and fails with the last', async () => {
    using client = RpcTestClient.named(address, 'ann', protocol.name);
    const application_id = await idOf(client);
    await client.call(protocol, 'submitApplication', submission(application_id, { maxAppAttempts: 2 }));
    for (const attemptId of [1, 2])
      await client.call(protocol, 'failApplicationAttempt', { application_attempt_id: { application_id, attemptId } });
    const { application_attempts: attempts } = await client.call(protocol, 'getApplicationAttempts', { application_id });
    assert.deepEqual(
      attempts.map(({ yarn_application_attempt_state: state }) => state),
      ['APP_ATTEMPT_FAILED', 'APP_ATTEMPT_FAILED'],
    );
    const { application_report: report } = await client.call(protocol, 'getApplicationReport', { application_id });
    assert.equal(report?.yarn_application_state, 'FAILED');
    assert.equal(report?.progress, 0, 'its master never said how far it was');
    assert.match(report!.diagnostics, /Attempt failed by user\./);
  });

  it('that is unknown, and one with what no node can have, are refused by the classes that clients look at', async () => {
    using client = RpcTestClient.named(address, 'ann', protocol.name);
    const application_id = { id: 99, cluster_timestamp: 1 };
    const application_attempt_id = { application_id, attemptId: 1 };
    assert.equal(await classOf(client.call(protocol, 'getApplicationReport', { application_id })), 'ApplicationNotFoundException');
    assert.equal(await classOf(client.call(protocol, 'getApplicationAttempts', { application_id })), 'ApplicationNotFoundException');
    assert.equal(await classOf(client.call(protocol, 'getContainers', { application_attempt_id })), 'ApplicationNotFoundException');
    const large = submission(await idOf(client), { resource: { memory: 2 ** 40, virtual_cores: 1 } });
    const [exception, sentence] = await refusalOf(client.call(protocol, 'submitApplication', large));
    assert.equal(exception, 'InvalidResourceRequestException');
    assert.match(sentence!, /requested resource is greater than maximum allowed allocation\. Requested resource type=\[memory-mb\]/);
    for (const [wrong, thrown] of [
      [{ resource: { memory: -1, virtual_cores: 1 } }, 'InvalidResourceRequestException'],
      [{ am_container_resource_request: [{ resource_name: 'n1' }] }, 'InvalidResourceRequestException'],
      [{ node_label_expression: 'none' }, 'InvalidLabelResourceRequestException'],
      [{ applicationTags: ['ü'] }, 'YarnException'],
    ] as const)
      assert.equal(await classOf(client.call(protocol, 'submitApplication', submission(await idOf(client), wrong))), thrown);
    const lifetime = { application_timeouts: [{ application_timeout_type: 'APP_TIMEOUT_LIFETIME', timeout: 0 }] };
    assert.deepEqual(await refusalOf(client.call(protocol, 'submitApplication', submission(await idOf(client), lifetime))), [
      'YarnException',
      'Invalid application timeout, value=0 for type=LIFETIME',
    ]);
    assert.deepEqual(await refusalOf(client.call(protocol, 'moveApplicationAcrossQueues', { application_id, target_queue: 'default' })), [
      'ApplicationNotFoundException',
      "Application with id 'application_1_0099' doesn't exist in RM. Please check that the job submission was successful.",
    ]);
    assert.deepEqual(await client.call(protocol, 'getQueueInfo', { queueName: 'none' }), { queueInfo: undefined });
  });
});

describe('a reservation', () => {
  it('that is not named is refused before anything else is looked at', async () => {
    using client = RpcTestClient.named(address, 'ann', protocol.name);
    assert.match((await refusalOf(client.call(protocol, 'submitReservation', {})))[1]!, /^Reservation id cannot be null\./);
    assert.match((await refusalOf(client.call(protocol, 'updateReservation', {})))[1]!, /^Missing reservation id\./);
  });
});

describe('the lifetime of an application', () => {
  it('that is over already is refused with both times', async () => {
    using client = RpcTestClient.named(address, 'ann', protocol.name);
    const application_id = await idOf(client);
    await client.call(protocol, 'submitApplication', submission(application_id));
    const past = { application_timeout_type: 'APP_TIMEOUT_LIFETIME', expire_time: '2001-01-01T00:00:00.000+0000' } as const;
    const [, text] = await refusalOf(
      client.call(protocol, 'updateApplicationTimeouts', { applicationId: application_id, application_timeouts: [past] }),
    );
    assert.match(text!, /^Expire time is less than current time, current-time=\d{4}-\S+T\S+ expire-time=200\d-\S+T\S+[+-]\d{4}$/);
    const nonsense = { application_timeout_type: 'APP_TIMEOUT_LIFETIME', expire_time: 'tomorrow' } as const;
    assert.deepEqual(
      await refusalOf(
        client.call(protocol, 'updateApplicationTimeouts', { applicationId: application_id, application_timeouts: [nonsense] }),
      ),
      ['java.time.format.DateTimeParseException', "Text 'tomorrow' could not be parsed at index 0"],
    );
    await client.call(protocol, 'forceKillApplication', { application_id });
  });
});

describe('a delegation token', () => {
  it('is given to whoever calls where names are believed, logs its owner in, is renewed, and ends when it is cancelled', async () => {
    using ann = RpcTestClient.named(address, 'ann', protocol.name);
    const { token } = await ann.call(protocol, 'getDelegationToken', { renewer: 'ann' });
    assert.equal(token?.kind, 'RM_DELEGATION_TOKEN');
    const { newExpiryTime } = await ann.call(protocol, 'renewDelegationToken', { token: token! });
    assert.ok(newExpiryTime > Date.now());
    const proof = { identifier: Buffer.from(token!.identifier), password: Buffer.from(token!.password) };
    using proven = await RpcTestClient.proven(address, proof, protocol.name);
    const application_id = await idOf(proven);
    await proven.call(protocol, 'submitApplication', submission(application_id));
    const { application_report: report } = await proven.call(protocol, 'getApplicationReport', { application_id });
    assert.equal(report?.user, 'ann');
    await proven.call(protocol, 'forceKillApplication', { application_id });
    using eve = RpcTestClient.named(address, 'eve', protocol.name);
    assert.equal(await classOf(eve.call(protocol, 'cancelDelegationToken', { token: token! })), 'YarnException');
    await ann.call(protocol, 'cancelDelegationToken', { token: token! });
    await assert.rejects(RpcTestClient.proven(address, proof, protocol.name));
  });
});

describe('the cluster', () => {
  it('says what it is made of', async () => {
    using client = RpcTestClient.named(address, 'boss', protocol.name);
    const { queueInfo } = await client.call(protocol, 'getQueueInfo', { queueName: 'root', includeChildQueues: true, recursive: true });
    assert.deepEqual([queueInfo?.queueName, queueInfo?.schedulerType, queueInfo?.weight], ['root', 'CapacityScheduler', -1]);
    assert.deepEqual(
      queueInfo?.childQueues?.map(({ queuePath }) => queuePath),
      ['root.default', 'root.few'],
    );
    assert.deepEqual(
      queueInfo?.childQueues?.[1]?.childQueues?.map(({ capacity, queueConfigurationsMap: [own] = [] }) => [
        capacity,
        own?.queueConfigurations?.absoluteCapacity,
      ]),
      [40, 60].map((percent) => [Math.fround(percent / 100), Math.fround(Math.fround(0.3) * Math.fround(percent / 100))]),
      'shares as they are counted with, not made of percentages again',
    );
    const amShares = [queueInfo, queueInfo?.childQueues?.[0]].map((queue) =>
      queue?.queueConfigurationsMap?.map(({ queueConfigurations }) => queueConfigurations?.maxAMPercentage),
    );
    assert.deepEqual(amShares, [[Math.fround(0.1)], [Math.fround(0.1)]], 'queues above others say their share for masters, too');
    const { queueUserAcls } = await client.call(protocol, 'getQueueUserAcls', {});
    assert.deepEqual(
      queueUserAcls.map(({ queueName }) => queueName),
      ['root', 'root.default', 'root.few', 'root.few.fewer', 'root.few.rest'],
    );
    const { resource_type_info: types } = await client.call(protocol, 'getResourceTypeInfo', {});
    assert.deepEqual(
      types.map(({ name }) => name),
      ['memory-mb', 'vcores'],
    );
    await assert.rejects(
      client.call(protocol, 'getResourceProfiles', {}),
      /YARNFeatureNotEnabledException: Resource profile is not enabled/,
    );
    for (const method of ['getNodeToLabels', 'getLabelsToNodes', 'getClusterNodeLabels', 'getClusterNodeAttributes'] as const)
      await client.call(protocol, method, {});
    await assert.rejects(client.call(protocol, 'listReservations', { queue: 'default' }), RefusedCall);
  });
});
