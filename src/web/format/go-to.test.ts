import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeOfId, placesFor } from './go-to.ts';

const known = {
  role: 'resource-manager',
  pages: [
    { path: '/', title: 'Overview' },
    { path: '/queues', title: 'Queues' },
  ],
  queues: ['root', 'root.etl', 'root.default', 'root.etl.night'],
  nodes: ['n1.example:45454', 'etl-7:45454'],
  applications: [{ id: 'application_1_0004', name: 'load', user: 'ada' }],
};

describe('what is typed', () => {
  it('is an id in any of its forms, and leads to what the server has of it', () => {
    const to = (id: string, role = 'resource-manager') => placeOfId(id, role)?.to;
    assert.equal(to(' application_17_0004 '), '/applications/application_17_0004');
    assert.equal(to('appattempt_17_0004_000001'), '/applications/application_17_0004');
    assert.equal(
      to('container_e01_17_0004_01_000002'),
      '/applications/application_17_0004?tab=logs&container=container_e01_17_0004_01_000002',
    );
    for (const id of ['job_17_0004', 'task_17_0004_m_000000', 'attempt_17_0004_r_000000_1']) {
      assert.equal(to(id), '/jobs/job_17_0004');
      assert.equal(to(id, 'history'), '/jobs/job_17_0004');
    }
    assert.equal(to('application_17_0004', 'history'), '/jobs/job_17_0004');
    assert.equal(to('application_17_0004', 'timeline'), '/history/application_17_0004');
    assert.equal(to('container_17_0004_01_000002', 'node-manager'), '/containers/container_17_0004_01_000002');
    for (const [id, role] of [
      ['application_17_0004', 'node-manager'],
      ['application_17_0004', 'proxy'],
      ['application_17', 'resource-manager'],
      ['nightly', 'resource-manager'],
    ] as const)
      assert.equal(placeOfId(id, role), undefined);
  });

  it('is a part of a name: those that begin with it come first', () => {
    const texts = (typed: string) => placesFor(typed, known).map(({ text }) => text);
    assert.deepEqual(texts(''), ['Overview', 'Queues']);
    assert.deepEqual(texts('queue'), ['Queues', 'load', 'All applications with “queue”']);
    assert.deepEqual(texts('ETL').slice(1), ['root.etl', 'root.etl.night', 'etl-7:45454', 'All applications with “ETL”']);
    assert.deepEqual(placesFor('n', { ...known, pages: [], applications: [], queues: ['root.main', 'root.night'] })[0]?.text, 'root.night');
    assert.equal(placesFor('a b&c', known).at(-1)?.to, '/applications?find=a%20b%26c');
    assert.deepEqual(
      placesFor('application_1_0004', known).map(({ what }) => what),
      ['application', 'application 1_0004 of ada'],
    );
  });
});
