import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import { LongAnswers } from './long-answers.ts';

class FakeSocket extends EventEmitter {
  writableLength: number;
  destroyed = false;
  constructor(writableLength: number) {
    super();
    this.writableLength = writableLength;
  }
  read(): void {
    this.writableLength = 0;
    this.emit('drain');
  }
}

/** Answers that want to grow, and which of them may. */
function askers(answers: LongAnswers) {
  const may: string[] = [];
  const ask = async (name: string, socket = new FakeSocket(0)) => {
    const isMade = await answers.begin(socket);
    may.push(name);
    return isMade;
  };
  return { may, ask };
}
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('long answers of a port', () => {
  it('are made one at a time, in the order of asking', async () => {
    const { may, ask } = askers(new LongAnswers(100));
    const [first, second] = [ask('a'), ask('b')];
    void ask('c');
    await turn();
    assert.deepEqual(may, ['a']);
    (await first)();
    await turn();
    assert.deepEqual(may, ['a', 'b']);
    (await second)();
    await turn();
    assert.deepEqual(may, ['a', 'b', 'c']);
  });

  it('wait while clients leave too much of others unread, until these read or are gone', async () => {
    const answers = new LongAnswers(100);
    const { may, ask } = askers(answers);
    const [one, other] = [new FakeSocket(80), new FakeSocket(30)];
    for (const socket of [one, other, one]) answers.wrote(socket);
    const first = ask('a');
    await turn();
    assert.deepEqual(may, []);
    other.read();
    await turn();
    assert.deepEqual(may, ['a']);
    (await first)();
    one.writableLength = 101;
    void ask('b');
    await turn();
    assert.deepEqual(may, ['a']);
    one.emit('close');
    await turn();
    assert.deepEqual(may, ['a', 'b']);
    assert.deepEqual(
      [one, other].map((socket) => socket.eventNames()),
      [[], []],
    );
  });

  it('count for nothing where the client is gone already', async () => {
    const answers = new LongAnswers(100);
    const gone = Object.assign(new FakeSocket(500), { destroyed: true });
    answers.wrote(gone);
    (await answers.begin(new FakeSocket(0)))();
    assert.deepEqual(gone.eventNames(), []);
  });

  it('take turns by their connections, and those of a client that is gone are not made', async () => {
    const { may, ask } = askers(new LongAnswers(100));
    const [greedy, leaving] = [new FakeSocket(0), new FakeSocket(0)];
    const first = ask('greedy 1', greedy);
    const second = ask('greedy 2', greedy);
    void ask('greedy 3', greedy);
    const refused = assert.rejects(ask('of the one who leaves', leaving), /The connection was closed/);
    const other = ask('other');
    await turn();
    leaving.destroyed = true;
    for (const made of [first, second, other]) (await made)();
    await turn();
    await refused;
    assert.deepEqual(may, ['greedy 1', 'greedy 2', 'other', 'greedy 3']);
  });
});
