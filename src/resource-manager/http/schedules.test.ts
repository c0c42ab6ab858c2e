import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { administeredBy, startManager } from '../test-support/running-manager.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-schedules-'));
const path = '/api/v1/schedules';
const settings = { ...administeredBy('alice'), 'yarn.acl.enable': 'true' };
let role: RunningRole;
before(async () => {
  role = await startManager(folder, settings);
});
after(async () => {
  await role.close();
  rmSync(folder, { recursive: true, force: true });
});

async function request(method: string, address: string, user: string, body?: unknown) {
  const mark = address.includes('?') ? '&' : '?';
  const response = await fetch(`${role.addresses['web']}${address}${mark}user.name=${user}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  return { status: response.status, text, json: (text.startsWith('{') ? JSON.parse(text) : undefined) as any };
}

const submission = {
  run: { command: ['true'], secrets: { KEY: 'very secret' }, tags: ['night'], constraint: 'notin,node,night', files: { a: { text: 'b' } } },
};
const wish = { name: 'nightly', cron: '0 0 1 1 *', timeZone: 'Europe/Berlin', submission };

describe('/api/v1/schedules', () => {
  it('makes, lists, shows, pauses, runs and removes schedules of who calls, and outlives the process', async () => {
    const made = await request('POST', path, 'ann', wish);
    assert.deepEqual([made.status, made.json.overlap, made.json.missed, made.json.next.length], [201, 'skip', 'one', 5], made.text);
    assert.doesNotMatch(made.text, /secret/);
    assert.equal((await request('POST', path, 'ann', wish)).status, 409);
    const ran = (await request('POST', `${path}/ann/nightly/run`, 'ann')).json.applicationId;
    const { json: asked } = await request('GET', `/api/v1/applications/${ran}/run`, 'ann');
    assert.deepEqual(
      [asked.name, asked.user, asked.run.placement],
      ['nightly', 'ann', { tags: ['night'], constraint: 'notin,node,night' }],
    );
    await role.close();
    role = await startManager(folder, settings);
    const { runs, cron, paused } = (await request('GET', `${path}/ann/nightly`, 'ann')).json;
    assert.deepEqual([runs.length, runs[0].applicationId, runs[0].outcome, cron, paused], [1, ran, 'submitted', wish.cron, false]);
    assert.deepEqual((await request('POST', `${path}/ann/nightly/pause`, 'ann')).json.next, []);
    assert.equal((await request('POST', `${path}/ann/nightly/resume`, 'alice')).json.next.length, 5);
    const replaced = await request('POST', path, 'ann', { ...wish, cron: '@daily', replace: true });
    assert.deepEqual([replaced.status, replaced.json.cron, replaced.json.runs.length], [201, '@daily', 1]);
    assert.equal((await request('DELETE', `${path}/ann/nightly`, 'ann')).json.removed, 'nightly');
    assert.deepEqual((await request('GET', path, 'ann')).json.schedules, []);
  });

  it('keeps the schedules of others apart, but for administrators', async () => {
    await request('POST', path, 'ann', { ...wish, name: 'hers' });
    for (const [method, action] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/run'],
    ] as const)
      assert.equal((await request(method, `${path}/ann/hers${action}`, 'eve')).status, 404, action);
    assert.deepEqual((await request('GET', path, 'eve')).json.schedules, []);
    assert.equal((await request('GET', `${path}?all=true`, 'eve')).status, 403);
    assert.equal((await request('GET', `${path}?all=true`, 'alice')).json.schedules.length, 1);
    assert.equal((await request('GET', `${path}/ann/hers`, 'alice')).status, 200);
  });

  it('tells what it submits without secrets, takes another time for it, and says when that would be', async () => {
    await request('POST', path, 'ann', { ...wish, name: 'told', submission: { ...submission, queue: 'default' } });
    const told = await request('GET', `${path}/ann/told`, 'ann');
    assert.doesNotMatch(told.text, /very secret/);
    const { queue, work } = told.json.submits;
    assert.deepEqual(
      [queue, work.run.command, work.run.secrets, work.run.files],
      ['default', ['true'], ['KEY'], [{ name: 'a', archive: false, bytes: 1 }]],
    );
    assert.equal(
      (await request('GET', path, 'ann')).json.schedules.find(({ name }: { name: string }) => name === 'told').submits,
      undefined,
    );
    const { submission: _, ...timing } = wish;
    const changed = await request('POST', path, 'ann', { ...timing, name: 'told', cron: '@hourly', replace: true });
    assert.deepEqual([changed.status, changed.json.cron], [201, '@hourly'], changed.text);
    assert.deepEqual((await request('GET', `${path}/ann/told`, 'ann')).json.submits, told.json.submits);
    assert.equal((await request('POST', path, 'ann', { ...timing, name: 'new', replace: true })).status, 400);
    const times = async (cron: string, zone: string) =>
      (await request('GET', `/api/v1/schedule-times?cron=${encodeURIComponent(cron)}&timeZone=${encodeURIComponent(zone)}`, 'eve')).json;
    const { next } = await times('30 12 1 7 *', 'Europe/Berlin');
    assert.deepEqual([next.length, new Date(next[0]).toISOString().slice(4)], [5, '-07-01T10:30:00.000Z']);
    assert.deepEqual(await times('61 * * * *', 'UTC'), { next: [], fault: (await times('61 * * * *', 'UTC')).fault });
    assert.match((await times('61 * * * *', 'UTC')).fault, /'61' is no minute/);
    assert.match((await times('@daily', 'Mars/Base')).fault, /is no time zone/);
    assert.match((await times('x'.repeat(300), 'UTC')).fault, /longer than 200/);
  });

  it('changes what a schedule submits by a merge patch: what is not named stays, secrets and files too', async () => {
    const whole = {
      ...{ 'application-name': 'begun', queue: 'default', priority: 3, 'application-timeouts': { LIFETIME: 60 } },
      ...{ 'app-node-label-expression': 'fast', resource: { memory: 300, vCores: 1 } },
      run: { ...submission.run, environment: { A: '1', API_TOKEN: 'very secret' } },
    };
    await request('POST', path, 'ann', { ...wish, name: 'patched', submission: whole });
    const { submission: _, ...timing } = { ...wish, name: 'patched', replace: true };
    const patch = {
      queue: null,
      run: { command: ['sh', '-c', 'date'], secrets: { MORE: 'too' }, environment: { A: null, B: '2' }, files: { b: { text: 'longer' } } },
    };
    const changed = await request('POST', path, 'ann', { ...timing, submissionPatch: patch });
    assert.equal(changed.status, 201, changed.text);
    const { submits } = (await request('GET', `${path}/ann/patched`, 'ann')).json;
    const { name, queue, priority, lifetimeSeconds, label, masterMemoryMiB, work } = submits;
    assert.deepEqual([name, queue, priority, lifetimeSeconds, label, masterMemoryMiB], ['begun', undefined, 3, 60, 'fast', 300]);
    const { command, secrets, environment, files } = work.run;
    assert.deepEqual(
      [command, secrets, environment, work.hiddenVariables],
      [['sh', '-c', 'date'], ['KEY', 'MORE'], { B: '2' }, ['API_TOKEN']],
    );
    assert.deepEqual(files, [
      { name: 'a', archive: false, bytes: 1 },
      { name: 'b', archive: false, bytes: 6 },
    ]);
    for (const [wrong, status] of [
      [{ ...timing, submissionPatch: { run: { command: [] } } }, 400],
      [{ ...timing, submissionPatch: { unknown: 1 } }, 400],
      [{ ...timing, submissionPatch: { run: { command: ['x'.repeat(1_100_000)] } } }, 400],
      [{ ...timing, submissionPatch: [] }, 400],
      [{ ...timing, submissionPatch: patch, submission }, 400],
      [{ ...timing, replace: false, submissionPatch: patch }, 400],
      [{ ...timing, name: 'nobodys', submissionPatch: patch }, 400],
    ] as const)
      assert.equal((await request('POST', path, 'ann', wrong)).status, status, JSON.stringify(wrong).slice(0, 200));
    // Whose name is free to others: nobody changes what somebody else submits.
    assert.equal((await request('POST', path, 'alice', { ...timing, submissionPatch: patch })).status, 400);
    assert.deepEqual((await request('GET', `${path}/ann/patched`, 'ann')).json.submits, submits);
  });

  it('refuses what cannot be, and keeps nothing of it', async () => {
    const wrong: [object, number][] = [
      [{ name: 'a/b' }, 400],
      [{ name: '' }, 400],
      [{ cron: '61 * * * *' }, 400],
      [{ cron: '0 0 30 2 *' }, 400],
      [{ cron: '0 0 31 2,4,6,9,11 *' }, 400],
      [{ timeZone: 'Mars/Base' }, 400],
      [{ overlap: 'maybe' }, 400],
      [{ missed: 'all' }, 400],
      [{ submission: 'x' }, 400],
      [{ submission: undefined }, 400],
      [{ submission: { run: { command: [] } } }, 400],
      [{ submission: { run: { command: ['a'], constraint: 'no such' } } }, 400],
      [{ submission: { run: { command: ['a'], tags: ['a b'] } } }, 400],
      [{ submission: { ...submission, 'application-id': 'application_1_0001' } }, 400],
      [{ submission: { ...submission, 'idempotency-key': 'x' } }, 400],
      [{ submission: { unknown: 1 } }, 400],
      [{ unknown: 1 }, 400],
      [{ submission: { run: { command: ['x'.repeat(1_100_000)] } } }, 400],
    ];
    for (const [more, status] of wrong) {
      const answer = await request('POST', path, 'bob', { ...wish, ...more });
      assert.equal(answer.status, status, `${JSON.stringify(more).slice(0, 100)}: ${answer.text}`);
    }
    assert.equal((await request('GET', `${path}/bob/none`, 'bob')).status, 404);
    assert.deepEqual((await request('GET', path, 'bob')).json.schedules, []);
  });
});
