// The application history over system entities: what reports say, who sees how much, which applications a list selects.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { codeOf } from '../../model/test-support/failures.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { JsonValue, TimelineEntity, TimelineEvent } from '../../wire/timeline/entity.ts';
import { applicationNames as app, attemptNames as attempt, containerNames as box } from '../../wire/timeline/system-names.ts';
import { type EntityPut, EntityStore } from '../store/entity-store.ts';
import { timelineMigrations } from '../store/migrations.ts';
import type { AccessRules } from '../v1/access.ts';
import { ApplicationHistory } from './history.ts';
import { applicationView, attemptView, containerView, placeholderAttemptId } from './history-view.ts';
import { readApplicationQuery } from './query.ts';
import { applicationReport, attemptReport, containerReport } from './reports.ts';

const id = 'application_1795000000000_0001';
const attemptId = 'appattempt_1795000000000_0001_000001';
const containerId = 'container_1795000000000_0001_01_000001';

const event = (eventtype: string, timestamp: number, eventinfo: Record<string, JsonValue> = {}): TimelineEvent => ({
  eventtype,
  timestamp,
  eventinfo,
});
/** As the store gives it: the newest event first. */
const entity = (name: string, otherinfo: Record<string, JsonValue>, events: TimelineEvent[] = []): TimelineEntity => ({
  entity: name,
  entitytype: app.type,
  otherinfo,
  events: [...events].sort((a, b) => b.timestamp - a.timestamp),
});

describe('the report of an application', () => {
  it('has defaults where nothing is known', () => {
    assert.deepEqual(applicationReport(entity(id, {})), {
      applicationId: id,
      tags: [],
      unmanaged: false,
      priority: 0,
      submittedTimeMs: 0,
      createdTimeMs: 0,
      launchTimeMs: 0,
      finishedTimeMs: 0,
      finished: false,
      state: 'ACCEPTED',
      finalStatus: 'UNDEFINED',
    });
  });

  it('takes what came later, whatever order the events were put in', () => {
    const events = [
      event(app.finished, 9, {
        [app.state]: 'FINISHED',
        [app.finalStatus]: 'SUCCEEDED',
        [app.latestAttempt]: attemptId,
        [app.diagnostics]: 'done',
      }),
      event(app.updated, 5, { [app.queue]: 'moved', [app.priority]: 7 }),
      event(app.created, 1),
      event(app.launched, 2),
      event(app.stateUpdated, 3, { [app.state]: 'RUNNING' }),
      event('SOMETHING_ELSE', 4, { [app.state]: 'KILLED' }),
    ];
    const report = applicationReport(
      entity(id, { [app.queue]: 'first', [app.user]: 'ann', [app.tags]: ['a', 'b'], [app.unmanaged]: true }, events),
    );
    const {
      createdTimeMs,
      launchTimeMs,
      finishedTimeMs,
      state,
      finalStatus,
      queue,
      priority,
      diagnostics,
      latestAttemptId,
      tags,
      unmanaged,
    } = report;
    assert.deepEqual(
      { createdTimeMs, launchTimeMs, finishedTimeMs, state, finalStatus, queue, priority, diagnostics, latestAttemptId, tags, unmanaged },
      {
        createdTimeMs: 1,
        launchTimeMs: 2,
        finishedTimeMs: 9,
        state: 'FINISHED',
        finalStatus: 'SUCCEEDED',
        queue: 'moved',
        priority: 7,
        diagnostics: 'done',
        latestAttemptId: attemptId,
        tags: ['a', 'b'],
        unmanaged: true,
      },
    );
  });

  it('of one that failed without a word of its master says that it failed', () => {
    const finalStatus = (state: string, said: string) =>
      applicationReport(entity(id, {}, [event(app.finished, 5, { [app.state]: state, [app.finalStatus]: said })])).finalStatus;
    assert.deepEqual(
      [finalStatus('FAILED', 'UNDEFINED'), finalStatus('FAILED', 'KILLED'), finalStatus('FINISHED', 'UNDEFINED')],
      ['FAILED', 'KILLED', 'UNDEFINED'],
    );
  });

  it('is not taken back from its end by a late change of state', () => {
    const events = [event(app.finished, 5, { [app.state]: 'KILLED' }), event(app.stateUpdated, 6, { [app.state]: 'RUNNING' })];
    assert.equal(applicationReport(entity(id, {}, events)).state, 'KILLED');
  });

  it('tells its use once it is there, and takes nonsense for nothing', () => {
    assert.equal(applicationReport(entity(id, { [app.memory]: 5 })).usage, undefined);
    assert.deepEqual(
      applicationReport(entity(id, { [app.memory]: 5.9, [app.cpu]: '7', [app.memoryPreempted]: 'much', [app.cpuPreempted]: null })).usage,
      {
        memoryMiBSeconds: 5,
        vcoreSeconds: 7,
        preemptedMemoryMiBSeconds: 0,
        preemptedVcoreSeconds: 0,
      },
    );
    assert.equal(applicationReport(entity(id, { [app.priority]: {}, [app.tags]: 'none' })).priority, 0);
  });
});

