import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Membership } from './membership.ts';
import { compareVersions } from './versions.ts';

function inFolder(run: (file: (name: string, text: string) => string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'membership-'));
  try {
    run((name, text) => {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('hosts of plain files join and are kept out, comments and blanks aside', () => {
  inFolder((file) => {
    const lists = new Membership(file('include', 'a b # c\n\td\n'), file('exclude', 'b\nd:1\n'));
    const admitted = ['a:1', 'b:1', 'c:1', 'd:1', 'd:2'].filter((id) => lists.admits(id.split(':')[0]!, id));
    assert.deepEqual(admitted, ['a:1', 'd:2']);
    assert.equal(lists.isUntracked('c', 'c:1'), true);
    assert.equal(lists.isUntracked('b', 'b:1'), false);
  });
});

test('an XML file gives hosts a time of their own', () => {
  inFolder((file) => {
    const text = `<?xml version="1.0"?><hosts><!-- <host><name>z</name></host> -->
      <host><name>a</name><timeout>60</timeout></host><host><name> b </name></host><host><name>c</name><timeout>-1</timeout></host></hosts>`;
    const lists = new Membership(undefined, file('exclude.xml', text));
    assert.deepEqual(
      ['a', 'b', 'c', 'z'].map((host) => [lists.admits(host, `${host}:1`), lists.leaveSeconds(host, `${host}:1`)]),
      [
        [false, 60],
        [false, undefined],
        [false, -1],
        [true, undefined],
      ],
    );
  });
});

test('a file that cannot be read leaves the lists as they were', () => {
  inFolder((file) => {
    const exclude = file('exclude', 'a');
    const lists = new Membership(undefined, exclude);
    rmSync(exclude);
    lists.refresh();
    assert.equal(lists.admits('a', 'a:1'), true);
    const folder = new Membership(undefined, undefined);
    assert.throws(() => new Membership(undefined, join(exclude, '..')));
    assert.equal(folder.admits('a', 'a:1'), true);
  });
});

test('a drained node stays out until it is resumed, also after a restart', () => {
  const lists = new Membership(undefined, undefined);
  lists.setLeaving({ nodeId: 'a:1', httpAddress: 'a:2', byHand: true, untilMs: null });
  assert.equal(lists.admits('a', 'a:1'), false);
  const after = new Membership(undefined, undefined, lists.leaving());
  assert.deepEqual([after.admits('a', 'a:1'), after.leavingNode('a:1')?.httpAddress], [false, 'a:2']);
  lists.stay('a:1');
  assert.equal(lists.admits('a', 'a:1'), true);
  assert.deepEqual(lists.leaving(), []);
});

test('versions are compared part by part', () => {
  const order = ['2.10.2', '3.4.0-SNAPSHOT', '3.4.0', '3.4.2', '3.10'];
  for (const [index, version] of order.entries()) {
    assert.equal(compareVersions(version, version), 0);
    for (const later of order.slice(index + 1)) assert.ok(compareVersions(version, later) < 0 && compareVersions(later, version) > 0);
  }
});
