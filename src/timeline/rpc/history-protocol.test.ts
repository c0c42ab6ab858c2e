// The application history over real connections: what an unmodified timeline server of 3.4.2 told of the same entities, and who may ask.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { asked, recordingOf } from '../../../test/support/application-history.ts';
import { AuditLog } from '../../auth/audit-log.ts';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { RefusedCall, RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import { applicationIdMessage, attemptIdMessage } from '../../wire/rpc/ids.ts';
import { applicationHistoryProtocol as protocol } from '../../wire/rpc/protocols/application-history.ts';
import * as system from '../../wire/timeline/system-entities.ts';
import type { ApplicationHistory } from '../application-history/history.ts';
import { start } from '../server.ts';
import { historyProtocol } from './history-protocol.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-timeline-rpc-'));
const said: string[] = [];

function startServer(name: string, set: Record<string, string> = {}): Promise<RunningRole> {
  const configuration = loadConfiguration({
    dataDir: join(folder, name),
    set: {
      'yarn.timeline-service.webapp.address': '127.0.0.1:0',
      'yarn.timeline-service.address': '127.0.0.1:0',
      'yarn.acl.enable': 'true',
      'yarn.admin.acl': 'boss',
      'heddle.timeline.system-writers': 'rm',
      ...set,
    },
  });
  const logger = pino({ level: 'info' }, { write: (line) => void said.push(line) });
  return start(configuration, { clock: systemClock, logger, random: systemRandom });
}