describe('the reports of attempts and containers', () => {
  it('join what registration and end say', () => {
    const events = [
      event(attempt.registered, 1, { [attempt.host]: 'n1', [attempt.rpcPort]: 5, [attempt.masterContainer]: containerId }),
      event(attempt.finished, 2, {
        [attempt.trackingUrl]: 'u',
        [attempt.originalTrackingUrl]: 'o',
        [attempt.state]: 'FINISHED',
        [attempt.diagnostics]: 'd',
      }),
    ];
    const report = attemptReport(entity(attemptId, {}, events));
    assert.deepEqual(attemptView(report), {
      appAttemptId: attemptId,
      host: 'n1',
      rpcPort: 5,
      trackingUrl: 'u',
      originalTrackingUrl: 'o',
      diagnosticsInfo: 'd',
      appAttemptState: 'FINISHED',
      amContainerId: containerId,
      startedTime: 0,
      finishedTime: 0,
    });
    assert.equal(attemptReport(entity(attemptId, {})).rpcPort, -1);
  });

  it('tell a container with its logs by the node and owner, and a running one up to now', () => {
    const info = {
      [box.allocatedMemory]: 1024,
      [box.allocatedVcore]: 2,
      [box.allocatedHost]: 'n1',
      [box.allocatedPort]: 45454,
      [box.allocatedPriority]: 3,
    };
    const running = containerReport(entity(containerId, info, [event(box.created, 100)]));
    const view = containerView(running, 'ann', 'http://h:1', 350);
    assert.equal(view.elapsedTime, 250);
    assert.equal(view.logUrl, `http://h:1/applicationhistory/logs/n1:45454/${containerId}/${containerId}/ann`);
    assert.deepEqual([view.containerExitStatus, view.allocatedResources], [-1000, { 'memory-mb': 1024, vcores: 2 }]);
    const ended = containerReport(
      entity(containerId, info, [event(box.created, 100), event(box.finished, 130, { [box.exitStatus]: 137, [box.state]: 'COMPLETE' })]),
    );
    assert.deepEqual([containerView(ended, 'ann', '', 999).elapsedTime, ended.exitStatus, ended.state], [30, 137, 'COMPLETE']);
    assert.equal(containerView(containerReport(entity(containerId, {})), undefined, 'http://h', 1).logUrl, undefined);
  });

  it('show an application without an attempt by the id that Hadoop prints for none', () => {
    assert.equal(placeholderAttemptId(id), 'appattempt_1795000000000_0001_-000001');
    const view = applicationView({ report: applicationReport(entity(id, {}, [event(app.created, 10)])) }, 25);
    assert.deepEqual(
      [view.currentAppAttemptId, view.host, view.rpcPort, view.elapsedTime, view.progress],
      [placeholderAttemptId(id), 'N/A', -1, 15, 0],
    );
    assert.equal(applicationView({ report: applicationReport(entity(id, {})) }, 25).elapsedTime, 0);
  });
});

async function aHistory(rules: AccessRules, options = { maximumApplications: 1000, unchecked: false }) {
  const database = openDatabase(':memory:', { logger: silentLogger });
  database.migrate(timelineMigrations);
  const store = new EntityStore(database);
  const put = (entities: readonly EntityPut[]) => database.write(() => void store.put(entities, 1));
  return { history: new ApplicationHistory(store, rules, options), put };
}

const open: AccessRules = { enabled: false, isAdmin: () => false, allows: () => false };
const closed: AccessRules = {
  enabled: true,
  isAdmin: (user) => user === 'root',
  allows: (list, user) => list.split(/[ ,]/).includes(user),
};

