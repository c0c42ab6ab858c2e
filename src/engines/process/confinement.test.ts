import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { engineConformance } from '../engine.conformance.ts';
import { shellConformance } from '../shell.conformance.ts';
import type { SupervisedEngine } from '../supervised/supervised-engine.ts';
import { type Confinement, confinedTo, needing, withoutRights } from './confinement.ts';
import { createProcessEngine } from './process-engine.ts';

const home = realpathSync(mkdtempSync(join(tmpdir(), 'confined-')));
after(() => rmSync(home, { recursive: true, force: true }));
const at = (...names: string[]) => join(home, ...names);
for (const name of ['data', 'data/secrets', 'data/recovery', 'data/recovery/processes', 'program']) mkdirSync(at(name), { mode: 0o700 });
for (const name of ['data/secrets/cluster', 'data/recovery/store', 'named-secret', 'others']) writeFileSync(at(name), 'x', { mode: 0o600 });

const confinement = confinedTo({
  stage: at('data/secrets'),
  hidden: [at('data/secrets'), at('data/recovery'), at('named-secret')],
  kept: [at('data/recovery/processes')],
  writable: [at('data')],
  readOnly: [at('program')],
});
const mallory = 61_666;
const isRoot = process.getuid?.() === 0;
if (isRoot) chownSync(at('others'), mallory, mallory);

const engineWith = (folder: string, chosen: Confinement | undefined) =>
  createProcessEngine({ folder, clock: systemClock, logger: silentLogger, noNewPrivileges: true, confinement: chosen });

/** Why what is confined so cannot begin, with what it has to write in and to read; undefined: it can. */
async function refusal(how: Confinement, mustWrite: readonly string[], mustRead: readonly string[] = []): Promise<string | undefined> {
  const before = [...how.before, ...needing(mustWrite, mustRead)];
  const engine = engineWith(at('data/recovery/processes'), { ...how, before });
  const reason = await engine.whyNotReady();
  await engine.close();
  return reason;
}
const refused = isRoot ? await refusal(confinement, [at('data/recovery/processes')]) : 'only root can be confined';
const skip = refused === undefined ? false : refused;

if (!skip) {
  engineConformance('process, confined', (folder) => engineWith(folder, confinement));
  shellConformance('process, confined', (folder) => engineWith(folder, confinement));
}
if (isRoot) shellConformance('process, without capabilities', (folder) => engineWith(folder, withoutRights));

/** What is tried: each line prints its name and `yes` where it succeeded. Nothing of it lasts where it does. */
const tries = `
try() { if "\${@:2}" >/dev/null 2>&1; then echo "$1 yes"; else echo "$1 no"; fi; }
opens() { : >>"$1"; }
disk() { [[ -n $(find /dev -type b) ]]; }
mounts() { mount -t tmpfs tmpfs "$HOME_OF_TEST/data" && umount "$HOME_OF_TEST/data"; }
renames() { mv "$1" "$1.away" && mv "$1.away" "$1"; }
writes() { : >"$1/heddle-test-$$" && rm "$1/heddle-test-$$"; }
inside() { unshare --user --map-root-user --mount sh -c "umount $HOME_OF_TEST/data/secrets; cat $HOME_OF_TEST/data/secrets/cluster"; }
: >own
try capabilities grep -E 'CapBnd:.*[1-9a-f]' /proc/self/status
try mount mounts
try chown chown ${mallory} own
try others-file cat "$HOME_OF_TEST/others"
try etc writes /etc
try usr writes /usr
try root-folder writes /
try sysctl opens /proc/sys/kernel/core_pattern
try disks disk
try program writes "$HOME_OF_TEST/program"
try program-moved renames "$HOME_OF_TEST/program"
try secret cat "$HOME_OF_TEST/data/secrets/cluster"
try secret-uncovered inside
try secret-moved renames "$HOME_OF_TEST/data"
try named-secret grep x "$HOME_OF_TEST/named-secret"
try store cat "$HOME_OF_TEST/data/recovery/store"
try environment grep -q . "/proc/$SERVER/environ"
try memory readlink "/proc/$SERVER/fd/0"
try others-process kill -0 "$OTHER"`;
const names = [...tries.matchAll(/^try (\S+)/gm)].map(([, name]) => name!);
const allowed = `
try work writes .
try tmp writes /tmp
try var-tmp writes /var/tmp
try shared-memory writes /dev/shm
try data writes "$HOME_OF_TEST/data"
try home writes "$HOME_OF_TEST"
try terminal script --quiet --return --command true /dev/null
try null opens /dev/null
try own-process kill -0 $$`;

