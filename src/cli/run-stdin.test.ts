// What `heddle run` says of a standard input that it does not pass on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { unreadInput } from './run-stdin.ts';

const said = /^standard input is not passed on to the command; --stdin does that$/;

it('a file with something in it, and a pipe, are said to go nowhere; an empty file, a device and what is closed are not spoken of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unread-'));
  const of = (path: string, isMachine = false): string | undefined => {
    const descriptor = openSync(path, 'r+');
    try {
      return unreadInput(descriptor, isMachine);
    } finally {
      closeSync(descriptor);
    }
  };
  try {
    const [full, empty, pipe] = [join(folder, 'full'), join(folder, 'empty'), join(folder, 'pipe')];
    writeFileSync(full, 'x');
    writeFileSync(empty, '');
    assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
    assert.match(of(full) ?? '', said);
    assert.match(of(pipe) ?? '', said);
    for (const silent of [empty, '/dev/null']) assert.equal(of(silent), undefined, silent);
    assert.equal(of(pipe, true), undefined);
    assert.equal(unreadInput(-1, false), undefined);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
