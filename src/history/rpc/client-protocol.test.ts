// The protocols of a history server over real connections: what an unmodified history server of 3.4.2 answered about the same jobs, and who
// may ask and change what.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pino } from 'pino';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { systemRandom } from '../../lib/random.ts';
import type { RunningRole } from '../../lib/role.ts';
import { RefusedCall, RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import { jobIdMessage } from '../../wire/rpc/job-ids.ts';
import {
  getUserMappingsProtocol,
  historyAdministrationProtocol,
  refreshUserMappingsProtocol,
} from '../../wire/rpc/protocols/history-administration.ts';
import { historyClientProtocol } from '../../wire/rpc/protocols/history-client.ts';
import { start } from '../server.ts';
import { HistoryFixture } from '../test-support/history-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-history-rpc-'));
const recordings = join(import.meta.dirname, '../../../test/compatibility');
const jobs = { killed: 'job_1795217873322_0049', failed: 'job_1795217873322_0051', succeeded: 'job_1795217873322_0052' };
const me = process.env['USER'] ?? 'root';
let server: RunningRole;
const said: string[] = [];

const conf = (properties: Record<string, string>) =>
  writeFileSync(
    join(folder, 'mapred-site.xml'),
    `<configuration>${Object.entries(properties)
      .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
      .join('')}</configuration>`,
  );

async function startServer(set: Record<string, string> = {}): Promise<RunningRole> {
  const configuration = loadConfiguration({
    confDir: folder,
    dataDir: join(folder, 'data'),
    set: {
      'mapreduce.jobhistory.webapp.address': '127.0.0.1:0',
      'mapreduce.jobhistory.address': '127.0.0.1:0',
      'mapreduce.jobhistory.admin.address': '127.0.0.1:0',
      'mapreduce.jobhistory.done-dir': join(folder, 'done'),
      'mapreduce.jobhistory.intermediate-done-dir': join(folder, 'intermediate'),
      'mapreduce.jobhistory.cleaner.enable': 'false',
      ...set,
    },
  });
  const logger = pino({ level: 'info' }, { write: (line) => void said.push(line) });
  return start(configuration, { clock: systemClock, logger, random: systemRandom });
}

before(async () => {
  const own = join(folder, 'intermediate', 'root');
  mkdirSync(own, { recursive: true });
  const files = join(recordings, 'files');
  for (const name of readdirSync(files)) if (/\.jhist$|_conf\.xml$/.test(name)) copyFileSync(join(files, name), join(own, name));
  for (const id of Object.values(jobs)) {
    writeFileSync(join(own, `${id}_conf.xml`), '<configuration/>');
    writeFileSync(join(own, `${id}.summary`), '');
  }
  conf({ 'mapreduce.jobhistory.admin.acl': 'boss' });
  server = await startServer();
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Values whose order says nothing in an order that does not change; events without their numbers, which go by times that are often the same. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) {
    const items = value.map(ordered);
    return items.every((item) => typeof item === 'string')
      ? items
      : items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'event_id')
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, of]) => [key, ordered(of)]),
  );
};
const eventNumbers = (answer: unknown) =>
  (answer as { completion_events?: { event_id: number }[] }).completion_events?.map((event) => event.event_id);

