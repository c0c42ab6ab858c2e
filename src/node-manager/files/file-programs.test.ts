// The scripts that look at files, with the programs of small images: what they tell is what they tell with those of GNU.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { escaped, listScript, readScript } from './file-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-file-programs-'));
const work = join(folder, 'work');
const busybox = spawnSync('sh', ['-c', 'command -v busybox'], { encoding: 'utf8' }).stdout.trim();

/** A folder of programs that go before the machine's. */
function programs(name: string, scripts: Readonly<Record<string, string>>): string {
  const place = join(folder, name);
  mkdirSync(place);
  for (const [program, script] of Object.entries(scripts)) writeFileSync(join(place, program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return place;
}

before(() => {
  mkdirSync(join(work, 'sub'), { recursive: true });
  mkdirSync(join(work, 'many'));
  mkdirSync(join(work, 'empty'));
  for (const name of ['plain', '.hidden', '..twice', '-n', 'with blank', 'end\n', '*', 'sub/inner'])
    writeFileSync(join(work, name), `of ${name}`);
  writeFileSync(Buffer.concat([Buffer.from(`${work}/odd`), Buffer.from([0xff])]), '');
  for (let number = 0; number < 1005; number++) writeFileSync(join(work, 'many', String(number)), '');
  for (const [name, target] of Object.entries({ toFile: 'plain', toFolder: 'sub', broken: 'no\nwhere' }))
    symlinkSync(target, join(work, name));
  spawnSync('mkfifo', [join(work, 'pipe')]);
});
after(() => rmSync(folder, { recursive: true }));

type Runner = (script: string, words: readonly string[]) => string;
/** With programs of a folder before those of the machine; `shell`: what runs the script. */
const running =
  (place: string, shell: readonly string[] = ['sh']): Runner =>
  (script, words) =>
    spawnSync(shell[0]!, [...shell.slice(1), '-c', script, 'sh', ...words], {
      env: { PATH: `${place}:${process.env['PATH'] ?? ''}` },
      encoding: 'latin1',
    }).stdout;
const usual = running('/nowhere');

/** The entries that a script told, by name and without parts of seconds, and how it ended. */
function listed(run: Runner, path = ''): { readonly entries: readonly (readonly string[])[]; readonly end: string | undefined } {
  const text = run(listScript, [escaped(Buffer.from(path)), work, work]);
  assert.ok(text.startsWith('ok\n'), text);
  const fields = text.slice('ok\n'.length).split('\0');
  const entries: string[][] = [];
  while (fields.length > 7) {
    const [kind = '', there = '', bytes = '', modified = '', ...rest] = fields.splice(0, 7);
    // No kind has several words, and a folder's own size is nobody's business.
    entries.push([kind, /^[NL?]$/.test(there) ? 'none' : there, kind === 'f' ? bytes : '', modified.replace(/\..*$/, ''), ...rest]);
  }
  return { entries: entries.sort((a, b) => (a[5]! < b[5]! ? -1 : 1)), end: fields[0] };
}
const read = (run: Runner, path: string, [offset, length] = [0, 1000]): string =>
  run(readScript, [String(offset), String(length), 'no', escaped(Buffer.from(path)), work, work]);

/** Everything that is looked at is told by these programs as by those of GNU. */
function tellTheSame(run: Runner): void {
  for (const path of ['', 'sub', 'empty', 'toFolder']) assert.deepEqual(listed(run, path), listed(usual, path), path);
  assert.equal(listed(usual).entries.length, 15);
  for (const path of ['nowhere', 'plain', '../elsewhere'])
    assert.equal(
      run(listScript, [escaped(Buffer.from(path)), work, work]),
      usual(listScript, [escaped(Buffer.from(path)), work, work]),
      path,
    );
  for (const part of [undefined, [3, 2], [-4, 1000], [30, 5]] as const)
    for (const path of ['plain', 'end\n', 'toFile', 'sub', 'pipe', 'broken'])
      assert.equal(read(run, path, part && [...part]), read(usual, path, part && [...part]), `${path} ${part}`);
  assert.match(read(run, 'plain', [3, 2]), /^ok 8 \d+ 3\npl$/);
}

describe('scripts that look at files', () => {
  it('tell without a find that knows -printf what they tell with it', () => {
    tellTheSame(running(programs('other-find', { find: 'exit 1' })));
  });

  it('tell with busybox alone what they tell with the programs of GNU', { skip: busybox === '' && 'no busybox is here' }, () => {
    const place = programs('busybox', {});
    for (const program of ['find', 'stat', 'readlink', 'head', 'tail']) symlinkSync(busybox, join(place, program));
    tellTheSame(running(place, [busybox, 'sh']));
  });

  it('tell a thousand entries one by one, and that there are more', () => {
    const { entries, end } = listed(running(programs('many-find', { find: 'exit 1' })), 'many');
    assert.deepEqual([entries.length, end], [1000, 'more']);
    assert.deepEqual([listed(usual, 'many').entries.length, listed(usual, 'many').end], [1005, '0']);
  });

  it('say that programs are missing, instead of showing nothing', () => {
    const run = running(programs('no-stat', { find: 'exit 127', stat: 'exit 127' }));
    assert.equal(run(listScript, [escaped(Buffer.from('')), work, work]), 'no-tools\n');
    assert.equal(read(run, 'plain'), 'no-tools\n');
  });
});
