import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { type LocalExcess, type LocalSocket, LocalUserCounts, type LocalUserCountsOptions } from './local-user-counts.ts';

const owner = 1000;
const mallory = 1001;
const eve = 1002;

/** A connection of `userId`, which the kernel knows by its port. */
const of = (userId: number | undefined): LocalSocket & EventEmitter & { userId: number | undefined } =>
  Object.assign(new EventEmitter(), { userId, localAddress: '127.0.0.1', localPort: 1, remoteAddress: '127.0.0.1', remotePort: ports++ });
let ports = 1;

function aPort(options: Partial<LocalUserCountsOptions> = {}) {
  const userIds = new Map<number, number | undefined>();
  const asked: number[] = [];
  const refused: (LocalExcess & { readonly of: number | undefined })[] = [];
  const counts = new LocalUserCounts({
    perUser: 10,
    ofStrangers: 15,
    overflow: 0.1,
    unknown: 100,
    isPrivileged: (userId) => userId === owner,
    peers: {
      userIdOf: async ({ remotePort }) => {
        asked.push(remotePort);
        return userIds.get(remotePort);
      },
    },
    ...options,
  });
  const add = (userId: number | undefined, more: { isCrowded?: boolean; isLast?: boolean } = {}) => {
    const socket = of(userId);
    userIds.set(socket.remotePort!, userId);
    counts.add(socket, { isCrowded: false, isLast: false, ...more }, (excess) => refused.push({ ...excess, of: userId }));
    return socket;
  };
  /** Adds `count` connections and waits until the kernel has said whose they are. */
  const addAll = async (userId: number | undefined, count: number, more?: { isCrowded?: boolean; isLast?: boolean }) => {
    const sockets = Array.from({ length: count }, () => add(userId, more));
    while (sockets.some(({ remotePort }) => asked.length > 0 && !asked.includes(remotePort!))) await new Promise(setImmediate);
    await new Promise(setImmediate);
    return sockets;
  };
  return { asked, refused, add, addAll };
}

describe('connections of users of this machine', () => {
  it('are not asked after while there are few', async () => {
    const port = aPort();
    const [first] = await port.addAll(mallory, 2);
    first!.emit('close');
    port.add(mallory);
    assert.deepEqual(port.asked, []);
    port.add(mallory, { isCrowded: true });
    assert.equal(port.asked.length, 3, 'all that are open, when the process has many');
  });

  it('count for their user alone, so that another finds room', async () => {
    const port = aPort();
    await port.addAll(mallory, 13);
    assert.deepEqual(
      port.refused.map(({ kind, userId }) => [kind, userId]),
      [
        ['user', mallory],
        ['user', mallory],
        ['far', mallory],
      ],
    );
    port.refused.length = 0;
    await port.addAll(owner, 10);
    assert.deepEqual(port.refused, []);
    await port.addAll(owner, 1);
    assert.deepEqual(port.refused, [{ kind: 'user', userId: owner, of: owner }]);
  });

  it('take together no more than strangers may, whoever they are, and nothing of what the owner has', async () => {
    const port = aPort();
    await port.addAll(mallory, 9);
    await port.addAll(undefined, 4);
    await port.addAll(eve, 2);
    assert.deepEqual(port.refused, []);
    await port.addAll(eve, 4);
    assert.deepEqual(
      port.refused.map(({ kind }) => kind),
      ['strangers', 'strangers', 'far', 'far'],
    );
    port.refused.length = 0;
    await port.addAll(owner, 10);
    assert.deepEqual(port.refused, []);
  });

  it('find no room as strangers where only what is kept for the owner is left', async () => {
    const port = aPort();
    await port.addAll(mallory, 1, { isCrowded: true, isLast: true });
    await port.addAll(owner, 1, { isCrowded: true, isLast: true });
    assert.deepEqual(port.refused, [{ kind: 'far', userId: mallory, of: mallory }]);
  });

  it('leave their room when they close, before or after it is known whose they are', async () => {
    const port = aPort();
    for (let round = 0; round < 4; round++) for (const socket of await port.addAll(mallory, 10)) socket.emit('close');
    const early = Array.from({ length: 10 }, () => port.add(mallory));
    for (const socket of early) socket.emit('close');
    await port.addAll(mallory, 10);
    assert.deepEqual(port.refused, []);
  });

  it('are strangers where the kernel cannot be asked', async () => {
    const port = aPort({ perUser: 1, peers: { userIdOf: () => Promise.reject(new Error('EACCES')) } });
    port.add(owner);
    port.add(owner);
    while (port.refused.length === 0) await new Promise(setImmediate);
    assert.deepEqual(port.refused, [{ kind: 'user', userId: undefined, of: owner }]);
  });
});
