// `heddle timeline …` against a timeline server: what is put is listed, filtered, shown and refused.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { CommandLine } from '../../src/cli/test-support/command-line.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { systemRandom } from '../../src/lib/random.ts';
import type { RunningRole } from '../../src/lib/role.ts';
import { start } from '../../src/timeline/server.ts';
import { bothVersions } from '../../src/timeline/test-support/timeline-world.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-timeline-commands-'));
let role: RunningRole;
let commands: CommandLine;
const heddle = (...args: string[]) => commands.run('timeline', ...args);

before(async () => {
  const set = { ...bothVersions, 'heddle.timeline.system-writers': 'rm' };
  role = await start(loadConfiguration({ dataDir: folder, set }), { logger: silentLogger, clock: systemClock, random: systemRandom });
  const address = (name: string) => new URL(role.addresses[name] ?? '').host;
  writeFileSync(
    join(folder, 'yarn-site.xml'),
    `<configuration>
      <property><name>yarn.resourcemanager.webapp.address</name><value>127.0.0.1:1</value></property>
      <property><name>yarn.timeline-service.webapp.address</name><value>${address('web')}</value></property>
      <property><name>yarn.timeline-service.reader.webapp.address</name><value>${address('reader')}</value></property>
    </configuration>`,
  );
  commands = new CommandLine({ HADOOP_USER_NAME: 'ann', HOME: folder, HEDDLE_DATA: join(folder, 'none'), HEDDLE_CONF: folder });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await role.close();
  rmSync(folder, { recursive: true, force: true });
});

test('what is put is listed by type, filter and value, page by page, and shown', async () => {
  const entity = (number: number) => ({
    entity: `job${number}`,
    entitytype: 'JOB',
    starttime: 1_790_000_000_000 + number * 1000,
    primaryfilters: { team: [number % 2 ? 'red' : 'blue'] },
    otherinfo: { cost: number },
    events: [{ timestamp: 1_790_000_000_000 + number * 1000, eventtype: 'BEGUN', eventinfo: { on: `n${number}` } }],
  });
  const file = join(folder, 'entities.json');
  writeFileSync(file, JSON.stringify([1, 2, 3, 4].map(entity)));
  const put = await heddle('put', file);
  assert.deepEqual([put.code, put.out], [0, '4 of 4 entities were put.\n'], put.err);
  assert.equal((await heddle('types')).out, 'JOB\n');
  const ids = async (...args: string[]) => (await heddle('list', 'JOB', ...args)).out.match(/^job\d/gm);
  assert.deepEqual(await ids(), ['job4', 'job3', 'job2', 'job1']);
  assert.deepEqual(await ids('--filter', 'team:red'), ['job3', 'job1']);
  assert.deepEqual(await ids('--where', 'cost:2'), ['job2']);
  assert.deepEqual(await ids('--after', '2026-09-21T14:13:22Z', '--before', '1790000003000'), ['job3']);
  const page = await heddle('list', 'JOB', '--limit', '2');
  assert.match(page.out, /There are more: --from 'job2'/);
  assert.deepEqual(await ids('--from', 'job2'), ['job2', 'job1']);
  const { out } = await heddle('show', 'JOB', 'job3');
  assert.match(out, /^domain +DEFAULT$/m);
  assert.match(out, /^cost +3$/m);
  assert.match(out, /BEGUN +on=n3/);
  assert.equal(JSON.parse((await heddle('show', 'JOB', 'job3', '--json')).out).entity, 'job3');
  assert.match((await heddle('domains')).out, /^No domains\.$/m);
});

test('numbers of 64 bits are put and shown to the last digit, however deep they stand', async () => {
  const file = join(folder, 'large.json');
  const [info, deep] = ['9007199254740993', '-9223372036854775808'];
  writeFileSync(file, `{"entity":"e","entitytype":"LARGE","starttime":1,"otherinfo":{"n":${info},"deep":{"list":[${deep}]}}}`);
  assert.equal((await heddle('put', file)).code, 0);
  for (const form of [[], ['--json']]) {
    const { out } = await heddle('show', 'LARGE', 'e', ...form);
    assert.ok(out.includes(info) && out.includes(deep), out);
  }
  assert.match((await heddle('list', 'LARGE', '--where', `n:${info}`)).out, /^e /m);
  assert.doesNotMatch((await heddle('list', 'LARGE', '--where', 'n:9007199254740992')).out, /^e /m);
});

test('what is refused is named, with an exit status', async () => {
  const file = join(folder, 'refused.json');
  writeFileSync(file, JSON.stringify({ entities: [{ entity: 'a', entitytype: 'YARN_APPLICATION' }] }));
  const { code, out, err } = await heddle('put', file);
  assert.equal(code, 1);
  assert.match(out, /YARN_APPLICATION +a +you may not write it/);
  assert.match(err, /1 of 1 entities were refused/);
  writeFileSync(file, 'no JSON');
  assert.equal((await heddle('put', file)).code, 2);
  assert.match((await heddle('show', 'JOB', 'nobody')).err, /is not found/);
});

test('version 2: entities of an application, and flows', async () => {
  const id = 'application_1790000000000_0001';
  const context = { user: 'ann', flow: 'nightly', version: '1', run: 1_790_000_000_000 };
  const entities = [
    { type: 'YARN_APPLICATION', id, createdtime: 1_790_000_000_000 },
    { type: 'STAGE', id: 's1', createdtime: 1, info: { kind: 'sort' }, events: [{ id: 'DONE', timestamp: 5 }] },
    { type: 'STAGE', id: 's2', createdtime: 2 },
  ];
  const answer = await fetch(`${role.addresses['web']}/api/v1/timeline/system?user.name=rm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ writes: [{ applicationId: id, context, collector: 'start', entities }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  assert.equal((await heddle('types', '--application', id)).out, 'STAGE\n');
  assert.match((await heddle('list', 'STAGE', '--application', id)).out, /^s1 .*DONE/m);
  const sorts = (await heddle('list', 'STAGE', '--application', id, '--where', 'kind:sort')).out;
  assert.deepEqual(sorts.match(/^s\d/gm), ['s1']);
  assert.match((await heddle('show', 'STAGE', 's1', '--application', id)).out, /^kind +sort$/m);
  assert.match((await heddle('flows')).out, /^2026-09-21 +ann +nightly +1$/m);
});