const systemEntities: readonly EntityPut[] = [
  {
    entity: id,
    entitytype: app.type,
    domain: 'd',
    starttime: 10,
    otherinfo: { [app.user]: 'ann', [app.viewAcls]: 'bob', [app.name]: 'job' },
    events: [event(app.finished, 20, { [app.latestAttempt]: attemptId, [app.diagnostics]: 'secret reason', [app.state]: 'FAILED' })],
  },
  {
    entity: attemptId,
    entitytype: attempt.type,
    domain: 'd',
    starttime: 11,
    primaryfilters: { [attempt.parent]: [id] },
    events: [event(attempt.registered, 11, { [attempt.host]: 'n1' })],
  },
  {
    entity: containerId,
    entitytype: box.type,
    domain: 'd',
    starttime: 12,
    primaryfilters: { [box.parent]: [attemptId] },
    otherinfo: { [box.allocatedHost]: 'n1' },
  },
];

describe('who sees what', () => {
  it('shows owners, administrators and users of the view list everything', async () => {
    const { history, put } = await aHistory(closed);
    await put(systemEntities);
    for (const user of ['ann', 'bob', 'root']) {
      assert.equal(history.application(id, user).report.diagnostics, 'secret reason', user);
      assert.equal(history.application(id, user).attempt?.host, 'n1', user);
      assert.deepEqual(
        history.attempts(id, user).map((one) => one.attemptId),
        [attemptId],
      );
      assert.deepEqual(
        Array.from(history.containers(attemptId, user).containers, (one) => one.containerId),
        [containerId],
      );
      assert.equal(history.container(containerId, user).owner, 'ann');
      assert.equal(history.mayReadLogs(id, undefined, user), true);
    }
  });

  it('shows other users that the application exists, and nothing that belongs to its owner', async () => {
    const { history, put } = await aHistory(closed);
    await put(systemEntities);
    for (const user of ['eve', undefined]) {
      const { report, attempt: seen } = history.application(id, user);
      assert.deepEqual([report.name, report.diagnostics, report.latestAttemptId, seen], ['job', undefined, undefined, undefined]);
      assert.equal(
        codeOf(() => history.attempts(id, user)),
        'HISTORY_HIDDEN',
      );
      assert.equal(
        codeOf(() => history.attempt(attemptId, user)),
        'HISTORY_HIDDEN',
      );
      assert.equal(
        codeOf(() => history.containers(attemptId, user)),
        'HISTORY_HIDDEN',
      );
      assert.equal(
        codeOf(() => history.container(containerId, user)),
        'HISTORY_HIDDEN',
      );
      assert.equal(history.mayReadLogs(id, undefined, user), false);
    }
  });

  it('judges logs of forgotten applications by what their file says', async () => {
    const { history } = await aHistory(closed);
    assert.equal(history.mayReadLogs(id, { owner: 'ann' }, 'ann'), true);
    assert.equal(history.mayReadLogs(id, { owner: 'ann', viewAcl: 'bob' }, 'bob'), true);
    assert.equal(history.mayReadLogs(id, { owner: 'ann' }, 'bob'), false);
    assert.equal(history.mayReadLogs(id, undefined, 'bob'), true);
  });

  it('follows Hadoop where the setting says so: callers without a name see all, and every user reads logs', async () => {
    const { history, put } = await aHistory(closed, { maximumApplications: 10, unchecked: true });
    await put(systemEntities);
    assert.equal(history.application(id, undefined).report.diagnostics, 'secret reason');
    assert.equal(history.application(id, 'eve').report.diagnostics, undefined);
    assert.equal(history.mayReadLogs(id, undefined, 'eve'), true);
  });

  it('names what is unknown', async () => {
    const { history, put } = await aHistory(open);
    assert.equal(
      codeOf(() => history.application(id, 'ann')),
      'HISTORY_APPLICATION_UNKNOWN',
    );
    await put(systemEntities.slice(0, 1));
    assert.equal(
      codeOf(() => history.attempt(attemptId, 'ann')),
      'HISTORY_ATTEMPT_UNKNOWN',
    );
    assert.equal(
      codeOf(() => history.container(containerId, 'ann')),
      'HISTORY_CONTAINER_UNKNOWN',
    );
    // It ended before its attempt was known: Hadoop drops the diagnostics, too.
    assert.equal(history.application(id, 'ann').report.diagnostics, undefined);
  });
});