describe('an unmodified history server and this one tell the same of the same jobs', () => {
  interface Recorded {
    readonly method: keyof (typeof historyClientProtocol)['methods'];
    readonly request: object;
    readonly answer?: object;
    readonly refused?: { readonly class: string; readonly message: string };
  }
  const recorded = readFileSync(join(recordings, 'rpc/history.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  /** Hadoop fails at what it does not find. */
  const absent: Record<string, RegExp> = {
    getTaskReport: /^Unknown Task task_/,
    getTaskAttemptReport: /^Unknown TaskAttempt /,
    getDiagnostics: /^Unknown TaskAttempt /,
  };

  for (const [index, { method, request, answer, refused }] of recorded.entries())
    it(`${method}, ${index}`, async () => {
      using client = RpcTestClient.named(server.addresses['rpc']!, me, historyClientProtocol.name);
      let got: unknown;
      try {
        got = await client.call(historyClientProtocol, method, request as never);
      } catch (error) {
        if (!(error instanceof RefusedCall) || !refused) throw error;
        const { exceptionClassName, errorMsg = '' } = error.header;
        assert.equal(exceptionClassName, 'java.io.IOException');
        if (refused.class === 'java.lang.NullPointerException') assert.match(errorMsg, absent[method]!);
        else assert.equal(errorMsg.split('\n')[0], refused.message);
        return;
      }
      assert.equal(refused, undefined);
      const masked = JSON.parse(
        JSON.stringify(got, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
        (key, value: unknown) => {
          if (key === 'jobFile' || key === 'historyFile') return String(value).replace(/^file:\/.*\//, 'file:{folder}/');
          return key === 'trackingUrl' ? String(value).replace(server.addresses['web']!, '{pages}') : value;
        },
      ) as unknown;
      assert.deepEqual(ordered(masked), ordered(answer));
      assert.deepEqual(eventNumbers(masked), eventNumbers(answer));
    });
});

describe('the events of a job', () => {
  it('are asked for by numbers of events', async () => {
    using client = RpcTestClient.named(server.addresses['rpc']!, me, historyClientProtocol.name);
    const events = async (from_event_id: number, max_events: number) => {
      const call = { job_id: jobIdMessage(jobs.succeeded), from_event_id, max_events };
      return (await client.call(historyClientProtocol, 'getTaskAttemptCompletionEvents', call)).completion_events.length;
    };
    assert.deepEqual([await events(0, 1), await events(0, 0), await events(1000, 1)], [1, 0, 0]);
    await assert.rejects(events(-1, 5), /IndexOutOfBoundsException: fromIndex = -1/);
    await assert.rejects(events(0, -1), /IllegalArgumentException: fromIndex\(0\) > toIndex\(-1\)/);
  });
});

describe('a job', () => {
  const fixture = new HistoryFixture();
  let checked: RunningRole;
  before(async () => {
    await fixture.open();
    checked = await fixture.startAnother({ 'mapreduce.cluster.acls.enabled': 'true', 'mapreduce.jobhistory.loadedjob.tasks.max': '100' });
  });
  after(async () => {
    await checked.close();
    await fixture.close();
  });
  const ask = async (method: 'getJobReport' | 'getCounters' | 'getTaskReports', user: string, id: string) => {
    using client = RpcTestClient.named(checked.addresses['rpc']!, user, historyClientProtocol.name);
    return await client.call(historyClientProtocol, method, { job_id: jobIdMessage(id) } as never);
  };

  const reportIn = (answer: object) => (answer as { job_report?: { user?: string; job_state?: string; jobName?: string } }).job_report;

  it('is shown to its owner and to who may see it, as over HTTP', async () => {
    const { jobId } = await fixture.publish(1, { acls: { 'mapreduce.job.acl-view-job': 'bob' } });
    for (const user of ['ann', 'bob']) assert.equal(reportIn(await ask('getJobReport', user, jobId))?.user, 'ann');
    for (const method of ['getJobReport', 'getCounters', 'getTaskReports'] as const)
      await assert.rejects(ask(method, 'eve', jobId), {
        message:
          /^java\.io\.IOException: java\.security\.AccessControlException: User eve cannot perform operation VIEW_JOB on job_1700000000000_0001/,
      });
  });

  it('that is too large to be loaded is told by the name of its file', async () => {
    const { jobId } = await fixture.publish(2, { maps: 101 });
    const report = reportIn(await ask('getJobReport', 'ann', jobId));
    assert.deepEqual([report?.job_state, report?.user, report?.jobName], ['J_SUCCEEDED', 'ann', 'a job']);
    assert.deepEqual(await ask('getTaskReports', 'ann', jobId), { task_reports: [] });
    assert.deepEqual(await ask('getCounters', 'ann', jobId), { counters: { counter_groups: [] } });
  });
});

describe('mapred hsadmin', () => {
  const admin = (user: string) => RpcTestClient.named(server.addresses['rpcAdministration']!, user, historyAdministrationProtocol.name);
  const refusedAs = (operation: string, user: string) => ({
    message: new RegExp(
      `^org\\.apache\\.hadoop\\.security\\.AccessControlException: User ${user} doesn't have permission to call '${operation}'`,
    ),
  });

  it('has settings read again for administrators alone, and says so in the audit log', async () => {
    using boss = admin('boss');
    using eve = admin('eve');
    for (const operation of [
      'refreshAdminAcls',
      'refreshLoadedJobCache',
      'refreshJobRetentionSettings',
      'refreshLogRetentionSettings',
    ] as const) {
      assert.deepEqual(await boss.call(historyAdministrationProtocol, operation, {}), {});
      await assert.rejects(eve.call(historyAdministrationProtocol, operation, {}), refusedAs(operation, 'eve'));
      for (const user of ['boss', 'eve'])
        assert.ok(
          said.some((line) => line.includes('"audit":true') && line.includes(operation) && line.includes(`"${user}"`)),
          `${user} ${operation}`,
        );
    }
  });

  it('changes who administers, and who may act for whom', async () => {
    using boss = admin('boss');
    await assert.rejects(admin('eve').call(historyAdministrationProtocol, 'refreshAdminAcls', {}), refusedAs('refreshAdminAcls', 'eve'));
    conf({ 'mapreduce.jobhistory.admin.acl': 'eve', 'hadoop.proxyuser.gate.users': 'eve', 'hadoop.proxyuser.gate.hosts': '*' });
    await assert.rejects(admin('eve').call(historyAdministrationProtocol, 'refreshAdminAcls', {}), refusedAs('refreshAdminAcls', 'eve'));
    const byGate = () => RpcTestClient.named(server.addresses['rpcAdministration']!, 'eve', historyAdministrationProtocol.name, 'gate');
    await assert.rejects(byGate().call(getUserMappingsProtocol, 'getGroupsForUser', { user: 'eve' }), /is not allowed to impersonate/);
    await boss.call(refreshUserMappingsProtocol, 'refreshSuperUserGroupsConfiguration', {});
    await byGate().call(getUserMappingsProtocol, 'getGroupsForUser', { user: 'eve' });
    await boss.call(historyAdministrationProtocol, 'refreshAdminAcls', {});
    await assert.rejects(boss.call(historyAdministrationProtocol, 'refreshAdminAcls', {}), refusedAs('refreshAdminAcls', 'boss'));
    await admin('eve').call(historyAdministrationProtocol, 'refreshAdminAcls', {});
  });

  it('reads groups again, and tells them to everybody', async () => {
    const groups = async () => (await admin('nobody').call(getUserMappingsProtocol, 'getGroupsForUser', { user: 'ann' })).groups;
    conf({ 'mapreduce.jobhistory.admin.acl': 'eve', 'hadoop.user.group.static.mapping.overrides': 'ann=weavers,spinners' });
    const before = await groups();
    assert.ok(!before.includes('weavers'));
    await admin('eve').call(refreshUserMappingsProtocol, 'refreshUserToGroupsMappings', {});
    assert.deepEqual(await groups(), ['weavers', 'spinners']);
  });

  it('changes nothing where the files cannot be read', async () => {
    writeFileSync(join(folder, 'mapred-site.xml'), '<configuration><property>');
    await assert.rejects(admin('eve').call(historyAdministrationProtocol, 'refreshAdminAcls', {}), RefusedCall);
    conf({ 'mapreduce.jobhistory.admin.acl': 'eve' });
    await admin('eve').call(historyAdministrationProtocol, 'refreshAdminAcls', {});
  });
});

it('is not served where callers have to prove who they are, or where it is off', async () => {
  const sets: Record<string, string>[] = [{ 'heddle.rpc.enabled': 'false' }, { 'heddle.security.authentication': 'bearer' }];
  for (const set of sets) {
    const other = await startServer(set);
    assert.deepEqual(Object.keys(other.addresses), ['web'], JSON.stringify(set));
    await other.close();
  }
});
