import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Query } from '../../http/query.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import type { Application } from '../applications/application.ts';
import { ApplicationIndex } from '../cluster/application-index.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { anApplication, applicationIdOf, aSubmission, timestampMs } from '../test-support/builders.ts';
import { codeOf, queuePolicy } from '../test-support/commands.ts';
import { findPage, type PageSource, readPageRequest } from './application-pages.ts';

const policy = queuePolicy();
const request = (text: string) => readPageRequest(new Query(text), policy);

/** Applications of which some are in memory, some ended, and some both: they ended a moment ago. */
async function mixed(count: number) {
  const random = seededRandom(5);
  const pick = <T>(values: readonly T[]): T => values[random.int(values.length)]!;
  const store = new ResourceManagerStore(openDatabase(':memory:', { logger: silentLogger }));
  const live = new Map<string, Application>();
  const index = new ApplicationIndex((id) => live.get(id));
  const all: Application[] = [];
  for (let i = 1; i <= count; i++) {
    const id = applicationIdOf(i);
    const hasEnded = random.int(3) > 0;
    const application = anApplication({
      id,
      submission: aSubmission({ applicationId: id, name: pick(['a', 'b', '😀', '\uff5e']), tags: pick([[], ['x'], ['x', 'y']]) }),
      user: pick(['ann', 'bob']),
      queue: pick(['root.open', 'root.closed']),
      priority: random.int(3),
      state: hasEnded ? pick(['FINISHED', 'KILLED']) : pick(['ACCEPTED', 'RUNNING']),
      startedMs: timestampMs + random.int(10),
      finishedMs: hasEnded ? timestampMs + 10 + random.int(10) : 0,
    });
    all.push(application);
    if (hasEnded) await store.putFinished(application, undefined, true);
    if (!hasEnded || random.int(4) === 0) {
      live.set(id, application);
      index.add(application);
    }
  }
  let read = 0;
  const source: PageSource = {
    live: index,
    isLive: (id) => live.has(id),
    policy: {
      applicationsOf: (queue) => [...live.values()].filter((application) => application.queue === queue).map(({ id }) => id),
      isOf: (id, queue) => live.get(id)?.queue === queue,
    },
    store: {
      finishedPage(...asked) {
        const rows = store.finishedPage(...asked);
        read += rows.length;
        return rows;
      },
      finishedSlice: (...asked) => store.finishedSlice(...asked),
      finishedLead: (filter) => store.finishedLead(filter),
      applicationOfBrief: (row) => store.applicationOfBrief(row),
    },
  };
  return { all, store, source, read: () => read };
}

/** The ids of all pages, one after the other. */
async function idsOf(query: string, source: PageSource): Promise<string[]> {
  const ids: string[] = [];
  let next: string | undefined;
  do {
    const page = await findPage(request(`${query}${next === undefined ? '' : `&cursor=${next}`}`), source);
    ids.push(...page.applications.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined);
  return ids;
}

describe('pages of applications', () => {
  it('give each application once in any order, whether it lives, has ended, or both', async () => {
    const { all, source, store } = await mixed(120);
    for (const key of ['id', 'user', 'name', 'queue', 'priority', 'state', 'startedTime', 'finishedTime']) {
      const ascending = await idsOf(`sort=${key}&limit=7`, source);
      assert.deepEqual(
        [...ascending].sort(),
        all.map(({ id }) => id),
        key,
      );
      assert.deepEqual(await idsOf(`sort=-${key}&limit=50`, source), [...ascending].reverse(), key);
    }
    store.close();
  });

  it('keep to the filters and to what the caller may see', async () => {
    const { all, source, store } = await mixed(120);
    const isShown = ({ priority }: Application) => priority > 0;
    const wanted = all.filter(
      ({ user, state, submission, priority }) => user === 'ann' && state !== 'RUNNING' && submission.tags.includes('y') && priority > 0,
    );
    assert.ok(wanted.length > 2);
    assert.deepEqual(
      await idsOf('sort=id&limit=2&user=ann&states=ACCEPTED,FINISHED,KILLED&applicationTags=y', { ...source, isShown }),
      wanted.map(({ id }) => id),
    );
    const inQueue = all.filter(({ queue }) => queue === 'root.closed').map(({ id }) => id);
    assert.deepEqual(await idsOf('sort=id&limit=11&queue=root.closed', source), inQueue);
    assert.deepEqual(
      await idsOf('sort=id&finalStatus=KILLED', source),
      all.filter(({ state }) => state === 'KILLED').map(({ id }) => id),
    );
    store.close();
  });

  it('find a part of a name or of an id, in any case', async () => {
    const { all, source, store } = await mixed(60);
    const byName = all.filter(({ submission }) => submission.name === 'a').map(({ id }) => id);
    const plain = await idsOf('sort=id&limit=7&find=A', { ...source });
    // Every id has the letter, too: it begins with "application".
    assert.equal(plain.length, all.length);
    assert.ok(byName.length > 2);
    for (const { id } of [all[6]!, all[41]!]) assert.deepEqual(await idsOf(`sort=id&find=${id.slice(-5)}`, source), [id]);
    const smiles = all.filter(({ submission }) => submission.name === '😀').map(({ id }) => id);
    assert.deepEqual(await idsOf(`sort=name&limit=3&find=${encodeURIComponent(' 😀')}`, source), smiles);
    assert.deepEqual(await idsOf('find=nothing+of+that+name', source), []);
    assert.equal((await idsOf('find=', source)).length, all.length);
    store.close();
  });

  it('by time and id read of the ended applications what they show, not all there are', async () => {
    const { source, store, read } = await mixed(1200);
    for (const sort of ['startedTime', '-startedTime', 'finishedTime', 'id']) {
      const before = read();
      const first = await findPage(request(`limit=20&sort=${sort}`), source);
      await findPage(request(`limit=20&sort=${sort}&cursor=${first.next}`), source);
      assert.ok(read() - before <= 400, `${read() - before} rows were read`);
    }
    store.close();
  });

  it('refuse what they cannot read, each with its sentence', async () => {
    const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=x',
      'sort=size',
      'sort=toString',
      'fields=id,secret',
      'cursor=%7B',
      `cursor=${cursor([1])}`,
      `cursor=${cursor(['a text', 'id'])}`,
      `sort=name&cursor=${cursor([1, 'id'])}`,
    ])
      assert.equal(await codeOf(() => request(query)), 'BAD_REQUEST', query);
    assert.equal(await codeOf(() => request('finalStatus=DONE')), 'ENUM_UNKNOWN');
    assert.deepEqual(request('').after, undefined);
    assert.deepEqual([request('').key, request('').descending, request('').limit], ['startedTime', true, 100]);
    assert.deepEqual(request(`sort=name&cursor=${cursor(['b', 'id'])}&fields=id, state`).fields, new Set(['id', 'state']));
  });
});