async function put(server: RunningRole, entities: object): Promise<void> {
  const answer = await fetch(`${server.addresses['web']}/ws/v1/timeline?user.name=rm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(entities),
  });
  assert.deepEqual(await answer.json(), { errors: [] });
}

/** Members in the order of their names; tags are a set. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? value.toSorted() : value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, of]) => [key, ordered(of)]));
};

after(() => rmSync(folder, { recursive: true, force: true }));

describe('an unmodified timeline server and this one tell the same of the same applications', () => {
  const { entities, recorded } = recordingOf();
  let server: RunningRole;
  before(async () => {
    server = await startServer('recorded', { 'yarn.timeline-service.ttl-enable': 'false' });
    await put(server, entities);
  });
  after(() => server.close());

  /** What Hadoop fails at is refused: requests that name nothing, and tokens, of which it has none here. */
  const refusedHere: Record<string, string> = {
    getDelegationToken: 'java.io.IOException: Delegation tokens cannot be issued here: those of the timeline are, over REST',
    renewDelegationToken: 'java.io.IOException: Delegation tokens cannot be renewed here: those of the timeline are, over REST',
    cancelDelegationToken: 'java.io.IOException: Delegation tokens cannot be cancelled here: those of the timeline are, over REST',
  };
  const namesNothing =
    "org.apache.hadoop.yarn.exceptions.ApplicationNotFoundException: The entity for application application_0_0000 doesn't exist in the timeline store";
  /** An application that failed without a word of its master is one that failed (docs/differences.md). */
  const finalStatusHere = (_: string, value: unknown) =>
    (value as { yarn_application_state?: string } | null)?.yarn_application_state === 'FAILED'
      ? { ...(value as object), final_application_status: 'APP_FAILED' }
      : value;

  for (const [index, question] of recorded.entries())
    it(`${question.method} by ${question.user}, ${index}`, async () => {
      const { answer, refused } = await asked(server.addresses['rpc']!, server.addresses['web']!, question);
      const { method } = question;
      if (question.refused?.class === 'java.lang.NullPointerException')
        return assert.equal(`${refused?.class}: ${refused?.message}`, refusedHere[method] ?? namesNothing);
      const expected: unknown = question.answer && JSON.parse(JSON.stringify(question.answer), finalStatusHere);
      assert.deepEqual(ordered({ answer, refused }), ordered({ answer: expected, refused: question.refused }));
    });
});

describe('who asks the application history', () => {
  const id = 'application_1795000000000_0001';
  const attemptId = 'appattempt_1795000000000_0001_000001';
  const ask = async (server: RunningRole, user: string, realUser?: string) => {
    using client = RpcTestClient.named(server.addresses['rpc']!, user, protocol.name, realUser);
    return await client.call(protocol, 'getApplicationAttempts', { application_id: applicationIdMessage(id) });
  };
  const ofAnn = [
    system.applicationCreated({
      applicationId: id,
      name: 'job',
      type: 'TEST',
      user: 'ann',
      queue: 'root.default',
      submittedTimeMs: 5,
      createdTimeMs: 6,
      tags: [],
      unmanaged: false,
      priority: 0,
    }),
  ];

  it('has to be in the list of the service where there is one, and is judged as whom a proxy user acts for', async () => {
    const server = await startServer('lists', {
      'hadoop.security.authorization': 'true',
      'security.applicationhistory.protocol.acl': 'ann,bob',
      'hadoop.proxyuser.gate.users': 'ann',
      'hadoop.proxyuser.gate.hosts': '*',
    });
    try {
      await put(server, { entities: ofAnn });
      assert.deepEqual(await ask(server, 'ann'), { application_attempts: [] });
      assert.deepEqual(await ask(server, 'ann', 'gate'), { application_attempts: [] });
      await assert.rejects(ask(server, 'bob', 'gate'), /User: gate is not allowed to impersonate bob/);
      await assert.rejects(
        ask(server, 'carl'),
        /AuthorizationException: User carl .* is not authorized for protocol interface .*ApplicationHistoryProtocolPB/,
      );
    } finally {
      await server.close();
    }
  });

  it('is written into the audit log where it may not see what it asks for', async () => {
    const server = await startServer('audit');
    try {
      await put(server, { entities: ofAnn });
      said.length = 0;
      await assert.rejects(ask(server, 'eve'), RefusedCall);
      assert.ok(said.some((line) => line.includes('"audit":true') && line.includes('"eve"') && line.includes('getApplicationAttempts')));
      await assert.rejects(ask(server, ''), /closed|IOException/);
    } finally {
      await server.close();
    }
  });

  it('hears of lists in slices, and how many it wants', async () => {
    const server = await startServer('lists-of-many', { 'yarn.timeline-service.generic-application-history.max-applications': '30' });
    try {
      const entities = Array.from({ length: 50 }, (_, index) => ({
        ...ofAnn[0]!,
        entity: `application_1795000000000_${String(index + 1).padStart(4, '0')}`,
        starttime: index + 1,
      }));
      const boxes = Array.from({ length: 700 }, (_, index) =>
        system.containerCreated({
          containerId: `container_1795000000000_0001_01_${String(index + 1).padStart(6, '0')}`,
          attemptId,
          createdTimeMs: index + 1,
          memoryMiB: 2 ** 40,
          vcores: 2 ** 40,
          host: 'n1',
          port: 1,
          priority: 0,
          nodeHttpAddress: 'http://n1:8042',
        }),
      );
      // What is no application is left out, as by Hadoop.
      const other = { ...ofAnn[0]!, entity: 'nonsense', starttime: 60 };
      await put(server, { entities: [...entities, ...boxes, other] });
      using client = RpcTestClient.named(server.addresses['rpc']!, 'boss', protocol.name);
      const countOf = async (request: object) => (await client.call(protocol, 'getApplications', request)).applications.length;
      assert.deepEqual([await countOf({}), await countOf({ limit: 40 }), await countOf({ limit: 2 ** 63 })], [29, 39, 29]);
      const { containers } = await client.call(protocol, 'getContainers', { application_attempt_id: attemptIdMessage(attemptId) });
      assert.equal(containers.length, 700);
      assert.deepEqual([containers[0]?.resource?.memory, containers[0]?.resource?.virtual_cores], [2 ** 40, 2 ** 31 - 1]);
    } finally {
      await server.close();
    }
  });
});

it('refuses a list that is longer than clients take, and says where there is no such limit', async () => {
  const report = { containerId: 'container_1_0001_01_000001', memoryMiB: 1, vcores: 1, host: 'n', port: 1, priority: 0 };
  const containers = Array.from({ length: 10 }, () => ({ ...report, createdTimeMs: 1, finishedTimeMs: 2, exitStatus: 0 }));
  const history = { containers: () => ({ containers, owner: 'ann' }) } as unknown as ApplicationHistory;
  const caller = { user: 'ann', realUser: undefined, authentication: 'simple', token: undefined, remoteAddress: '' } as const;
  const ask = async (longestListBytes: number) => {
    const { methods } = historyProtocol({ history, audit: new AuditLog(silentLogger), webUrl: () => 'http://h', longestListBytes });
    const request = { application_attempt_id: attemptIdMessage('appattempt_1_0001_000001') };
    return (
      (await methods.get('getContainers')!.handle({ request: request as never, caller, growsLong: async () => () => undefined })) as {
        containers: unknown[];
      }
    ).containers.length;
  };
  assert.equal(await ask(100_000), 10);
  await assert.rejects(ask(1000), /more than 1000 bytes: ask for less of it, or over REST/);
});

it('is not served where callers have to prove who they are, where Hadoop RPC is off, or where there is no application history', async () => {
  const sets: Record<string, string>[] = [
    { 'heddle.rpc.enabled': 'false' },
    { 'heddle.security.authentication': 'bearer' },
    { 'yarn.timeline-service.generic-application-history.enabled': 'false' },
  ];
  for (const [index, set] of sets.entries()) {
    const server = await startServer(`without-${index}`, set);
    assert.deepEqual(Object.keys(server.addresses), ['web'], JSON.stringify(set));
    await server.close();
  }
});
