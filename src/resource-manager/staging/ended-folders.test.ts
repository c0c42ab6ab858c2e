import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EndedFolders } from './ended-folders.ts';

const small = { bytes: 10, files: 1 };
const mebibyte = 1 << 20;

describe('folders of ended applications', () => {
  it('stay until their time, few and small ones of each user', () => {
    const folders = new EndedFolders(100);
    assert.deepEqual(folders.add('long', 'u-ada', { bytes: 8 * mebibyte + 1, files: 1 }, 0, 0), ['long']);
    assert.deepEqual(folders.add('many', 'u-ada', { bytes: 1, files: 1001 }, 0, 0), ['many']);
    assert.deepEqual(folders.add('late', 'u-ada', small, 0, 100), ['late']);
    assert.equal(folders.has('late'), false);
    for (let index = 0; index < 50; index++) assert.deepEqual(folders.add(`of-ada-${index}`, 'u-ada', small, index, 60), []);
    assert.deepEqual(folders.add('of-bob', 'u-bob', small, 60, 60), []);
    assert.deepEqual(folders.add('one-more', 'u-ada', small, 60, 60), ['of-ada-0']);
    folders.remove('of-ada-0');
    assert.deepEqual(folders.due(102), ['of-ada-1', 'of-ada-2']);
    assert.deepEqual([folders.of('u-bob'), folders.of().length], [['of-bob'], 51]);
  });

  it('go, the oldest first, where they are too long together, of one user and of all', () => {
    const folders = new EndedFolders(100);
    const eight = { bytes: 8 * mebibyte, files: 1 };
    for (let index = 0; index < 8; index++) assert.deepEqual(folders.add(`ada-${index}`, 'u-ada', eight, 0, 0), []);
    assert.deepEqual(folders.add('ada-8', 'u-ada', eight, 0, 0), ['ada-0']);
    folders.remove('ada-0');
    for (let user = 0; user < 15; user++)
      for (let index = 0; index < 8; index++) assert.deepEqual(folders.add(`${user}-${index}`, `u-${user}`, eight, 0, 0), []);
    assert.deepEqual(folders.add('new', 'u-new', eight, 0, 0), ['ada-1']);
    folders.remove('ada-1');
    // What goes for its user makes room for all.
    assert.deepEqual(folders.add('0-8', 'u-0', eight, 0, 0), ['0-0']);
  });

  it('do not stay at all where that is wished', () => {
    assert.deepEqual(new EndedFolders(0).add('a', 'u-ada', small, 5, 5), ['a']);
  });
});
