// Pages of queues, nodes and reservations on a cluster with labels, a queue that is too small, and work in several queues.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Route } from 'playwright-core';
import { applicationReport, commandApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
let waiting = '';

const root = 'yarn.scheduler.capacity.root';
const settings = {
  'yarn.scheduler.configuration.store.class': 'leveldb',
  'yarn.node-labels.enabled': 'true',
  'yarn.resourcemanager.reservation-system.enable': 'true',
  'yarn.nodemanager.resource.memory-mb': '8192',
  'yarn.nodemanager.resource.cpu-vcores': '8',
  [`${root}.queues`]: 'people,batch,night,small',
  [`${root}.people.capacity`]: '40',
  [`${root}.people.maximum-capacity`]: '80',
  [`${root}.people.queues`]: 'analysts,science',
  [`${root}.people.analysts.capacity`]: '50',
  [`${root}.people.science.capacity`]: '50',
  [`${root}.batch.capacity`]: '25',
  [`${root}.night.capacity`]: '25',
  [`${root}.night.reservable`]: 'true',
  [`${root}.small.capacity`]: '10',
  [`${root}.small.maximum-capacity`]: '10',
  'yarn.scheduler.capacity.maximum-am-resource-percent': '0.8',
};

describe('pages of queues and nodes', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({ settings });
    browser = await oneBrowser();
    visitor = await Visitor.open(browser, cluster);
    const submit = (name: string, queue: string, user: string, memory: number) =>
      submitApplication(
        cluster.urls.resourceManager,
        commandApplication('sleep 600', { 'application-name': name, queue, resource: { memory, vCores: 1 } }),
        user,
      );
    const running = await Promise.all([submit('notebook', 'analysts', 'ann', 2048), submit('nightly load', 'batch', 'bob', 1024)]);
    waiting = await submit('too much for small', 'small', 'ann', 2048);
    for (const id of running)
      await until(`${id} to get its container`, async () => {
        const { amContainerLogs } = await applicationReport(cluster.urls.resourceManager, id);
        return amContainerLogs !== undefined;
      });
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);

  it('show every queue with what it has, is promised and waits for', async () => {
    await open('queues');
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Queues' });
    await table.getByRole('img', { name: /^root\.people\.analysts: 2 GiB used, .* guaranteed, at most/ }).waitFor();
    await table.getByRole('img', { name: /^root\.small: 0 MiB used, 2 GiB asked for/ }).waitFor();
    await visitor.look('queues');
    await page.getByRole('button', { name: 'Queues below root.people' }).click();
    await table.getByRole('link', { name: 'analysts' }).waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('anal');
    await table.getByRole('link', { name: 'root.people.analysts' }).waitFor();
    assert.equal(await table.getByRole('row').count(), 2);
    visitor.assertQuiet();
  });

  it('say of one queue who uses it and why its work waits', async () => {
    await open('queues/root.small');
    const { page } = visitor;
    const waits = page.getByRole('region', { name: 'Why its work waits' });
    await waits.getByText(/maximum of \d+ MiB/).waitFor();
    await waits.getByRole('link', { name: waiting.replace('application_', '') }).waitFor();
    await page.getByRole('link', { name: 'All of this queue' }).waitFor();
    await visitor.look('queue');
    await page.getByRole('link', { name: 'root', exact: true }).click();
    await page.getByRole('region', { name: 'Queues below it' }).getByRole('link', { name: 'batch' }).waitFor();
    visitor.assertQuiet();
  });

  it('list nodes, show them as a map, and one with what runs there', async () => {
    await open('nodes');
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Nodes' });
    await table.getByRole('img', { name: /^memory of 127\.0\.0\.1:\d+ given away: 38 %/ }).waitFor();
    await visitor.look('nodes');
    await table.getByRole('cell', { name: '/default-rack' }).click();
    await page.getByRole('table', { name: 'Containers' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Map' }).click();
    await page
      .getByRole('region', { name: 'Nodes without label' })
      .getByRole('link', { name: /38 % of 8 GiB/ })
      .waitFor();
    assert.equal(new URL(page.url()).searchParams.get('view'), 'map');
    // What fills it, and where one application is.
    await page.getByRole('button', { name: /^Application/ }).click();
    await page.getByRole('button', { name: /^nightly load/ }).click();
    await page
      .getByRole('status')
      .getByText(/^nightly load .* in root\..*: \d+ containers? on 1 node, .* GiB$/)
      .waitFor();
    assert.match(new URL(page.url()).searchParams.get('application') ?? '', /^application_/);
    await visitor.look('nodes-map');
    await page.getByRole('link', { name: /38 % of 8 GiB/ }).click();
    await page.getByRole('table', { name: 'Containers' }).getByText('nightly load (master)').waitFor();
    await page.getByRole('img', { name: /^Cores over time; now containers .* the whole machine .* there/ }).waitFor({ timeout: 30_000 });
    await page
      .getByRole('table', { name: 'What happened' })
      .getByText(/was given on/)
      .first()
      .waitFor();
    await visitor.look('node');
    // As it is told from when its process dies until it counts as lost.
    await page.route(/\/api\/v1\/nodes\/[^/]+\/containers$/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), connected: false } });
    });
    await page.getByText('The connection to the node is gone.').waitFor();
    await page.unroute(/\/api\/v1\/nodes\/[^/]+\/containers$/);
    await page.getByText('The connection to the node is gone.').waitFor({ state: 'detached' });
    visitor.assertQuiet();
  });

  it('show the stretch of time that is dragged over in all charts, and that the address names, by keys as well', async () => {
    await open('nodes');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').first().click();
    const moment = page.getByRole('slider', { name: 'Moment of Memory' });
    // Half of their time holds two of them then.
    await until('samples', async () => Number(await moment.getAttribute('aria-valuemax')) >= 3);
    const whole = page.getByRole('button', { name: 'Whole time' });
    const stretch = () => /stretch=(\d+)-(\d+)/.exec(page.url())?.slice(1).map(Number);
    await moment.focus();
    await page.keyboard.press('+');
    await until('each chart to show half of it', async () => (await whole.count()) === 2);
    const [from = 0, to = 0] = stretch() ?? [];
    assert.ok(to > from && from > 0);
    // Samples come; what is shown stays.
    const samples = Number(await moment.getAttribute('aria-valuemax'));
    await until('a further sample', async () => Number(await moment.getAttribute('aria-valuemax')) > samples);
    assert.deepEqual(stretch(), [from, to]);
    await page.keyboard.press('0');
    await until('all to be shown', async () => stretch() === undefined);
    const box = (await page
      .getByRole('img', { name: /^Memory over time/ })
      .locator('.u-over')
      .boundingBox())!;
    await page.mouse.move(box.x + 5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 50, { steps: 5 });
    await page.mouse.move(box.x + box.width - 5, box.y + 50, { steps: 5 });
    await page.mouse.up();
    await until('what was dragged over', async () => stretch() !== undefined);
    await whole.first().click();
    await until('all to be shown again', async () => stretch() === undefined && (await whole.count()) === 0);
  });

  it('drain a node and put it back to work', async () => {
    await open('nodes');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').first().click();
    // By its whole name: until the page of the node is there, the list has a filter for those that are draining.
    const drain = page.getByRole('button', { name: 'Drain', exact: true });
    await drain.click();
    const question = page.getByRole('dialog', { name: /^Drain 127\.0\.0\.1:\d+\?$/ });
    await question.waitFor();
    const holdsFocus = () =>
      drain.evaluate<boolean, unknown>(
        (button) => button === (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement,
      );
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.ok(await holdsFocus(), 'Escape leads back to the button');
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Cancel' }).press('Enter');
    await question.waitFor({ state: 'detached' });
    assert.ok(await holdsFocus(), 'Cancel leads back to the button');
    await drain.click();
    await question.getByLabel('Within').fill('soon');
    await question.getByRole('button', { name: 'Drain' }).click();
    await question.getByText('Write a time as').waitFor();
    await question.getByLabel('Within').fill('1 h');
    await question.getByText('Write a time as').waitFor({ state: 'detached' });
    await visitor.look('node-drain');
    await question.getByRole('button', { name: 'Drain' }).click();
    // The id is kept from turning what follows it.
    await page.getByRole('status').filter({ hasText: 'finishes its work and leaves' }).locator('bdi').waitFor();
    await page.getByText('It finishes the applications').waitFor();
    await page.getByRole('button', { name: 'Put back to work' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Put back to work' }).click();
    await drain.waitFor();
    visitor.assertQuiet();
  });

  it('keep what is written and asked while the server is in trouble, and say that it may be old', async () => {
    const { page } = visitor;
    // Asks again for what is old, as a window does that somebody comes back to.
    const comeBack = () => page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`);
    const told = page.getByRole('alert').filter({ hasText: 'What this page shows may be old' });
    visitor.expected.push(/\b503\b/);
    const refuse = (route: Route) => route.fulfill({ status: 503, contentType: 'application/json', body: '{"message":"It is busy."}' });
    await open('queues/root.small/edit');
    await page.getByLabel('Share of root.small').fill('12');
    await page.route(/\/ws\/v1\/cluster\/scheduler/, refuse);
    await until('the tree of queues to be refused', async () => {
      await comeBack();
      return await told.isVisible();
    });
    assert.match((await told.textContent()) ?? '', /It is busy\. It asks again by itself\.$/);
    assert.equal(await page.getByLabel('Share of root.small').inputValue(), '12');
    await page.unroute(/\/ws\/v1\/cluster\/scheduler/);
    await until('the tree of queues to be there again', async () => {
      await comeBack();
      return await told.isHidden();
    });
    await open('nodes');
    await page.getByRole('table', { name: 'Nodes' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Drain', exact: true }).click();
    await page.getByLabel('Within').fill('2 h');
    await page.route(/\/ws\/v1\/cluster\/nodes\//, refuse);
    await until('the node to be refused', async () => {
      await comeBack();
      return await page.getByText('What this page shows may be old').isVisible();
    });
    assert.equal(await page.getByLabel('Within').inputValue(), '2 h');
    await page.unroute(/\/ws\/v1\/cluster\/nodes\//);
    await page.keyboard.press('Escape');
    visitor.assertQuiet();
    visitor.expected.pop();
  });

  it('show schedules, which are paused, run and removed there', async () => {
    const submission = { run: { command: ['true'] }, queue: 'batch' };
    const made = await fetch(`${cluster.urls.resourceManager}/api/v1/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'yearly', cron: '0 0 1 1 *', timeZone: 'Europe/Berlin', submission }),
    });
    assert.equal(made.status, 201, await made.text());
    await open('schedules');
    const { page } = visitor;
    const row = page.getByRole('table', { name: 'Schedules' }).getByRole('row').filter({ hasText: 'yearly' });
    await row.getByText('not yet').waitFor();
    const act = async (action: string) => {
      await row.getByRole('button', { name: `${action}: yearly` }).click();
      await page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();
    };
    await act('Run now');
    await row.getByText('submitted').waitFor();
    await act('Pause');
    await row.getByText('paused', { exact: true }).waitFor();
    await visitor.look('schedules');
    await act('Resume');
    await row.getByRole('button', { name: 'Pause: yearly' }).waitFor();
    await act('Remove');
    await page.getByText('You have no schedules').waitFor();
    visitor.assertQuiet();
  });

  it('show administrators the schedules of everybody, and let them stop one', async () => {
    const made = await fetch(`${cluster.urls.resourceManager}/api/v1/schedules?user.name=bob`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'hourly', cron: '0 * * * *', submission: { run: { command: ['true'] }, queue: 'batch' } }),
    });
    assert.equal(made.status, 201, await made.text());
    await open('schedules');
    const { page } = visitor;
    await page.getByText('You have no schedules').waitFor();
    await page.getByRole('button', { name: 'Everybody' }).click();
    const row = page.getByRole('table', { name: 'Schedules' }).getByRole('row').filter({ hasText: 'hourly' });
    await row.getByRole('cell', { name: 'bob', exact: true }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('of'), 'everybody');
    await visitor.look('schedules-of-everybody');
    await row.getByRole('button', { name: 'Pause: hourly of bob' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
    await row.getByText('paused', { exact: true }).waitFor();
    visitor.assertQuiet();
  });

  it('try a queue file before it is taken over', async () => {
    await open('queues');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Try a queue file' }).click();
    const text = page.getByLabel('Text of the file');
    await text.fill('<queues/>');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('alert').getByText('Begins neither with').waitFor();
    await text.fill(`${'<!-- a line -->\n'.repeat(60)}<configuration/>`);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('alert').getByText('Sets nothing').waitFor();
    const keys = {
      ...settings,
      [`${root}.batch.capacity`]: '0',
      [`${root}.small.capacity`]: '35',
      [`${root}.small.maximum-capacity`]: '90',
    };
    const property = Object.entries(keys)
      .filter(([key]) => key.startsWith('yarn.scheduler.capacity.'))
      .map(([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`);
    await page.getByLabel('Choose it').setInputFiles({
      name: 'capacity-scheduler.xml',
      mimeType: 'text/xml',
      buffer: Buffer.from(`<?xml version="1.0"?>\n<configuration>${property.join('\n')}</configuration>`),
    });
    await page.getByRole('button', { name: 'Try it' }).click();
    const told = page.getByRole('region', { name: 'What it comes to' });
    await told.getByText('that waits now would start').waitFor();
    await told.getByText('root.small.maximum-capacity').waitFor();
    await visitor.look('queue-file');
  });

  it('show reservations on a time axis', async () => {
    await reserve('nightly report', 2, 3);
    await open('reservations');
    const { page } = visitor;
    const plan = page.getByRole('region', { name: 'root.night' });
    await plan.getByText('nightly report').waitFor();
    await plan.getByRole('img', { name: /^Reserved in all: up to 1 GiB/ }).waitFor();
    await visitor.look('reservations');
    await page.evaluate(`document.querySelector('.plan-name .title').textContent = 'a-name-that-scripts-make-'.repeat(8)`);
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    assert.ok(over <= 0, `a long name makes the page ${over} px too wide`);
    await plan.getByRole('button', { name: 'Give back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Give back' }).click();
    await plan.getByText('Nothing is reserved').waitFor();
    visitor.assertQuiet();
  });

  it('change queues once the scheduler took the change, and remember who did it', async () => {
    await open('queues/root.small');
    const { page } = visitor;
    await page.getByRole('link', { name: 'Change' }).click();
    await page.getByLabel('Share of root.small').fill('50');
    await page.getByText('40 % too much').waitFor();
    visitor.expected.push(/400 .*validate/, /status of 400/);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Share of root.batch').fill('0');
    await page.getByLabel('Share of root.night').fill('10');
    await page.getByLabel('At most of root.small').fill('80');
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('The scheduler takes this change').waitFor();
    const told = page.getByRole('region', { name: 'What it would do now' });
    await told.getByText('that waits now would start').waitFor();
    await told.getByRole('table', { name: 'Applications that would fare otherwise' }).getByText('would start').waitFor();
    await visitor.look('queue-edit');
    await page.getByRole('button', { name: 'Apply' }).click();
    const history = page.getByRole('region', { name: 'What was changed' });
    await history.getByText('root.small.maximum-capacity').waitFor();
    await page
      .getByRole('table', { name: 'Applications of the queue' })
      .getByText(/running|starting/)
      .waitFor();
    await visitor.look('queue-changed');
  });

  it('add a label, give it to a node, and say who may use it', async () => {
    await open('labels');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Add a label' }).click();
    await page.getByLabel('Name').fill('gpu');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('status').locator('bdi').getByText('gpu', { exact: true }).waitFor();
    const table = page.getByRole('table', { name: 'Labels' });
    await table.getByText('gpu', { exact: true }).waitFor();
    await visitor.look('labels');
    await page.getByRole('button', { name: 'Remove gpu' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await table.getByText('gpu', { exact: true }).waitFor({ state: 'detached' });
    visitor.assertQuiet();
  });

  it("of a node itself show what runs there and its logs, and lead back to the cluster's", async () => {
    const { page } = visitor;
    await page.goto(`${cluster.urls.nodeManager}/ui/`);
    const table = page.getByRole('table', { name: 'Containers' });
    await table.getByRole('link').first().waitFor();
    await visitor.look('node-own');
    await table.getByRole('link').first().click();
    await page.getByLabel('Log', { exact: true }).selectOption({ index: 0 });
    await page.getByRole('region', { name: /^Log / }).waitFor();
    await page.getByRole('img', { name: /^Memory over time; now used .* given/ }).waitFor({ timeout: 30_000 });
    await visitor.look('node-container');
    await page.getByRole('link', { name: 'Its application' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'In the cluster' }).click();
    await page.getByRole('button', { name: 'Drain' }).waitFor();
    visitor.assertQuiet();
  });
});

/** Reserves 1 GiB from in `from` hours for one hour, within `hours`. */
async function reserve(name: string, from: number, hours: number): Promise<void> {
  const base = `${cluster.urls.resourceManager}/ws/v1/cluster/reservation`;
  const fresh = await fetch(`${base}/new-reservation?user.name=ann`, { method: 'POST', headers: { accept: 'application/json' } });
  const id = ((await fresh.json()) as Record<string, string>)['reservation-id'];
  const arrival = Date.now() + from * 3_600_000;
  const capability = { memory: 1024, vCores: 1 };
  const answer = await fetch(`${base}/submit?user.name=ann`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      queue: 'night',
      'reservation-id': id,
      'reservation-definition': {
        arrival,
        deadline: arrival + hours * 3_600_000,
        'reservation-name': name,
        'reservation-requests': {
          'reservation-request-interpreter': 0,
          'reservation-request': [{ duration: 3_600_000, 'num-containers': 1, 'min-concurrency': 1, capability }],
        },
      },
    }),
  });
  assert.equal(answer.status, 202, await answer.text());
}
