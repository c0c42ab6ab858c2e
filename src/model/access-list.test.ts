import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accessListOf, accessListText, isListed, parseAccessList } from './access-list.ts';

const parts = (text: string): [boolean, string[], string[]] => {
  const { everyone, users, groups } = parseAccessList(text);
  return [everyone, [...users], [...groups]];
};

describe('access lists', () => {
  it('end their users at the first blank; all after it are groups', () => {
    assert.deepEqual(parts('ada,bob staff,admins'), [false, ['ada', 'bob'], ['staff', 'admins']]);
    assert.deepEqual(parts('alice staff, admins'), [false, ['alice'], ['staff', 'admins']]);
    assert.deepEqual(parts(' staff'), [false, [], ['staff']]);
    assert.deepEqual(parts('ada,,bob,'), [false, ['ada', 'bob'], []]);
    // As Hadoop's: the second name after a comma and a blank is already a group.
    assert.deepEqual(parts('ada, bob'), [false, ['ada'], ['bob']]);
    assert.deepEqual(parts('ada,\nbob staff'), [false, ['ada', 'bob'], ['staff']]);
  });

  it('list everyone where users or groups are a star, and only then', () => {
    for (const text of ['*', '* ', ' *', 'ada *', '* staff']) assert.deepEqual(parts(text), [true, [], []], JSON.stringify(text));
    for (const text of ['ada,*', '*,ada', 'ada staff,*', '**'])
      assert.ok(!isListed(parseAccessList(text), 'eve', ['crew']), JSON.stringify(text));
  });

  it('list no user where they are empty or blank', () => {
    for (const text of ['', ' ', '  ']) {
      assert.deepEqual(parts(text), [false, [], []]);
      assert.ok(!isListed(parseAccessList(text), '', ['']));
    }
  });

  it('have a user by name or by one group', () => {
    const list = parseAccessList('ada staff, admins');
    assert.ok(isListed(list, 'ada', []));
    assert.ok(isListed(list, 'eve', ['crew', 'admins']));
    assert.ok(!isListed(list, 'staff', []));
    assert.ok(!isListed(list, 'eve', ['ada']));
  });

  it('are made of users and groups that are given apart', () => {
    assert.deepEqual([...accessListOf('ada, bob', 'staff').users], ['ada', 'bob']);
    assert.ok(accessListOf('', '*').everyone);
  });

  it('are written back with their blank', () => {
    assert.equal(accessListText(parseAccessList('root,admin')), 'root,admin ');
    assert.equal(accessListText(parseAccessList('alice staff, admins')), 'alice staff,admins');
    assert.equal(accessListText(parseAccessList('*')), '*');
    assert.equal(accessListText(parseAccessList(' ')), ' ');
  });
});
