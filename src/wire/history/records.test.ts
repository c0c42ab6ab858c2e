import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../codec/json.ts';
import { writeXml } from '../codec/xml.ts';
import type { ContainerLogs } from '../files/aggregated-log-folder.ts';
import { javaDateText } from '../files/aggregated-log-folder.ts';
import { parseHistoryFileName } from '../files/job-history-names.ts';
import { aggregatedLogsView, containerLogsList, localLogsPlaceholder, remoteLogPaths } from './container-logs.ts';
import { historyInfo } from './history-info.ts';
import { job, jobs, listedJobView, unparsedJobView } from './jobs.ts';

const index = parseHistoryFileName('job_1_0001-10-ann-a+job-90-3-1-SUCCEEDED-root.q-20.jhist')!;

describe('a finished job', () => {
  it('is listed by what the name of its file says', () => {
    assert.equal(
      writeJson(job, listedJobView(index)),
      '{"job":{"submitTime":10,"startTime":20,"finishTime":90,"id":"job_1_0001","name":"a job","queue":"root.q","user":"ann","state":"SUCCEEDED","mapsTotal":3,"mapsCompleted":3,"reducesTotal":1,"reducesCompleted":1}}',
    );
  });

  it('that is too large to load says that nothing is known of what is complete', () => {
    const view = unparsedJobView(index);
    assert.deepEqual([view.mapsTotal, view.mapsCompleted, view.reducesTotal, view.reducesCompleted], [3, -1, 1, -1]);
  });

  it('stands in a list that stays a list, also alone, and is empty without one', () => {
    assert.equal(JSON.parse(writeJson(jobs, { job: [listedJobView(index)] })).jobs.job.length, 1);
    assert.equal(writeJson(jobs, { job: [] }), '{"jobs":{}}');
    assert.match(writeXml(jobs, {}), /<jobs\/>$/);
  });
});

describe('the server', () => {
  it('tells when it started, and its versions', () => {
    assert.equal(
      writeJson(historyInfo, { startedOn: 5, hadoopVersion: '3.4.2' }),
      '{"historyInfo":{"startedOn":5,"hadoopVersion":"3.4.2"}}',
    );
  });
});

describe('the logs of a container', () => {
  const logs: ContainerLogs = {
    containerId: 'container_1_0001_01_000001',
    nodeFile: { name: 'node_1', path: '/unread', modifiedMs: 1_700_000_000_000.7 },
    files: [
      { name: 'stderr', sizeBytes: 0 },
      { name: 'stdout', sizeBytes: 2 ** 40 },
    ],
    owner: 'ann',
    acls: {},
  };

  it('show sizes as texts, and times as dates or numbers', () => {
    const dates = aggregatedLogsView(logs);
    assert.deepEqual(dates.containerLogInfo, [
      { fileName: 'stderr', fileSize: '0', lastModifiedTime: javaDateText(1_700_000_000_000) },
      { fileName: 'stdout', fileSize: '1099511627776', lastModifiedTime: javaDateText(1_700_000_000_000) },
    ]);
    assert.equal(aggregatedLogsView(logs, 'number').containerLogInfo?.[0]?.lastModifiedTime, '1700000000000');
    assert.deepEqual([dates.logAggregationType, dates.nodeId], ['AGGREGATED', 'node_1']);
  });

  it('collapse to an object where they are one, in JSON without a root', () => {
    const running = localLogsPlaceholder('container_1_0001_01_000002', 'node:1');
    const local = '{"logAggregationType":"LOCAL","containerId":"container_1_0001_01_000002","nodeId":"node:1"}';
    assert.equal(writeJson(containerLogsList, { containerLogsInfo: [running] }), `{"containerLogsInfo":${local}}`);
    assert.equal(writeJson(containerLogsList, { containerLogsInfo: [running, running] }), `{"containerLogsInfo":[${local},${local}]}`);
    assert.match(
      writeXml(containerLogsList, { containerLogsInfo: [running] }),
      /<containerLogsInfoes><containerLogsInfo><logAggregationType>LOCAL</,
    );
  });

  it('lie in places that are named by their controller', () => {
    assert.equal(
      writeJson(remoteLogPaths, { paths: [{ fileController: 'TFile', path: '/logs/ann' }] }),
      '{"paths":{"fileController":"TFile","path":"/logs/ann"}}',
    );
  });
});
