import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAccessList } from '../model/access-list.ts';
import { isAllowed } from './access-lists.ts';
import { groupMapping } from './groups.ts';
import { addressMatches, proxyUsers } from './proxy-users.ts';

const groupsOf = groupMapping('ada=research,staff;bob=;eve=staff');

describe('access lists', () => {
  it('takes the part after the blank as groups', () => {
    const list = parseAccessList('root admin');
    assert.ok(isAllowed(list, 'root', groupsOf));
    assert.ok(!isAllowed(list, 'admin', groupsOf));
    assert.ok(isAllowed(parseAccessList('x staff'), 'eve', groupsOf));
    assert.ok(isAllowed(parseAccessList(' research'), 'ada', groupsOf));
  });
  it('lets every user in for a star and none for a blank', () => {
    assert.ok(isAllowed(parseAccessList('*'), 'anyone', groupsOf));
    assert.ok(!isAllowed(parseAccessList(' '), 'anyone', groupsOf));
    assert.ok(!isAllowed(parseAccessList(''), '', groupsOf));
  });
  it('looks up groups only where the list has some', () => {
    const unexpected = (): never => assert.fail('groups were looked up');
    assert.ok(isAllowed(parseAccessList('ada staff'), 'ada', unexpected));
    assert.ok(!isAllowed(parseAccessList('ada'), 'eve', unexpected));
  });
});

describe('proxy users', () => {
  const may = proxyUsers(
    [
      ['hadoop.proxyuser.root.hosts', '*'],
      ['hadoop.proxyuser.root.groups', '*'],
      ['hadoop.proxyuser.knox.hosts', '10.0.0.0/8,localhost'],
      ['hadoop.proxyuser.knox.users', 'bob'],
      ['hadoop.proxyuser.knox.groups', 'research'],
      ['hadoop.proxyuser.half.users', '*'],
    ],
    groupsOf,
  );
  it('needs an allowed address and an allowed target', () => {
    assert.ok(may('root', 'anyone', '1.2.3.4'));
    assert.ok(may('knox', 'bob', '10.9.8.7'));
    assert.ok(may('knox', 'ada', '127.0.0.1'));
    assert.ok(!may('knox', 'eve', '127.0.0.1'));
    assert.ok(!may('knox', 'bob', '11.0.0.1'));
    assert.ok(!may('half', 'bob', '127.0.0.1'));
    assert.ok(!may('ada', 'ada', '127.0.0.1'));
  });
  it('knows ranges and mapped addresses', () => {
    assert.ok(addressMatches('::ffff:192.168.1.7', '192.168.1.0/24'));
    assert.ok(!addressMatches('192.168.2.7', '192.168.1.0/24'));
  });
});
