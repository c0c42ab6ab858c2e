import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { claimDataDirectory } from './cluster-file.ts';
import type { RoleHost, StoreToExamine } from './host.ts';
import { runCommandLine } from './program.ts';

const data = mkdtempSync(join(tmpdir(), 'heddle-doctor-command-'));
after(() => rmSync(data, { recursive: true, force: true }));

/** Runs a command; its exit code and all that it printed. */
async function printed(
  args: readonly string[],
  stores: readonly StoreToExamine[],
  words = ['--store', '--data', data],
): Promise<[code: number, text: string]> {
  const refuse = () => Promise.reject(new Error('not here'));
  const host: RoleHost = { startRole: refuse, startRoleInThread: refuse, stores: async () => stores };
  const streams = [process.stdout, process.stderr] as const;
  const writes = streams.map(({ write }) => write);
  let text = '';
  for (const [index, stream] of streams.entries())
    stream.write = ((chunk: string | Uint8Array, ...rest: []) => {
      // The test runner's own reports are buffers; they pass.
      if (typeof chunk !== 'string') return writes[index]!.call(stream, chunk, ...rest);
      text += chunk;
      return true;
    }) as typeof stream.write;
  try {
    return [await runCommandLine(['doctor', ...words, ...args], host), text];
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = writes[index]!;
  }
}

/** A store that has something wrong until it is repaired. */
function aStore(path: string, what: string | undefined, plan: string | undefined = 'It is put right.'): StoreToExamine {
  let findings = what === undefined ? [] : [{ what, plan }];
  return {
    name: 'the store of a test',
    path,
    examine: () => ({ isThere: path !== '/absent', version: 3, rows: 7, rejected: 2, findings }),
    repair(stamp) {
      assert.match(stamp, /^[\dTZ-]+$/);
      findings = [];
      return ['it was put right'];
    },
  };
}

describe('heddle doctor', () => {
  it('tells what is sound, what is wrong and what a repair would do', async () => {
    assert.deepEqual(await printed([], [aStore('/sound', undefined), aStore('/absent', undefined)]), [
      0,
      '/sound: sound (the store of a test, schema 3, 7 rows, 2 rows set aside)\n/absent: not there (the store of a test)\n',
    ]);
    assert.deepEqual(await printed([], [aStore('/bad', 'is damaged')]), [1, '/bad: is damaged\n  With --repair: It is put right.\n']);
  });

  it('repairs, and looks again', async () => {
    const stores = [aStore('/sound', undefined), aStore('/bad', 'is damaged')];
    const [code, text] = await printed(['--repair'], stores);
    assert.equal(code, 0);
    assert.match(text, /^\/bad: sound .*\n {2}repaired: it was put right\n$/m);
    const newer: StoreToExamine = {
      ...aStore('/newer', undefined),
      examine: () => ({ isThere: true, version: 9, rows: 0, rejected: 0, findings: [{ what: 'is newer', plan: undefined }] }),
    };
    assert.deepEqual(await printed(['--repair'], [newer]), [1, '/newer: is newer\n  It cannot be repaired here.\n']);
    const told: StoreToExamine = {
      ...newer,
      examine: () => ({ ...newer.examine(), findings: [{ what: 'is newer', plan: undefined, remedy: 'Use that one.' }] }),
    };
    assert.deepEqual(await printed([], [told]), [1, '/newer: is newer\n  Use that one.\n']);
    assert.deepEqual(JSON.parse((await printed(['--json', '--repair'], [aStore('/bad', 'is damaged')]))[1]), [
      {
        store: 'the store of a test',
        file: '/bad',
        isThere: true,
        version: 3,
        rows: 7,
        rejectedRows: 2,
        findings: [],
        done: ['it was put right'],
      },
    ]);
  });

  it('says that the disk of the data folder is full', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'heddle-full-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=512k,mode=700', 'none', folder], { stdio: 'ignore' });
    } catch {
      rmSync(folder, { recursive: true });
      return context.skip('this user cannot mount a small disk');
    }
    try {
      const [code, text] = await printed([], [], ['--data', folder]);
      assert.equal(code, 1);
      assert.match(
        text,
        /^problem: the disk of \S+heddle-full-disk-\S+ is full: changes are refused, and nodes start nothing\n {2}Make room/m,
      );
    } finally {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    }
  });

  it('repairs nothing below what runs, but looks at it', async () => {
    const claim = claimDataDirectory(data, { command: 'heddle start timeline', roles: ['timeline'], isCluster: false });
    const [code, text] = await printed(['--repair'], [aStore('/bad', 'is damaged')]);
    assert.deepEqual([code, /a timeline already runs on .* "heddle start timeline"/.test(text)], [1, true]);
    assert.equal((await printed([], [aStore('/sound', undefined)]))[0], 0);
    claim.remove();
  });
});
