// `heddle schedule show`, of what a server tells.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { type CommandLine, commandsAt, StubServer } from './test-support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-schedule-show-'));
const known = {
  ...{ name: 'nightly', user: 'ada', cron: '30 2 * * *', timeZone: 'UTC', overlap: 'skip', missed: 'one', paused: false },
  next: [1_700_000_000_000],
  runs: [{ dueMs: 1_690_000_000_000, outcome: 'SKIPPED', reason: 'the one before still ran' }],
};
const work = (part: object) => ({ ...part, hiddenVariables: [], withoutPasswords: false });
const submits: Readonly<Record<string, unknown>> = {
  nightly: { queue: 'root.etl', tags: [], work: work({ run: { command: ['date', '-u'], instances: 2 } }) },
  launched: { tags: [], work: work({ launch: { commands: ['./begin', './go'] } }) },
  unreadable: undefined,
};
const server = new StubServer(({ path }) => {
  const name = path.split('/').at(-1)!;
  return path.startsWith('/api/v1/schedules/') ? { json: { ...known, name, submits: submits[name] } } : undefined;
});
let commands: CommandLine;
before(async () => {
  commands = commandsAt(await server.listen(), { HEDDLE_DATA: join(folder, 'data') });
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

it('says when a schedule is due, what it runs, and what came of the last runs', async () => {
  const { code, out } = await commands.run('schedule', 'show', 'nightly');
  assert.equal(code, 0);
  assert.match(out, /^next +2023-11-14 22:13:20Z$/m);
  assert.match(out, /^runs +date -u\ninstances +2\nqueue +root\.etl$/m);
  assert.match(out, /SKIPPED .*the one before still ran/);
});

it('says of a master of its own what that runs, and nothing of what the server cannot read', async () => {
  assert.match((await commands.run('schedule', 'show', 'launched')).out, /^runs +\.\/begin; \.\/go$/m);
  const { code, out } = await commands.run('schedule', 'show', 'unreadable');
  assert.equal(code, 0);
  assert.doesNotMatch(out, /^(?:runs|instances|queue) /m);
});
