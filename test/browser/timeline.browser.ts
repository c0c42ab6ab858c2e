// The timeline server's pages after an application has run and somebody has published entities of their own.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
let id: string;
const startMs = 1_790_000_000_000;

describe("the timeline server's pages", { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({
      settings: {
        'yarn.system-metrics-publisher.enabled': 'true',
        'yarn.resourcemanager.system-metrics-publisher.enabled': 'true',
        'yarn.timeline-service.versions': '1.5,2.0',
      },
    });
    browser = await oneBrowser();
    visitor = await Visitor.open(browser, cluster);
    const { resourceManager, timeline } = cluster.urls;
    id = await submitApplication(resourceManager, commandApplication('true', { 'application-name': 'nightly report' }), 'ann');
    await endedApplication(resourceManager, id);
    const entities = Array.from({ length: 130 }, (_each, number) => ({
      entitytype: 'STAGE',
      entity: `stage/${number}`,
      starttime: startMs + number,
      primaryfilters: { team: [number % 2 ? 'red' : 'blue'] },
      otherinfo: { rows: number * 1000, plan: { steps: Array.from({ length: 20 }, (_one, step) => `step ${step}`) } },
      relatedentities: number === 0 ? {} : { STAGE: ['stage/0'] },
      events: [
        { timestamp: startMs + number, eventtype: 'BEGUN', eventinfo: { by: 'ann' } },
        { timestamp: startMs + number + 4000, eventtype: 'DONE' },
      ],
    }));
    const put = await fetch(`${timeline}/ws/v1/timeline?user.name=ann`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entities }),
    });
    assert.equal(put.status, 200, await put.text());
    await until('the application to be told', async () => (await fetch(`${timeline}/ws/v1/applicationhistory/apps/${id}`)).ok);
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.timeline}/ui/${path}`);

  it('begin with the explorer', async () => {
    await open('');
    const { page } = visitor;
    await page.waitForURL(`${cluster.urls.timeline}/ui/timeline`);
    await page.getByRole('heading', { level: 1, name: 'Timeline' }).waitFor();
    visitor.assertQuiet();
  });

  it('list types and entities, filtered by what the address says', async () => {
    await open('timeline?type=STAGE');
    const { page } = visitor;
    await page.getByRole('link', { name: 'stage/129' }).waitFor();
    await page.getByText('130 entities', { exact: true }).waitFor();
    await visitor.look('timeline');
    await page.getByRole('link', { name: 'team: red' }).first().click();
    await page.getByText('65 entities', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('primaryFilter'), 'team:red');
    await page.getByRole('button', { name: 'YARN_APPLICATION', exact: true }).click();
    await page.getByRole('link', { name: id }).waitFor();
    visitor.assertQuiet();
  });

  it('show an entity: events, relations, what was told of it', async () => {
    await open(`timeline/entity?type=STAGE&id=${encodeURIComponent('stage/7')}`);
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'stage/7' }).waitFor();
    await page.getByText('4 s after the one before').waitFor();
    await page.getByRole('row', { name: 'rows 7000' }).waitFor();
    await visitor.look('entity');
    await open(`timeline/entity?type=STAGE&id=${encodeURIComponent('stage/0')}`);
    await page.getByRole('region', { name: 'Related entities' }).getByRole('link', { name: 'stage/129' }).click();
    await page.getByRole('heading', { level: 1, name: 'stage/129' }).waitFor();
    visitor.assertQuiet();
  });

  it('list applications that were, and show one with its attempts and containers', async () => {
    await open('history');
    const { page } = visitor;
    await page.getByRole('link', { name: 'nightly report' }).click();
    await page.getByRole('heading', { level: 1, name: 'nightly report' }).waitFor();
    await page.getByRole('table', { name: 'Containers of attempt 1' }).getByRole('row').nth(1).waitFor();
    await page.getByRole('cell', { name: 'well (0)' }).first().waitFor();
    assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /N\/A|-1(?!\d)/);
    await visitor.look('past-application');
    await page.getByRole('link', { name: 'What was published' }).click();
    await page.getByText('YARN_APPLICATION_FINISHED').first().waitFor();
    await open('history?finalStatus=KILLED');
    await page.getByText('No application passes the filter.').waitFor();
    await open('history?user=ann');
    await page.getByRole('link', { name: 'nightly report' }).waitFor();
    await visitor.look('past-applications');
  });

  it('list flows, the runs and applications of one, and show an application and an entity of it', async () => {
    await open('flows');
    const { page } = visitor;
    await page.getByRole('link', { name: 'nightly report' }).waitFor();
    await page.getByText('1 day of a flow', { exact: true }).waitFor();
    await visitor.look('flows');
    await page.getByRole('link', { name: 'nightly report' }).click();
    await page.getByRole('heading', { level: 1, name: 'nightly report' }).waitFor();
    const applications = page.getByRole('table', { name: 'Applications' });
    await applications.getByRole('link', { name: id }).waitFor();
    await applications.getByText('nightly report').waitFor();
    await visitor.look('flow-runs');
    await applications.getByRole('link', { name: id }).click();
    await page
      .getByRole('table', { name: 'Info', exact: true })
      .getByRole('row', { name: 'YARN_APPLICATION_QUEUE root.default' })
      .waitFor();
    await page.getByRole('button', { name: 'YARN_CONTAINER', exact: true }).click();
    await visitor.look('flow-application');
    await page.getByRole('table', { name: 'Entities' }).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: /^container_/ }).waitFor();
    await page.getByText('YARN_CONTAINER_CREATED', { exact: true }).waitFor();
    await visitor.look('flow-entity');
    visitor.assertQuiet();
    await open('flows?daterange=20200101');
    await page.getByText('No flow ran in these days.').waitFor();
    assert.equal(await page.getByLabel('To the day').inputValue(), '2020-01-01');
    await page.getByLabel('To the day').fill('');
    await page.getByRole('link', { name: 'nightly report' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('daterange'), '20200101-');
    visitor.assertQuiet();
  });
});
