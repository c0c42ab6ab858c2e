import assert from 'node:assert/strict';
import test from 'node:test';
import { plainPage } from './plain-page.ts';

test('each web page leads to the plain page about the same thing', () => {
  const application = 'application_1700000000000_0001';
  for (const [role, path, expected] of [
    ['resource-manager', '/', 'cluster'],
    ['resource-manager', '/applications', 'cluster/apps'],
    ['resource-manager', `/applications/${application}`, `cluster/app/${application}`],
    ['resource-manager', '/jobs', 'cluster'],
    ['resource-manager', '/jobs/job_1700000000000_0001', `cluster/app/${application}`],
    ['resource-manager', '/nodes/a%3A8041', 'cluster/nodes'],
    ['resource-manager', '/queues/root.a/edit', 'cluster/scheduler'],
    ['resource-manager', '/labels', 'cluster/nodelabels'],
    ['node-manager', '/', 'node'],
    ['node-manager', '/containers/container_1_0001_01_000001', 'node/container/container_1_0001_01_000001'],
    ['history', '/jobs', 'jobhistory'],
    ['history', '/jobs/job_1_0001', 'jobhistory/job/job_1_0001'],
    ['timeline', '/timeline', 'applicationhistory'],
    ['timeline', `/history/${application}`, `applicationhistory/app/${application}`],
    ['proxy', '/', undefined],
  ] as const)
    assert.equal(plainPage(role, path), expected, `${role} ${path}`);
});

test('an id of the address stays one part of it', () => {
  assert.equal(plainPage('resource-manager', '/applications/a%2F..%2Fb'), 'cluster/app/a%2F..%2Fb');
  assert.equal(plainPage('history', '/jobs/%zz'), 'jobhistory/job/%25zz');
});
