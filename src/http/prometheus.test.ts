import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { loadConfiguration } from '../config/load.ts';
import { Histogram } from '../lib/histogram.ts';
import { prometheusRoutes } from './prometheus.ts';
import { RequestFigures, waitsByNature } from './request-figures.ts';
import type { Call } from './service.ts';

const configuration = loadConfiguration({ dataDir: '/nowhere' });

test('every scrape shows the numbers of its moment', async () => {
  let running = 1;
  const requests = new RequestFigures();
  const collect = () => [
    { name: 'heddle_things', help: 'Things.', value: running, labels: { state: 'running' } },
    { name: 'heddle_all_things_total', help: 'Things ever.', value: running * 10 },
  ];
  const [route] = prometheusRoutes(configuration, { collect, requests, times: [new Histogram('heddle_commit_seconds', 'Commits.')] });
  const body = async () => {
    const answer = await route!.handle({} as Call<never>);
    return answer.kind === 'rendered' ? answer.body : '';
  };
  assert.match(await body(), /^heddle_things\{state="running"\} 1$/m);
  running = 2;
  for (const status of [200, 202, 404, 999]) requests.answered(status);
  requests.times.add(3);
  const second = await body();
  assert.match(second, /^# TYPE heddle_all_things_total counter\nheddle_all_things_total 20$/m);
  assert.match(second, /^heddle_http_answers_total\{status="2xx"\} 2\nheddle_http_answers_total\{status="3xx"\} 0\n.*"4xx"\} 1$/m);
  assert.match(second, /^heddle_http_request_seconds_bucket\{le="0\.005"\} 1$/m);
  assert.match(second, /^heddle_commit_seconds_count 0$/m);
  assert.match(second, /^heddle_things\{state="running"\} 2$/m);
  assert.match(second, /^process_resident_memory_bytes \d+$/m);
});

test('the figures of the process are all that the library has', async () => {
  const [route] = prometheusRoutes(configuration, { collect: () => [], requests: new RequestFigures() });
  const answer = await route!.handle({} as Call<never>);
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const kinds = (text: string) => text.match(/^# (TYPE|HELP) (process_|nodejs_).*$/gm)?.sort();
  assert.deepEqual(kinds(answer.kind === 'rendered' ? answer.body : ''), kinds(await registry.metrics()));
  assert.ok(kinds(await registry.metrics())!.length > 40);
});

test("Hadoop's own path is there where its setting is on", () => {
  const set = { 'hadoop.prometheus.endpoint.enabled': 'true' };
  const pathsOf = (of: ReturnType<typeof loadConfiguration>) =>
    prometheusRoutes(of, { collect: () => [], requests: new RequestFigures() }).map(({ path }) => path);
  assert.deepEqual(pathsOf(configuration), ['/metrics']);
  assert.deepEqual(pathsOf(loadConfiguration({ dataDir: '/nowhere', set })), ['/prom', '/metrics']);
});

test('what waits by its nature is known by its query', () => {
  assert.deepEqual(['', 'a=1', 'await=1', 'wait=5', 'a=1&wait=5', 'follow=true'].map(waitsByNature), [
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});
