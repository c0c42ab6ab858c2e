// The resource manager's pages on a cluster with work that runs, work that waits, and work that is over.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { applicationReport, commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded, startBrowser } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
/** Applications by what they do. */
const ids = { running: '', waiting: '', failed: '' };

const settings = {
  'yarn.scheduler.capacity.root.queues': 'default,small',
  'yarn.scheduler.capacity.root.default.capacity': '75',
  'yarn.scheduler.capacity.root.small.capacity': '25',
  'yarn.scheduler.capacity.root.small.maximum-capacity': '25',
  'yarn.scheduler.capacity.maximum-am-resource-percent': '0.5',
};

describe("the resource manager's pages", { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({ settings });
    browser = await startBrowser([]);
    visitor = await Visitor.open(browser, cluster);
    const { resourceManager } = cluster.urls;
    const submit = (command: string, more: Record<string, unknown>, user = 'ann') =>
      submitApplication(resourceManager, commandApplication(command, more), user);
    // What is said of the cluster at the end goes to the command.
    const run = (name: string, options: readonly string[], ...command: string[]) =>
      cluster.heddle('run', '--cluster', resourceManager, '--name', name, '--user', 'ann', ...options, '--', ...command);
    const ran = await run('nightly report', [], 'echo', 'it is done');
    assert.equal(ran.code, 0, ran.output);
    ids.failed = await submit('echo it breaks >&2; exit 3', { 'application-name': 'broken import' }, 'bob');
    await endedApplication(resourceManager, ids.failed);
    const stream = 'i=0; while true; do i=$((i+1)); echo line $i; sleep 0.3; done';
    const begun = await run('stream of events', ['--detach', '--instances', '2', '--memory', '512'], 'sh', '-c', stream);
    ids.running = /application_\d+_\d+/.exec(begun.output)?.[0] ?? '';
    assert.notEqual(ids.running, '', begun.output);
    await until('the stream to run', async () => (await applicationReport(resourceManager, ids.running)).state === 'RUNNING');
    await submit(
      'sleep 600',
      { 'application-name': 'holds the small queue', queue: 'small', resource: { memory: 1024, vCores: 1 } },
      'bob',
    );
    ids.waiting = await submit('sleep 600', {
      'application-name': 'waits for room',
      queue: 'small',
      resource: { memory: 2048, vCores: 1 },
    });
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);

  it('show the cluster at a glance', async () => {
    await open('');
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    assert.match((await page.getByRole('link', { name: /^Memory/ }).textContent()) ?? '', /%/);
    await page.getByText('live', { exact: true }).waitFor();
    await visitor.look('overview');
  });

  it('list applications, filtered by what the address says', async () => {
    await open('applications');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Applications' }).getByText('waits for room').waitFor();
    await visitor.look('applications');
    await page.getByRole('button', { name: 'failed' }).click();
    await page.getByText('waits for room').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('states'), 'FAILED');
    await page.reload();
    await page.getByText('broken import').waitFor();
    assert.equal(await page.getByRole('table').getByRole('row').count(), 2);
    visitor.assertQuiet();
  });

  it('say who looks, and take another name', async () => {
    await open('sign-in');
    const { page } = visitor;
    await page.getByLabel('User').fill('ann');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await page.getByRole('banner').getByRole('link', { name: /^ann/ }).waitFor();
    await visitor.look('sign-in');
  });

  it('say of an address without a page that there is none, and lead back', async () => {
    await open('no/such/page');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    visitor.assertQuiet();
  });

  it('are reached by keys', async () => {
    await open('');
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate<string>('document.activeElement.type'), 'search');
    visitor.assertQuiet();
  });
});