describe('containers of root', { skip }, () => {
  let other: ChildProcess;
  let engine: SupervisedEngine;
  let count = 0;
  // The engine's own timers do not keep a process alive.
  let alive: NodeJS.Timeout;
  before(async () => {
    alive = setInterval(() => undefined, 1000);
    other = spawn('sleep', ['600'], { uid: mallory, gid: mallory, stdio: 'ignore', cwd: '/' });
    await new Promise<void>((resolve, reject) => other.once('spawn', resolve).once('error', reject));
  });
  after(async () => {
    clearInterval(alive);
    other.kill('SIGKILL');
    await engine.close();
  });

  /** Runs a script and gives the lines that it printed. */
  async function printed(chosen: Confinement | undefined, folder: string, script: string): Promise<string[]> {
    engine = engineWith(at(folder), chosen);
    const containerId = `container_1_0001_01_${String(++count).padStart(6, '0')}`;
    const workFolder = at(containerId);
    mkdirSync(workFolder);
    writeFileSync(join(workFolder, 'run.sh'), `{\n${script}\n} >out 2>errors`);
    await engine.start({
      containerId,
      user: 'u',
      script: join(workFolder, 'run.sh'),
      workFolder,
      environment: { HOME_OF_TEST: home, SERVER: String(process.pid), OTHER: String(other.pid) },
      limits: { memoryMiB: 128, vcores: 1 },
    });
    assert.deepEqual(await engine.wait(containerId), { exitCode: 0 }, readFileSync(join(workFolder, 'errors'), 'utf8'));
    return readFileSync(join(workFolder, 'out'), 'utf8').trim().split('\n');
  }

  it('can do nothing of what root may, once confined', async () => {
    const lines = await printed(confinement, 'data/recovery/processes', tries);
    assert.deepEqual(
      lines,
      names.map((name) => `${name} no`),
    );
    await engine.close();
  });

  it('can do what they need, confined too', async () => {
    const functions = tries.slice(0, tries.indexOf('\n: >own'));
    const lines = await printed(confinement, 'data/recovery/processes', functions + allowed);
    assert.deepEqual(
      lines,
      [...allowed.matchAll(/^try (\S+)/gm)].map(([, name]) => `${name} yes`),
    );
    await engine.close();
  });

  it('can do all of it where they are root', async () => {
    const lines = await printed(undefined, 'plain', tries);
    // What has no disk shows none to anybody.
    const least = names.filter((name) => name !== 'disks').map((name) => `${name} yes`);
    assert.deepEqual(
      lines.filter((line) => !line.startsWith('disks ')),
      least,
    );
  });
});

it('a place that confined containers could not write to is told', { skip }, async () => {
  const closed = at('closed');
  mkdirSync(closed);
  chownSync(closed, mallory, mallory);
  chmodSync(closed, 0o700);
  assert.match((await refusal(withoutRights, [join(closed, 'inside')])) ?? '', /it could not write in .*closed\/inside/);
  assert.match((await refusal(withoutRights, [], [join(closed, 'inside')])) ?? '', /it could not read .*closed\/inside/);
  assert.match((await refusal({ ...withoutRights, before: [] }, [])) ?? '', /capabilities are left/);
  assert.match((await refusal({ ...withoutRights, before: ['there-is-no-such-program'] }, [])) ?? '', /there-is-no-such-program/);
  assert.match((await refusal({ ...withoutRights, before: ['false'] }, [])) ?? '', /ended with 1/);
});

it('what reads for confined containers sees no secret, and has no rights over the files of others', { skip }, () => {
  writeFileSync(at('own'), 'x', { mode: 0o600 });
  const paths = ['own', 'data/secrets/cluster', 'data/recovery/store', 'data/recovery/processes', 'named-secret', 'others'].map((name) =>
    at(name),
  );
  const tried = 'for path; do if [ -d "$path" ] || grep -q x "$path"; then echo "$path"; fi; done 2>/dev/null';
  const [program = '', ...words] = [
    ...confinement.reading,
    '/bin/bash',
    '-c',
    tried,
    'bash',
    ...paths,
    `/proc/${process.pid}/root${at('named-secret')}`,
  ];
  assert.equal(execFileSync(program, words, { encoding: 'utf8' }), `${at('own')}\n`);
});