describe('lists', () => {
  const many = (count: number): EntityPut[] =>
    Array.from({ length: count }, (_, i) => ({
      entity: `application_1795000000000_${String(i + 1).padStart(4, '0')}`,
      entitytype: app.type,
      domain: 'd',
      starttime: 1000 + i,
      otherinfo: { [app.user]: 'ann' },
    }));
  const numbers = (seen: Iterable<{ report: { applicationId: string } }>) =>
    Array.from(seen, ({ report }) => Number(report.applicationId.slice(-4)));

  it('have every application once, the newest first', async () => {
    const { history, put } = await aHistory(open);
    await put(many(700));
    assert.deepEqual(
      numbers(history.applications('ann', { startedAfterMs: 0, startedUntilMs: 9999 })),
      Array.from({ length: 700 }, (_, i) => 700 - i),
    );
  });

  it("end at the limit, at the server's maximum without one, and at the range", async () => {
    const { history, put } = await aHistory(open, { maximumApplications: 30, unchecked: false });
    await put(many(300));
    const range = { startedAfterMs: 0, startedUntilMs: 9999 };
    assert.equal(numbers(history.applications('ann', range)).length, 30);
    assert.equal(numbers(history.applications('ann', { ...range, limit: 260 })).length, 260);
    assert.deepEqual(numbers(history.applications('ann', { startedAfterMs: 1000, startedUntilMs: 1003 })), [4, 3, 2]);
  });
});

describe('the query of a list', () => {
  const query = (text: string) => {
    const parameters = new URLSearchParams(text);
    return readApplicationQuery({ first: (name) => parameters.get(name) ?? undefined, all: (name) => parameters.getAll(name) });
  };
  const seen = (more: Partial<ReturnType<typeof applicationReport>>) => ({ report: { ...applicationReport(entity(id, {})), ...more } });

  it('refuses in the order and the words of Hadoop', () => {
    const refusal = (text: string): string => {
      try {
        query(text);
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.match(refusal('states=WAITING&limit=0'), /Invalid application-state WAITING specified\. It should be one of \[NEW, /);
    assert.match(refusal('states=running'), /Invalid application-state running specified\. It should be a final state/);
    assert.match(refusal('limit=0'), /limit value must be greater then 0/);
    assert.match(refusal('startedTimeBegin=-1'), /startedTimeBegin must be greater than 0/);
    assert.match(refusal('startedTimeBegin=5&startedTimeEnd=4'), /startedTimeEnd must be greater than startTimeBegin/);
    assert.match(refusal('finishedTimeEnd=-1'), /finishTimeEnd must be greater than 0/);
    assert.match(refusal('finishedTimeBegin=5&finishedTimeEnd=4'), /finishTimeEnd must be greater than finishTimeBegin/);
    assert.equal(
      codeOf(() => query('limit=many')),
      'BAD_NUMBER',
    );
    assert.equal(
      codeOf(() => query('limit=%205')),
      'BAD_NUMBER',
    );
    assert.equal(
      codeOf(() => query('limit=99999999999999999999')),
      'BAD_NUMBER',
    );
  });

  it('selects by state, final status, user, queue, type, name and time of the end', () => {
    const one = seen({ state: 'FAILED', finalStatus: 'FAILED', user: 'ann', queue: 'q', type: 'SPARK', name: 'job', finishedTimeMs: 50 });
    for (const [text, matches] of [
      ['', true],
      ['states=finished,failed', true],
      ['state=KILLED', false],
      ['finalStatus=FAILED', true],
      ['finalStatus=SUCCEEDED', false],
      ['user=ann&queue=q', true],
      ['user=bob', false],
      ['queue=root.q', false],
      ['applicationTypes=mapreduce,spark', true],
      ['applicationTypes=yarn&applicationTypes=tez', false],
      ['finishedTimeBegin=50&finishedTimeEnd=50', true],
      ['finishedTimeEnd=49', false],
      ['name=job', true],
      // An empty name is a name.
      ['name=', false],
    ] as const)
      assert.equal(query(text).matches(one), matches, text);
    assert.deepEqual(
      [query('limit=5').limit, query('startedTimeBegin=3').startedAfterMs, query('startedTimeEnd=9').startedUntilMs],
      [5, 3, 9],
    );
  });

  it('refuses an unknown final status only when an application is compared with it', () => {
    const bad = query('finalStatus=GREAT');

    assert.equal(
      codeOf(() => bad.matches(seen({}))),
      'ILLEGAL_ARGUMENT',
    );
  });
});
