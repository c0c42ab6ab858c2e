// Batch jobs on the pages of the resource manager while they run, and of the history server once they are over.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
/** Jobs by what they are. */
const ids = { running: '', first: '', second: '', failed: '' };

const idIn = (output: string): string => {
  const found = /(?:job|application)_(\d+_\d+)/.exec(output)?.[1];
  assert.ok(found, output);
  return `job_${found}`;
};

describe('pages of batch jobs', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({ settings: { 'yarn.log-aggregation-enable': 'true', 'yarn.nodemanager.resource.memory-mb': '12288' } });
    browser = await oneBrowser();
    visitor = await Visitor.open(browser, cluster);
    const input = join(cluster.home, 'words');
    mkdirSync(input);
    for (let file = 0; file < 3; file++) writeFileSync(join(input, `${file}.txt`), 'to be or not to be\n'.repeat(2000 * (file + 1)));
    const batch = (...words: string[]) => cluster.heddle('batch', ...words, '--cluster', cluster.urls.resourceManager, '--user', 'ann');
    const first = await batch('wordcount', input, join(cluster.home, 'out-1'), '-D', 'mapreduce.job.reduces=2');
    assert.equal(first.code, 0, first.output);
    ids.first = idIn(first.output);
    const second = await batch(
      ...['streaming', input, join(cluster.home, 'out-2'), 'cat', 'wc -l', '-D', 'mapreduce.job.name=count lines'],
    );
    assert.equal(second.code, 0, second.output);
    ids.second = idIn(second.output);
    const failed = await batch(
      ...[
        'streaming',
        join(input, '0.txt'),
        join(cluster.home, 'out-3'),
        'bash -c "exit 3"',
        'cat',
        '-D',
        'mapreduce.job.name=import of orders',
      ],
      ...['-D', 'mapreduce.map.maxattempts=2'],
    );
    assert.notEqual(failed.code, 0, failed.output);
    ids.failed = idIn(failed.output);
    void batch('sleep', '8', '4', '800', '90000', '-D', 'mapreduce.job.reduce.slowstart.completedmaps=0.2');
    ids.running = await until('the running job to begin', async () => {
      const answer = await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/apps?states=RUNNING&user.name=ann`);
      const { apps } = (await answer.json()) as { apps: { app?: { id: string; progress: number }[] } | null };
      return apps?.app?.find(({ progress }) => progress > 5)?.id.replace('application', 'job');
    });
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const onManager = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);
  const choicesOf = async (name: string) => {
    await visitor.page.getByRole('button', { name: new RegExp(`^${name}`), expanded: false }).click();
    return visitor.page.getByRole('dialog', { name });
  };
  const onHistory = (path: string) => visitor.page.goto(`${cluster.urls.history}/ui/${path}`);

  it('list what runs and what ended, on the resource manager', async () => {
    await onManager('jobs');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Running jobs' }).getByText('Sleep job').waitFor();
    await page.getByRole('table', { name: 'Finished jobs' }).getByText('import of orders').waitFor();
    await (await choicesOf('Queue')).getByRole('button', { name: /default 1$/ }).click();
    await page.waitForURL(/[?&]queue=/);
    await page.getByRole('table', { name: 'Running jobs' }).getByText('Sleep job').waitFor();
    await visitor.look('jobs');
  });

  it('show a running job: its tasks as squares, filtered by state, one with its attempts', async () => {
    await onManager('jobs');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Running jobs' }).getByRole('link', { name: 'Sleep job' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sleep job' }).waitFor();
    await page.getByRole('application', { name: /^Maps as squares/ }).waitFor();
    await visitor.look('job-running');
    await page.getByRole('application', { name: /^Maps as squares/ }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.getByText(/^map 1: /).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'map 1' }).getByRole('heading', { name: 'Attempt 1' }).waitFor();
    await page.getByRole('group', { name: 'Kind' }).getByRole('button', { name: 'reduces' }).click();
    await page.getByText('4 of 12 tasks').waitFor();
    const search = new URL(page.url()).searchParams;
    assert.equal(search.get('kind'), 'REDUCE');
    assert.match(search.get('task') ?? '', /_m_000001$/);
    visitor.assertQuiet();
  });

  it('lead to the interface of the master, and ask it', async () => {
    const { page } = visitor;
    const back = page.url();
    await page.getByRole('link', { name: 'Interface of the master' }).click();
    await page.waitForURL(/\/ui\/api\?master=application_/);
    await page.getByText(/Heddle batch master of application_/).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('mapreduce/info');
    await page.waitForURL(/search=mapreduce/);
    await page.getByRole('button', { name: /^GET .*\/ws\/v1\/mapreduce\/info / }).click();
    await page.waitForURL(/operation=/);
    const form = page.getByRole('form', { name: 'Try it' });
    await form.getByRole('button', { name: 'Ask' }).click();
    await form.getByRole('region', { name: 'What it answered' }).getByText('elapsedTime').first().waitFor();
    visitor.assertQuiet();
    await page.goto(back);
  });

  it('show when each attempt ran on which node', async () => {
    await onManager(`jobs/${ids.running}?tab=timeline`);
    await visitor.page.getByRole('img', { name: /attempts on 1 nodes over time/ }).waitFor();
    await visitor.page.getByRole('table', { name: 'Slowest attempts' }).waitFor();
    await visitor.look('job-timeline');
  });

  it('tell what began and ended when, in a stretch of time and of those that ended in one way', async () => {
    await onManager(`jobs/${ids.running}?tab=events`);
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Events of attempts' });
    await table
      .getByText(/^on 127\.0\.0\.1:\d+$/)
      .first()
      .waitFor();
    await visitor.look('job-events');
    await page.getByRole('button', { name: 'failed', exact: true }).click();
    await page.getByText('No attempt ended so.').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('ended'), 'FAILED');
    await page.getByRole('button', { name: 'any', exact: true }).click();
    await table
      .getByRole('button', { name: /^(map|reduce) \d+$/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
    visitor.assertQuiet();
  });

  it('end an attempt after a question', async () => {
    await onManager(`jobs/${ids.running}?squares=running`);
    const { page } = visitor;
    await page.getByRole('table', { name: 'Tasks' }).getByRole('button').first().waitFor();
    await page
      .getByRole('table', { name: 'Tasks' })
      .locator('tbody')
      .getByRole('button', { name: /reduce/ })
      .first()
      .click();
    // The job has a button of the same name.
    const task = page.getByRole('region', { name: /^reduce \d+$/ });
    await task.getByRole('button', { name: 'Kill', exact: true }).last().click();
    await page
      .getByRole('dialog', { name: /^Kill attempt/ })
      .getByRole('button', { name: 'Kill' })
      .click();
    await page.getByText('The master was told.').waitFor();
    await page.getByText('killed', { exact: true }).first().waitFor();
    visitor.assertQuiet();
  });

  it('begin with the search on the history server, and lead to its plain pages and back', async () => {
    await onHistory('');
    const { page } = visitor;
    await page.waitForURL(`${cluster.urls.history}/ui/jobs`);
    await page.getByRole('heading', { level: 1, name: 'Finished jobs' }).waitFor();
    await page.getByRole('link', { name: 'Plain page' }).click();
    await page.waitForURL(`${cluster.urls.history}/jobhistory`);
    await page.getByRole('link', { name: 'Web page' }).click();
    await page.waitForURL(`${cluster.urls.history}/ui/jobs`);
    visitor.assertQuiet();
  });

  it('find finished jobs by what the address says', async () => {
    await onHistory('jobs?name=COUNT');
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Finished jobs' });
    await table.getByRole('link', { name: 'count lines' }).waitFor();
    assert.equal(await table.getByRole('row').count(), 3);
    // What else could be chosen is counted beside a search, too.
    const users = await choicesOf('User');
    await users.getByRole('button', { name: / 2$/ }).click();
    await page.waitForURL(/[?&]user=/);
    await (await choicesOf('User')).getByRole('button', { name: 'Any' }).click();
    await page.getByRole('button', { name: 'Clear' }).click();
    await table.getByText('import of orders').waitFor();
    await visitor.look('job-history');
  });

  it('say why a job failed, with the last lines of the attempt that failed first', async () => {
    await onHistory(`jobs/${ids.failed}`);
    const { page } = visitor;
    const wrong = page.getByRole('region', { name: 'What went wrong' });
    await wrong.getByText(/The first failure: map/).waitFor();
    await wrong.getByRole('log').waitFor();
    const unbegun = page.getByRole('row').filter({ hasText: 'reduce 0' }).getByRole('cell');
    await unbegun.last().waitFor();
    assert.deepEqual((await unbegun.allTextContents()).slice(2), ['none', 'none', 'never', '–'], 'it is over');
    await page.getByRole('button', { name: 'Look at the task' }).click();
    await page.getByRole('heading', { name: 'Attempt 1' }).waitFor();
    await visitor.look('job-failed');
  });

  it('show a finished job: counters that can be searched, settings, when its attempts ran', async () => {
    await onHistory(`jobs/${ids.first}`);
    const { page } = visitor;
    await page.getByText('5 tasks', { exact: true }).waitFor();
    await visitor.look('job-finished');
    await page.getByRole('button', { name: 'Counters' }).click();
    await page.getByLabel('Counter or group').fill('map input');
    await page.getByRole('row', { name: /Map input records 12,000/ }).waitFor();
    await page.getByLabel('Counter or group').fill('');
    await visitor.look('job-counters');
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByLabel('Name or value').fill('mapreduce.job.reduces');
    await page.getByRole('row', { name: /^mapreduce.job.reduces 2/ }).waitFor();
    await page.getByRole('button', { name: 'Timeline' }).click();
    await page.getByRole('img', { name: /^5 attempts/ }).waitFor();
    await visitor.look('job-finished-timeline');
  });

  it('compare two: chosen in the list, times, counters with what changed, settings that differ', async () => {
    await onHistory('jobs');
    const { page } = visitor;
    await page.getByLabel('Compare word count').check();
    await page.getByText('Choose another to compare').waitFor();
    await page.getByLabel('Compare count lines').check();
    await page.getByRole('link', { name: 'Compare the two' }).click();
    await page.getByRole('table', { name: 'Times and tasks' }).getByRole('row', { name: /^Took/ }).waitFor();
    await page.getByRole('row', { name: /^mapreduce.job.name word count count lines/ }).waitFor();
    await visitor.look('compare');
    // The value of one job does not push that of the other away.
    await page.evaluate(
      `for (const value of document.querySelectorAll('.value')) value.textContent = 'org.example.a.long.value,'.repeat(20)`,
    );
    const over = await page.evaluate<number[]>(
      `[...document.querySelectorAll('.table-frame')].map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth).filter((over) => over > 0)`,
    );
    assert.deepEqual(over, []);
    await page.getByRole('button', { name: 'Swap' }).click();
    await page.getByRole('row', { name: /^mapreduce.job.name count lines word count/ }).waitFor();
    await page.getByRole('region', { name: 'Second job' }).getByRole('button', { name: 'Choose another' }).click();
    await page.getByRole('button', { name: /^word count/ }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('import');
    // Names are read by words in a narrow panel.
    await page.setViewportSize({ width: 1280, height: 900 });
    const choice = page.getByRole('button', { name: /^import of orders/ });
    await choice.waitFor();
    const { height } = (await choice.boundingBox())!;
    assert.ok(height < 60, `a name is ${height} px high`);
    await page.setViewportSize({ width: 1440, height: 900 });
    await choice.click();
    await page.getByRole('row', { name: /^Failed attempts/ }).waitFor();
    visitor.assertQuiet();
  });

  it('say of a job that is not there which one that is, and lead to those that are', async () => {
    visitor.expected.push(/404/);
    for (const open of [onManager, onHistory]) {
      await open('jobs/job_1_0001');
      const { page } = visitor;
      await page.getByRole('heading', { level: 1, name: 'job_1_0001' }).waitFor();
      await page.getByRole('alert').getByRole('link', { name: 'All batch jobs' }).click();
      await page.waitForURL(/\/ui\/jobs$/);
    }
    visitor.assertQuiet();
    visitor.expected.pop();
  });

  it('lead from the resource manager to the history of a job that is over, and back to its application', async () => {
    await onManager(`jobs/${ids.first}`);
    const { page } = visitor;
    await page.waitForURL(`${cluster.urls.history}/ui/jobs/${ids.first}`);
    const back = await page.getByRole('link', { name: 'Application', exact: true }).getAttribute('href');
    assert.equal(back, `${cluster.urls.resourceManager}/ui/applications/${ids.first.replace('job', 'application')}`);
    visitor.assertQuiet();
  });
});
