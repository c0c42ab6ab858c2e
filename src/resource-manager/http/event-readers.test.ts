// Readers of the stream of events that do not read, and those that did not ask for a stream.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { managerOfSuite } from '../test-support/running-manager.ts';

/** More than all buffers of a connection hold. */
const applications = 60;
const nameCharacters = 400_000;

describe('a stream of events', () => {
  const clock = new ManualClock();
  const web = managerOfSuite('event-readers', clock);

  const submit = async (name: string): Promise<void> => {
    const response = await fetch(`${web()}/api/v1/applications?user.name=ann`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'unmanaged-AM': true, 'application-name': name }),
    });
    assert.equal(response.status, 202);
  };
  const created = async (from: string) => {
    const query = `from=${from}&kind=application.created&limit=10000`;
    const response = await fetch(`${web()}/api/v1/events?${query}`, { headers: { accept: 'application/json' } });
    return ((await response.json()) as { events: { id: string; name: string }[] }).events;
  };
  const subscribe = async () => {
    const { hostname, port } = new URL(web());
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.pause();
    socket.write(
      'GET /api/v1/events?from=oldest&kind=application.created HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n',
    );
    return socket;
  };

  it('is cut where its reader takes nothing for a minute, and goes on from where that was', async () => {
    for (let number = 0; number < applications; number++) await submit(`${number} ${'x'.repeat(nameCharacters)}`);
    for (let seen = 0; seen < applications; ) seen = (await created('oldest')).length;
    const socket = await subscribe();
    // Answered behind it, again and again: by then the server has written what the connection holds.
    for (let asked = 0; asked < 50; asked++) await created('now');
    clock.advance(59_000);
    await created('now');
    clock.advance(2000);
    await created('now');
    await submit('after the cut');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (text.includes('after the cut')) socket.destroy(new Error('it was not cut'));
    });
    const ended = once(socket, 'close');
    socket.on('error', () => undefined);
    socket.resume();
    await ended;
    assert.ok(!text.includes('after the cut'));
    const ids = [...text.matchAll(/^id: (\S+)\nevent: application\.created\ndata: .*\n\n/gm)].map(([, id]) => id!);
    assert.ok(ids.length < applications, `${ids.length} came`);
    const all = (await created('oldest')).map(({ id }) => id);
    const place = ids.at(-1) ?? 'oldest';
    assert.deepEqual([...ids, ...(await created(place)).map(({ id }) => id)], all);
  });

  it('goes on for who reads, however long', async () => {
    const over = new AbortController();
    const response = await fetch(`${web()}/api/v1/events?kind=application.created`, { signal: over.signal });
    let text = '';
    const pieces = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    for (let minutes = 0; minutes < 5; minutes++) {
      clock.advance(60_000);
      await submit(`minute ${minutes}`);
      while (!text.includes(`minute ${minutes}`)) text += (await pieces.next()).value;
    }
    over.abort();
    assert.match(text, /^: .*"Accept: application\/json".*\nretry: 1000\n\n/, 'who asks for anything is told what this is');
  });

  it('says nothing of itself to who asks for one', async () => {
    const over = new AbortController();
    const response = await fetch(`${web()}/api/v1/events`, {
      signal: over.signal,
      headers: { accept: 'text/event-stream' },
    });
    const { value } = await response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]().next();
    over.abort();
    assert.match(value!, /^retry/);
  });
});
