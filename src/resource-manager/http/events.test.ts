// The stream of events as programs read it: over sockets, from a resource manager with access lists.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunningRole } from '../../lib/role.ts';
import { administeredBy, startManager } from '../test-support/running-manager.ts';

interface Told {
  readonly id: string;
  readonly kind: string;
  readonly applicationId?: string;
  readonly to?: string;
  readonly diagnostics?: string;
}

describe('GET /api/v1/events', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-events-'));
  let role: RunningRole;
  const startAgain = () => startManager(folder, { ...administeredBy('alice'), 'heddle.rpc.enabled': 'false' });
  before(async () => {
    role = await startAgain();
  });
  after(async () => {
    await role.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const addressOf = (path: string, user: string) => `${role.addresses['web']}${path}${path.includes('?') ? '&' : '?'}user.name=${user}`;
  async function submit(user: string): Promise<string> {
    const response = await fetch(addressOf('/api/v1/applications', user), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ 'unmanaged-AM': true }),
    });
    assert.equal(response.status, 202);
    return ((await response.json()) as { id: string }).id;
  }
  async function kill(id: string, user: string): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    await fetch(addressOf(`/ws/v1/cluster/apps/${id}/state`, user), { method: 'PUT', headers, body: '{"state":"KILLED"}' });
  }
  async function slice(
    query: string,
    user: string,
  ): Promise<{ status: number; text: string; events: Told[]; next: string; missed: boolean }> {
    const response = await fetch(addressOf(`/api/v1/events?${query}`, user), { headers: { accept: 'application/json' } });
    const text = await response.text();
    return { status: response.status, text, ...JSON.parse(text) };
  }
  /** Blocks of a stream until one passes; the connection is given up then. */
  async function streamed(query: string, user: string, isLast: (block: string) => boolean, lastEventId?: string): Promise<string[]> {
    const over = new AbortController();
    const response = await fetch(addressOf(`/api/v1/events?${query}`, user), {
      signal: over.signal,
      headers: { accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) },
    });
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    const blocks: string[] = [];
    let rest = '';
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      rest += piece;
      const whole = rest.split('\n\n');
      rest = whole.pop()!;
      blocks.push(...whole);
      if (blocks.some(isLast)) break;
    }
    over.abort();
    return blocks;
  }
  const isFinished = (block: string) => block.includes('event: application.finished');

  it('tells of an application from its creation to its end, live, and again from any of its events on', async () => {
    const { next } = await slice('', 'ann');
    const live = streamed(`from=${next}&kind=application`, 'ann', isFinished);
    const id = await submit('ann');
    await kill(id, 'ann');
    const blocks = (await live).filter((block) => block.includes('data: '));
    const kinds = blocks.map((block) => /event: (.*)/.exec(block)![1]);
    assert.deepEqual([kinds[0], kinds.at(-1)], ['application.created', 'application.finished']);
    assert.ok(blocks.every((block) => block.includes(id)));
    const first = /id: (.*)/.exec(blocks[0]!)![1]!;
    const again = await streamed('kind=application', 'ann', isFinished, first);
    assert.deepEqual(
      again.filter((block) => block.includes('data: ')),
      blocks.slice(1),
    );
  });

  it('waits for the first event that passes, and gives at most what is asked for', async () => {
    const { next } = await slice('', 'ann');
    const waiting = slice(`from=${next}&kind=application.finished&wait=60000`, 'ann');
    const id = await submit('ann');
    await kill(id, 'ann');
    const { events } = await waiting;
    assert.deepEqual(
      events.map(({ kind, applicationId }) => [kind, applicationId]),
      [['application.finished', id]],
    );
    const one = await slice(`from=${next}&limit=1`, 'ann');
    assert.equal(one.events.length, 1);
    assert.equal(one.next, one.events[0]!.id);
  });

  it('keeps texts of applications from those who may not view them', async () => {
    const { next } = await slice('', 'ann');
    const id = await submit('ann');
    await kill(id, 'ann');
    const finished = async (user: string) =>
      (await slice(`from=${next}&application=${id}`, user)).events.find(({ kind }) => kind === 'application.finished')!;
    assert.match((await finished('ann')).diagnostics!, /was killed by user ann/);
    assert.equal((await finished('eve')).diagnostics, undefined);
    assert.deepEqual((await slice(`from=${next}&application=${id}&kind=attempt`, 'eve')).events, []);
  });

  it('refuses what it does not understand', async () => {
    for (const [query, reason] of [
      ['from=yesterday', /from must be/],
      ['from=1-2-3', /from must be/],
      ['kind=weather', /kind must be of application\.created/],
      ['application=job_1', /job_1/],
      ['queue=nowhere', /nowhere/],
      ['limit=0', /limit must be a whole number from 1 to 10000/],
      ['limit=-1', /limit must be a whole number/],
      ['wait=1e9', /wait must be a whole number of milliseconds up to 60000/],
    ] as const) {
      const { status, text } = await slice(query, 'ann');
      assert.ok(status === 400 || status === 404, `${query}: ${status}`);
      assert.match(text, reason);
    }
    const { next } = await slice('', 'ann');
    assert.equal((await slice(`from=${next}9999`, 'ann')).status, 400);
  });

  it('says that what a resource manager before this one told is forgotten', async () => {
    const { next } = await slice('', 'ann');
    await role.close();
    role = await startAgain();
    assert.equal((await slice(`from=${next}`, 'ann')).missed, true);
    const [, gap] = await streamed('', 'ann', (block) => block.includes('event: gap'), next);
    assert.match(gap!, /"reason":"restarted"/);
  });
});
