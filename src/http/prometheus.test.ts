import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { prometheusRoutes } from './prometheus.ts';
import type { Call } from './service.ts';

const configuration = loadConfiguration({ dataDir: '/nowhere' });

test('every scrape shows the numbers of its moment', async () => {
  let running = 1;
  const [route] = prometheusRoutes(configuration, () => [
    { name: 'heddle_things', help: 'Things.', value: running, labels: { state: 'running' } },
  ]);
  const body = async () => {
    const answer = await route!.handle({} as Call<never>);
    return answer.kind === 'rendered' ? answer.body : '';
  };
  assert.match(await body(), /^heddle_things\{state="running"\} 1$/m);
  running = 2;
  const second = await body();
  assert.match(second, /^heddle_things\{state="running"\} 2$/m);
  assert.match(second, /^process_resident_memory_bytes \d+$/m);
});

test("Hadoop's own path is there where its setting is on", () => {
  const set = { 'hadoop.prometheus.endpoint.enabled': 'true' };
  const pathsOf = (of: ReturnType<typeof loadConfiguration>) => prometheusRoutes(of, () => []).map(({ path }) => path);
  assert.deepEqual(pathsOf(configuration), ['/metrics']);
  assert.deepEqual(pathsOf(loadConfiguration({ dataDir: '/nowhere', set })), ['/prom', '/metrics']);
});
