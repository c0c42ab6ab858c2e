import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { describe, it } from 'node:test';
import { groupMapping } from './groups.ts';
import { addressMatches, proxyUsers } from './proxy-users.ts';

describe('addresses of proxy users', () => {
  it('are equal texts, the star, loopback by its name, or lie in a range', () => {
    const matches: [address: string, host: string][] = [
      ['1.2.3.4', '*'],
      ['1.2.3.4', '1.2.3.4'],
      ['::ffff:1.2.3.4', '1.2.3.4'],
      ['127.0.0.1', 'localhost'],
      ['127.9.9.9', 'localhost'],
      ['::1', 'localhost'],
      ['::ffff:127.0.0.1', 'localhost'],
      ['fe80::1', 'fe80::1'],
      ['10.1.2.3', '10.0.0.0/8'],
      ['10.1.2.3', '10.1.2.3/32'],
      ['200.1.2.3', '0.0.0.0/0'],
      ['192.168.1.255', '192.168.1.0/24'],
      ['192.168.1.129', '192.168.1.128/25'],
    ];
    for (const [address, host] of matches) assert.ok(addressMatches(address, host), `${address} ${host}`);
  });

  it('are none of these elsewhere', () => {
    const others: [address: string, host: string][] = [
      ['1.2.3.4', '1.2.3.5'],
      ['11.0.0.1', '10.0.0.0/8'],
      ['192.168.1.127', '192.168.1.128/25'],
      ['1.2.3.4', 'localhost'],
      ['1.2.3.4', 'gateway.example'],
      ['::1', '0.0.0.0/0'],
      ['', '10.0.0.0/8'],
    ];
    for (const [address, host] of others) assert.ok(!addressMatches(address, host), `${address} ${host}`);
  });

  it('match no range that is malformed: half a range is not every address', () => {
    for (const host of [
      '10.0.0.0/',
      '/8',
      '/',
      '10.0.0.0/33',
      '10.1.2.3/33',
      '10.0.0.0/-1',
      '10.0.0.0/8.5',
      '10.0.0.0/x',
      '10.0.0/8',
      '10.0.0.256/8',
      '10..0.0/8',
      '10.0.0.0/8/8',
      '0x0a.0.0.0/8',
      ' /0',
    ])
      assert.ok(!addressMatches('10.1.2.3', host), host);
  });

  it('are refused where a range is none, as in Hadoop: nobody would be let in, and nothing would say so', () => {
    for (const host of ['10.0.0.0/33', '10.0.0/8', 'fe80::/10', '10.0.0.0/x', '127.0.0.1, 10.0.0.0/'])
      assert.throws(
        () => proxyUsers([['hadoop.proxyuser.hue.hosts', host]], () => []),
        /hadoop\.proxyuser\.hue\.hosts: '.*\/.*' is no range of addresses\. Write addresses/,
      );
    proxyUsers([['hue.groups', 'a/b']], () => []);
  });
});

describe('proxy users', () => {
  const groupsOf = groupMapping('ada=research,staff;bob=;eve=staff');

  it('are told by their settings; other keys say nothing', () => {
    const may = proxyUsers(
      [
        ['knox.hosts', ' 10.0.0.1 , localhost'],
        ['knox.users', 'bob, eve'],
        ['knox.groups', 'research'],
        ['knox', 'x'],
        ['knox.limit', 'x'],
        ['a.b.hosts', '*'],
        ['a.b.users', '*'],
      ],
      groupsOf,
    );
    for (const [user, target, address, expected] of [
      ['knox', 'bob', '10.0.0.1', true],
      ['knox', 'eve', '127.0.0.1', true],
      ['knox', 'ada', '127.0.0.1', true],
      ['knox', 'zoe', '127.0.0.1', false],
      ['knox', 'bob', '10.0.0.2', false],
      ['a.b', 'zoe', '9.9.9.9', true],
      ['other', 'bob', '10.0.0.1', false],
      ['', 'bob', '10.0.0.1', false],
    ] as const)
      assert.equal(may(user, target, address), expected, `${user} for ${target} from ${address}`);
  });

  it('may do nothing without hosts, and for no user without users and groups', () => {
    const may = proxyUsers(
      [
        ['hadoop.proxyuser.a.users', '*'],
        ['hadoop.proxyuser.b.hosts', '*'],
        ['hadoop.proxyuser.c.hosts', ' '],
        ['hadoop.proxyuser.c.groups', '*'],
      ],
      groupsOf,
    );
    for (const user of ['a', 'b', 'c']) assert.ok(!may(user, 'bob', '1.2.3.4'), user);
  });

  it('may be those of another family', () => {
    const prefix = 'yarn.timeline-service.http-authentication.proxyuser.';
    const may = proxyUsers(
      [
        [`${prefix}knox.hosts`, '*'],
        [`${prefix}knox.users`, 'bob'],
      ],
      groupsOf,
      prefix,
    );
    assert.ok(may('knox', 'bob', '1.2.3.4'));
  });
});

describe('groups', () => {
  it('are those that the settings give a user, before those of the system', () => {
    const groupsOf = groupMapping(' ada = research , ,staff ;bob=; zoe ;=x;;');
    assert.deepEqual([groupsOf('ada'), groupsOf('bob'), groupsOf('zoe')], [['research', 'staff'], [], []]);
    const { username } = userInfo();
    assert.deepEqual(groupMapping(`${username}=only`)(username), ['only']);
  });

  it('are those of the system for others, and none for users whom it does not know', () => {
    const groupsOf = groupMapping(undefined);
    assert.ok(groupsOf('root').includes('root'));
    assert.deepEqual(groupsOf('no such user'), []);
    assert.deepEqual(groupsOf('constructor'), []);
    assert.deepEqual(groupsOf(''), []);
  });
});
