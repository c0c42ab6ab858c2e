import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as batchConfiguration from '../../src/wire/batch/configuration.ts';
import * as batchCounters from '../../src/wire/batch/counters.ts';
import * as batchJobs from '../../src/wire/batch/jobs.ts';
import * as batchAttempts from '../../src/wire/batch/task-attempts.ts';
import * as batchTasks from '../../src/wire/batch/tasks.ts';
import * as activities from '../../src/wire/cluster/activities.ts';
import * as application from '../../src/wire/cluster/application.ts';
import * as attempt from '../../src/wire/cluster/attempt.ts';
import * as clusterInfo from '../../src/wire/cluster/cluster-info.ts';
import * as delegationToken from '../../src/wire/cluster/delegation-token.ts';
import * as node from '../../src/wire/cluster/node.ts';
import * as nodeLabels from '../../src/wire/cluster/node-labels.ts';
import * as queueAccess from '../../src/wire/cluster/queue-access.ts';
import * as reservation from '../../src/wire/cluster/reservation.ts';
import * as resource from '../../src/wire/cluster/resource.ts';
import * as scheduler from '../../src/wire/cluster/scheduler.ts';
import * as schedulerConf from '../../src/wire/cluster/scheduler-conf.ts';
import type { RecordDescription } from '../../src/wire/codec/describe.ts';
import { writeJson } from '../../src/wire/codec/json.ts';
import { writeXml } from '../../src/wire/codec/xml.ts';
import * as historyLogs from '../../src/wire/history/container-logs.ts';
import * as historyInfo from '../../src/wire/history/history-info.ts';
import * as historyJobs from '../../src/wire/history/jobs.ts';
import * as nodeApplications from '../../src/wire/node/applications.ts';
import * as nodeServices from '../../src/wire/node/auxiliary-services.ts';
import * as nodeLogs from '../../src/wire/node/container-logs.ts';
import * as nodeContainers from '../../src/wire/node/containers.ts';
import * as nodeInfo from '../../src/wire/node/node-info.ts';
import * as nodeResources from '../../src/wire/node/resource-information.ts';
import * as applicationHistory from '../../src/wire/timeline/history-records.ts';
import * as timelineLogs from '../../src/wire/timeline/log-records.ts';
import * as timeline from '../../src/wire/timeline/v1-records.ts';
import { parseElements, parseRepeating, readValueOf, recordedAnswers } from './recordings.ts';

const isRecord = (value: unknown): value is RecordDescription =>
  typeof value === 'object' && value !== null && 'root' in value && 'wire' in value;

/** The records of some modules, by their root names; `others` are those that share a root with another one. */
function recordsOf(modules: readonly object[], others: Readonly<Record<string, RecordDescription>> = {}): Map<string, RecordDescription> {
  const found = new Map<string, RecordDescription>();
  for (const module of modules)
    for (const value of Object.values(module)) if (isRecord(value) && !found.has(value.root)) found.set(value.root, value);
  for (const [name, record] of Object.entries(others)) found.set(name, record);
  return found;
}

const interfaces = {
  'resource-manager': recordsOf(
    [
      activities,
      application,
      attempt,
      clusterInfo,
      delegationToken,
      node,
      nodeLabels,
      queueAccess,
      reservation,
      resource,
      scheduler,
      schedulerConf,
    ],
    { scheduler: scheduler.schedulerType as RecordDescription, schedulerOverview: scheduler.schedulerOverview as RecordDescription },
  ),
  'node-manager': recordsOf([nodeApplications, nodeServices, nodeLogs, nodeContainers, nodeInfo, nodeResources]),
  'application-master': recordsOf([batchConfiguration, batchCounters, batchJobs, batchAttempts, batchTasks]),
  'job-history': recordsOf([historyInfo, historyJobs, historyLogs, batchJobs, batchAttempts]),
  'application-history': recordsOf([applicationHistory, timelineLogs, timeline]),
  'timeline-v1': recordsOf([timeline], { events: timeline.timelineEvents as RecordDescription }),
} as const;

for (const [api, records] of Object.entries(interfaces)) {
  describe(`the descriptions of the ${api} interface`, () => {
    for (const { id, record: root, contentType, body } of recordedAnswers(api)) {
      it(`name every member of "${id}" and write it again, byte by byte`, () => {
        const record = records.get(root);
        assert.ok(record, `there is no record ${root}`);
        if (contentType.includes('xml')) assert.equal(writeXml(record, readValueOf(record, parseElements(body), 'xml')), body);
        else assert.equal(writeJson(record, readValueOf(record, parseRepeating(body), 'json')), body);
      });
    }
  });
}

it('no recording is too small to say anything: each interface has answers in JSON, and those with XML in both', () => {
  for (const api of Object.keys(interfaces)) {
    const answers = recordedAnswers(api);
    assert.ok(answers.length >= 10, api);
    assert.ok(answers.some(({ contentType }) => contentType.includes('json')));
    if (api !== 'timeline-v1')
      assert.ok(
        answers.some(({ contentType }) => contentType.includes('xml')),
        api,
      );
  }
});
