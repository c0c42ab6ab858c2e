// One way through the pages, as somebody goes it whose batch job does not begin: why it waits, its queue, which is enlarged, its log, its tasks,
// and in the history beside the run before it.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { applicationReport, commandApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;

const root = 'yarn.scheduler.capacity.root';
const settings = {
  'yarn.scheduler.configuration.store.class': 'memory',
  'yarn.log-aggregation-enable': 'true',
  'yarn.nodemanager.resource.memory-mb': '12288',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  [`${root}.queues`]: 'default,small',
  [`${root}.default.capacity`]: '90',
  [`${root}.small.capacity`]: '10',
  [`${root}.small.maximum-capacity`]: '10',
  'yarn.scheduler.capacity.maximum-am-resource-percent': '0.8',
};

describe('the way of a batch job that waits', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({ settings });
    browser = await oneBrowser();
    visitor = await Visitor.open(browser, cluster);
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  it('leads from its reason to its queue, its log, its tasks, its history, and the run before', async () => {
    const { resourceManager, history } = cluster.urls;
    const { page } = visitor;
    const input = join(cluster.home, 'words');
    mkdirSync(input);
    writeFileSync(join(input, 'hamlet.txt'), 'to be or not to be\n'.repeat(3000));
    // Until its log was seen to grow.
    const seen = join(cluster.home, 'seen');
    const slowly = `sh -c 'while read line; do echo "$line"; [ -e ${seen} ] || { echo "a line was read" >&2; sleep 0.2; }; done'`;
    const count = (name: string, queue: string, mapper: string, ...more: string[]) =>
      cluster.heddle(
        ...['batch', 'streaming', input, join(cluster.home, name), mapper, 'wc -l', '--cluster', resourceManager, '--user', 'ann'],
        ...['-D', `mapreduce.job.name=${name}`, '-D', `mapreduce.job.queuename=${queue}`, ...more],
      );
    const first = await count('count of yesterday', 'default', 'cat');
    assert.equal(first.code, 0, first.output);
    const holder = await submitApplication(
      resourceManager,
      commandApplication('sleep 600', { 'application-name': 'holds the queue', queue: 'small', resource: { memory: 1024, vCores: 1 } }),
      'bob',
    );
    await until('the queue to be full', async () => (await applicationReport(resourceManager, holder)).amContainerLogs !== undefined);
    const second = await count('count of today', 'small', slowly, '--detach');
    assert.equal(second.code, 0, second.output);

    // It waits, and why.
    await page.goto(`${resourceManager}/ui/`);
    const waits = page.getByRole('region', { name: 'What waits, and why' });
    await waits.getByText(/because/).waitFor();
    await waits.getByRole('link', { name: 'count of today' }).click();
    await page.getByRole('heading', { level: 1, name: 'count of today' }).waitFor();
    await page
      .getByRole('region', { name: 'Why it waits' })
      .getByText(/root\.small/)
      .waitFor();

    // Its queue is enlarged.
    await page.getByRole('link', { name: 'root.small' }).click();
    await page.getByRole('region', { name: 'Why its work waits' }).waitFor();
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByLabel('Share of root.default').fill('50');
    await page.getByLabel('Share of root.small').fill('50');
    await page.getByLabel('At most of root.small').fill('100');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The scheduler takes this change').waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();

    // It runs, and its log grows.
    await page.getByRole('table', { name: 'Applications of the queue' }).getByRole('link', { name: 'count of today' }).click();
    await page.getByRole('region', { name: 'Why it waits' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Logs', exact: true }).click();
    await page.getByRole('button', { name: /^stderr/ }).click();
    const log = page.getByRole('log');
    const lines = async () => ((await log.textContent()) ?? '').split('a line was read').length;
    await until('the first lines', async () => (await lines()) > 1);
    const before = await lines();
    await until('the log to grow', async () => (await lines()) > before);

    // Its tasks while it runs, then in the history, beside the run before.
    await page.getByRole('link', { name: 'Batch job', exact: true }).click();
    await page.getByRole('application', { name: /^Maps as squares/ }).waitFor();
    writeFileSync(seen, '');
    await page.getByText('succeeded', { exact: true }).first().waitFor({ timeout: 60_000 });
    await page.goto(`${history}/ui/jobs`);
    await page.getByRole('link', { name: 'count of today' }).waitFor();
    await page.getByLabel('Compare count of yesterday').check();
    await page.getByLabel('Compare count of today').check();
    await page.getByRole('link', { name: 'Compare the two' }).click();
    await page.getByRole('row', { name: /^mapreduce.job.queuename default small/ }).waitFor();
    visitor.assertQuiet();
  });
});
