// The resource manager's pages on a cluster with work that runs, work that waits, and work that is over.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { applicationReport, commandApplication, endedApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

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
    browser = await oneBrowser();
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
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);

  it('show the cluster at a glance', async () => {
    await open('');
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    assert.match((await page.getByRole('link', { name: /^Memory/ }).textContent()) ?? '', /%/);
    await page.getByText('live', { exact: true }).waitFor();
    const waits = page.getByRole('region', { name: 'What waits, and why' });
    await waits.getByText('waits for room').waitFor();
    assert.match((await waits.textContent()) ?? '', /because/);
    await page.getByRole('table', { name: 'Running applications' }).getByText('stream of events').waitFor();
    await page.getByRole('table', { name: 'Ended applications' }).getByText('nightly report').waitFor();
    await page.getByRole('img', { name: /^Memory over time; now used/ }).waitFor();
    await visitor.look('overview');
  });

  it('say what was at the moment that is pointed at, in all charts at once', async () => {
    await open('');
    const { page } = visitor;
    const charts = page.locator('figure.chart');
    const moments = charts.getByText(/^at \d\d:\d\d:\d\d$/);
    await page.getByRole('img', { name: /^Memory over time/ }).hover();
    await until('each chart to tell the moment', async () => (await moments.count()) === 3);
    assert.equal(new Set(await moments.allTextContents()).size, 1);
    await page.getByRole('heading', { level: 1 }).hover();
    await until('the charts to tell of now', async () => (await moments.count()) === 0);
    // By keys as well.
    const moment = page.getByRole('slider', { name: 'Moment of Memory' });
    await moment.focus();
    await page.keyboard.press('Home');
    await until('each chart to tell the first moment', async () => (await moments.count()) === 3);
    const first = await moments.first().textContent();
    assert.match((await moment.getAttribute('aria-valuetext')) ?? '', /^at \d\d:\d\d:\d\d.*: used /);
    await page.keyboard.press('ArrowRight');
    await until('the next moment', async () => (await moments.first().textContent()) !== first);
    await page.keyboard.press('Escape');
    await until('the charts to tell of now again', async () => (await moments.count()) === 0);
  });

  it('order lists on the overview by nothing that is not shown', async () => {
    await open('');
    const { page } = visitor;
    const ended = page.getByRole('table', { name: 'Ended applications' });
    await ended.getByRole('columnheader', { name: 'Ended' }).waitFor();
    assert.equal(await ended.getByRole('columnheader').getByRole('button').count(), 0);
    await page.getByRole('link', { name: 'All that ended' }).click();
    const all = page.getByRole('table', { name: 'Applications' });
    await all.getByRole('columnheader', { name: 'Ended' }).getByRole('button').click();
    await page.waitForURL(/sort=finishedTime/);
    visitor.assertQuiet();
  });

  it('ask for what the first page needs while its scripts come, and show it as soon as they are there', async () => {
    await using first = await Visitor.open(browser, cluster);
    const { page } = first;
    // Each script is kept back until the answer was asked for.
    for (const [script, answer] of [
      [/assets\/index-.*\.js$/, /ui\/frame\.json$/],
      [/assets\/overview-.*\.js$/, /ws\/v1\/cluster\/metrics$/],
    ] as const) {
      const asked = page.waitForRequest(answer);
      await page.route(script, (route) => asked.then(() => route.continue()));
    }
    // Whoever waits for a moment before it shows what is there waits without end.
    await page.addInitScript(`{
      const { setTimeout } = globalThis;
      performance.now = () => 1000;
      globalThis.setTimeout = (act, ms = 0, ...more) => (ms > 10 && ms <= 300 ? 0 : setTimeout(act, ms, ...more));
    }`);
    await page.goto(`${cluster.urls.resourceManager}/ui/`);
    await page.getByRole('link', { name: /^Memory/ }).waitFor();
    first.assertQuiet();
  });

  it('say what they are about before their script and their answers have come', async () => {
    await using early = await Visitor.open(browser, cluster);
    const { page } = early;
    const headings = async () => (await page.locator('h1:visible').allTextContents()).join(', ');
    // Kept back is all but what every page begins with.
    const frame = await (await fetch(`${cluster.urls.resourceManager}/ui/`)).text();
    let open = Promise.withResolvers<void>();
    await page.route(/\/ws\/v1\/|\/api\/v1\/|\.json$|\.js$/, (route) =>
      frame.includes(basename(route.request().url())) ? route.continue() : open.promise.then(() => route.continue()),
    );
    for (const [path, before, after] of [
      ['applications', 'Applications', 'Applications'],
      ['nodes', 'Nodes', 'Nodes'],
      ['queues/try', 'Try a queue file', 'Try a queue file'],
      ['settings', 'Settings', 'Settings'],
      [`applications/${ids.waiting}`, ids.waiting, 'waits for room'],
      ['queues/root.small', 'root.small', 'root.small'],
      ['no/such/page', 'There is no such page', 'There is no such page'],
    ] as const) {
      open = Promise.withResolvers();
      await page.goto(`${cluster.urls.resourceManager}/ui/${path}`, { waitUntil: 'commit' });
      await page.locator('h1:visible').waitFor();
      assert.equal(await headings(), before, path);
      open.resolve();
      await page.getByRole('main').locator('.page-head:not(.in-place)').waitFor();
      assert.equal(await headings(), after, path);
    }
    early.assertQuiet();
  });

  it('show the first part of a page where the address names none that there is', async () => {
    const { page } = visitor;
    await open(`applications/${ids.running}?tab=nonsense`);
    const parts = page.getByRole('navigation', { name: 'Parts of the application' });
    await parts.locator('[aria-current=page]').waitFor();
    assert.deepEqual(await parts.locator('[aria-current=page]').allTextContents(), ['Overview']);
    await open('nodes?view=nonsense');
    await page.getByRole('table', { name: 'Nodes' }).waitFor();
    assert.deepEqual(await page.getByRole('group', { name: 'View' }).locator('[aria-pressed=true]').allTextContents(), ['List']);
    visitor.assertQuiet();
  });

  it('keep a name from turning or moving what stands beside it', async () => {
    await open('');
    const { page } = visitor;
    await page.getByRole('region', { name: 'What waits, and why' }).getByText('waits for room').waitFor();
    // The mark turns all that follows around.
    await page.evaluate(`document.querySelector('.reasons a b').textContent = '\u202e' + 'a-name-that-scripts-make-'.repeat(8)`);
    const { nameEnds, userBegins, lines } = await page.evaluate<{ nameEnds: number; userBegins: number; lines: number }>(
      `(() => {
        const name = document.querySelector('.reasons a').getBoundingClientRect();
        const user = document.querySelector('.reasons bdi').getBoundingClientRect();
        return { nameEnds: name.right, userBegins: user.left, lines: name.height / user.height };
      })()`,
    );
    assert.ok(userBegins >= nameEnds, `the user stands at ${userBegins}, the name ends at ${nameEnds}`);
    assert.ok(lines < 2, `the name takes ${lines} lines`);
  });

  it('keep names in questions from turning what is asked, and from filling the window', async () => {
    await open(`applications/${ids.waiting}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Kill', exact: true }).click();
    const title = page.getByRole('dialog').getByRole('heading', { name: 'Kill waits for room?' });
    await title.waitFor();
    await page.evaluate(`document.querySelector('dialog h2 bdi').textContent = '\u202enwod ti'`);
    const { nameEnds, markBegins } = await page.evaluate<{ nameEnds: number; markBegins: number }>(`(() => {
      const name = document.querySelector('dialog h2 bdi');
      const mark = document.createRange();
      mark.selectNode(name.nextSibling);
      return { nameEnds: name.getBoundingClientRect().right, markBegins: mark.getBoundingClientRect().left };
    })()`);
    assert.ok(markBegins >= nameEnds, `the question mark stands at ${markBegins}, the name ends at ${nameEnds}`);
    await page.evaluate(`document.querySelector('dialog h2 bdi').textContent = 'a-name-that-scripts-make-'.repeat(40)`);
    const lines = await page.evaluate<number>(
      `(() => { const title = document.querySelector('dialog h2'); return title.clientHeight / parseFloat(getComputedStyle(title).fontSize); })()`,
    );
    assert.ok(lines < 7, `the title is ${lines} times as high as its letters`);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    visitor.assertQuiet();
  });

  it('list applications, filtered by what the address says', async () => {
    await open('applications');
    const { page } = visitor;
    const all = page.getByRole('table', { name: 'Applications' });
    await all.getByText('waits for room').waitFor();
    await all
      .getByRole('row', { name: /broken import/ })
      .getByRole('img', { name: '1 failed' })
      .waitFor();
    await all
      .getByRole('row', { name: /stream of events/ })
      .getByRole('img', { name: '3 there' })
      .waitFor();
    await visitor.look('applications');
    await page.getByRole('button', { name: 'failed' }).click();
    await page.getByText('waits for room').waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).searchParams.get('finalStatus'), 'FAILED');
    await page.reload();
    await page.getByText('broken import').waitFor();
    assert.equal(await page.getByRole('table').getByRole('row').count(), 2);
    // The other choices take the parameter of this one away.
    await page.getByRole('button', { name: 'running' }).click();
    await page.getByText('stream of events').waitFor();
    assert.equal(new URL(page.url()).search, '?states=RUNNING');
    await page.getByRole('button', { name: /^all \d+$/ }).click();
    // The list of all has to be there before it can be seen to become shorter.
    await page.getByText('waits for room').waitFor();
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('OF EVENT');
    await page.getByText('waits for room').waitFor({ state: 'detached' });
    assert.equal(await page.getByRole('table').getByRole('row').count(), 2);
    visitor.assertQuiet();
  });

  it('say how many applications each choice has, and choose by keyboard what the address then says', async () => {
    await open('applications?states=NEW,NEW_SAVING,SUBMITTED,ACCEPTED');
    const { page } = visitor;
    const states = page.getByRole('group', { name: 'State' });
    await states.getByRole('button', { name: 'running 1' }).waitFor();
    await states.getByRole('button', { name: 'waiting 2' }).waitFor();
    await states.getByRole('button', { name: 'failed 1' }).waitFor();
    // Of the choices of a kind each has what the others leave.
    await page.getByRole('search').getByRole('button', { name: 'User' }).press('Enter');
    const users = page.getByRole('dialog', { name: 'User' });
    assert.deepEqual(await users.getByRole('listitem').allTextContents(), ['ann1', 'bob1']);
    await visitor.look('applications-facet');
    await page.keyboard.press('Escape');
    assert.equal(await users.count(), 0);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'User: bob' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('user'), 'bob');
    await page.getByText('waits for room').waitFor({ state: 'detached' });
    await page.getByRole('search').getByRole('button', { name: 'Queue' }).click();
    await page.getByRole('dialog', { name: 'Queue' }).getByRole('button', { name: 'root.small 1' }).waitFor();
    await states.getByRole('button', { name: 'failed 1' }).click();
    await page.getByText('broken import').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await states.getByRole('button', { name: 'running 1' }).waitFor();
    visitor.assertQuiet();
  });

  it('cut long names before they are wider than a window of 1,440 px', async () => {
    await open('applications');
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Applications' });
    await table.getByText('waits for room').waitFor();
    await page.evaluate(
      `for (const link of document.querySelectorAll('td .name a')) link.textContent = 'a-name-that-scripts-make-'.repeat(8)`,
    );
    const over = await page.evaluate<number>(
      `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-frame'))`,
    );
    assert.equal(over, 0);
  });

  it('show one application: why it waits, its life, its containers, what happened to it', async () => {
    await open(`applications/${ids.waiting}`);
    const { page } = visitor;
    await page.getByRole('heading', { level: 1, name: 'waits for room' }).waitFor();
    assert.match((await page.getByRole('region', { name: 'Why it waits' }).textContent()) ?? '', /It waits for its master because/);
    await visitor.look('application-waiting');
    await open(`applications/${ids.running}`);
    await page.getByRole('list', { name: 'Attempts and containers over time' }).getByText('Instance 0').waitFor();
    await page.getByRole('img', { name: 'Containers: 3 there' }).waitFor();
    await page.getByRole('img', { name: /^Memory over time; now used .* given/ }).waitFor({ timeout: 30_000 });
    const container = page.getByLabel('Container', { exact: true });
    const master = await container.inputValue();
    await container.selectOption({ index: 1 });
    await page.waitForURL(/use=container_/);
    assert.notEqual(await container.inputValue(), master);
    await page.getByRole('img', { name: /^Cores over time; now used .* given 1 core/ }).waitFor();
    await visitor.look('application');
    await page.getByRole('button', { name: 'Containers', exact: true }).click();
    assert.equal(await page.getByRole('table', { name: 'Containers' }).getByRole('row').count(), 4);
    await visitor.look('application-containers');
    await page.getByRole('button', { name: 'Events', exact: true }).click();
    const history = page.getByRole('table', { name: 'Events' });
    await history.getByText(/^It was submitted to root\.default/).waitFor();
    assert.equal(await history.getByText('It went from accepted to running.').count(), 0);
    await visitor.look('application-events');
    await page.getByRole('group', { name: 'Events', exact: true }).getByRole('button', { name: 'all' }).click();
    await history.getByText('It went from accepted to running.').waitFor();
    await page.getByRole('button', { name: 'earliest first' }).click();
    await page.waitForURL(/order=earliest/);
    assert.match((await history.getByRole('row').nth(1).textContent()) ?? '', /It was submitted/);
    // Into a part of the time, an event as programs have it, and back.
    await page
      .getByRole('button', { name: /: \d events?$/ })
      .first()
      .click();
    await page.waitForURL(/stretch=\d+-\d+/);
    await history.getByText('It went from accepted to running.').waitFor({ state: 'detached' });
    await history.getByRole('button', { name: /^JSON of application\.created/ }).click();
    const json = page.getByRole('dialog', { name: '1 event' });
    assert.equal(JSON.parse((await json.locator('pre').textContent()) ?? '').name, 'stream of events');
    const [download] = await Promise.all([page.waitForEvent('download'), json.getByRole('link', { name: 'Download' }).click()]);
    assert.equal(download.suggestedFilename(), `${ids.running}-events.json`);
    await json.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Whole time' }).click();
    await history.getByText('It went from accepted to running.').waitFor();
    await open(`applications/${ids.failed}`);
    assert.match((await page.getByRole('region', { name: 'How it stands' }).textContent()) ?? '', /exitCode: 3/);
    await visitor.look('application-failed');
  });

  it('follow a log as it grows, and search in it', async () => {
    await open(`applications/${ids.running}?tab=logs`);
    const { page } = visitor;
    const log = page.getByRole('log');
    await log.getByText(/line \d+/).waitFor();
    const lineOf = async () => Number(/line (\d+)\s*$/.exec((await log.textContent()) ?? '')?.[1]);
    const before = await lineOf();
    await until('the log to grow', async () => (await lineOf()) > before + 2);
    await visitor.look('application-logs');
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('line 3');
    await until('the other lines to go', async () => !/line 2\b/.test((await log.textContent()) ?? 'line 2'));
    visitor.assertQuiet();
  });

  it('submit a command, change it, and kill it after asking', async () => {
    await open('submit');
    const { page } = visitor;
    await page.getByRole('textbox', { name: /^Command/ }).waitFor();
    await visitor.look('submit');
    await page.getByRole('textbox', { name: /^Command/ }).fill('cat greeting.txt "$TOKEN_FILE"; sleep 300');
    await page
      .getByLabel('Files')
      .setInputFiles({ name: 'greeting.txt', mimeType: 'text/plain', buffer: Buffer.from('hello from a file\n') });
    for (const name of ['Name of secret 1', 'Name of secret 2']) {
      await page.getByRole('button', { name: 'Add a secret' }).click();
      await page.getByLabel(name).fill('TOKEN');
    }
    await page.getByLabel('Value of secret 1').fill('told to nobody');
    await page.getByLabel('Value of secret 2').fill('x');
    await page.getByLabel('Name', { exact: true }).fill('by hand');
    await page.getByLabel('Memory of each, MiB').fill('256');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('There are two secrets TOKEN.').waitFor();
    await page.getByRole('button', { name: 'Remove secret 2' }).click();
    await page.getByRole('button', { name: 'Try it' }).click();
    const tried = page.getByRole('region', { name: 'What it would come to now' });
    await tried.getByRole('row', { name: /^1 instance 1 GiB, 1 vcore/ }).waitFor();
    assert.match((await tried.textContent()) ?? '', /Nothing was submitted/);
    await visitor.look('submit-tried');
    await page.getByRole('main').getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { level: 1, name: 'by hand' }).waitFor();
    const id = /application_\d+_\d+/.exec(page.url())![0];
    const logOfInstance = `${cluster.urls.nodeManager}/ws/v1/node/containers/${id.replace('application', 'container')}_01_000002/logs/stdout`;
    await until('the file and the secret to be there', async () => {
      const answer = await fetch(`${logOfInstance}?user.name=dr.who`);
      return answer.ok && /hello from a file\ntold to nobody/.test(await answer.text());
    });
    await page.getByRole('button', { name: 'Priority' }).click();
    await page.getByRole('dialog').getByRole('spinbutton').fill('3');
    await page.getByRole('button', { name: 'Change it' }).click();
    // The highest of a queue is 0 unless it is told otherwise: the server's answer counts.
    await until('the question to be over', async () => (await page.getByRole('dialog').count()) === 0);
    await page.getByRole('button', { name: 'Kill' }).click();
    await page.getByRole('dialog', { name: 'Kill by hand?' }).getByRole('button', { name: 'Cancel' }).click();
    assert.notEqual((await applicationReport(cluster.urls.resourceManager, id)).state, 'KILLED');
    await page.getByRole('button', { name: 'Kill' }).click();
    await page.getByRole('button', { name: 'Kill it' }).click();
    await page.getByRole('main').locator('.page-head').getByText('killed', { exact: true }).waitFor();
    assert.equal((await endedApplication(cluster.urls.resourceManager, id)).state, 'KILLED');
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

  it('say that a session has ended, keep what stands there, and lead back to it', async () => {
    await open('applications?user=ann');
    const { page } = visitor;
    const row = page.getByRole('table', { name: 'Applications' }).getByText('waits for room');
    await row.waitFor();
    visitor.assertQuiet();
    visitor.expected.push(/\b401\b/);
    const refused = { status: 401, contentType: 'application/json', body: '{}' };
    await page.route(/\/(?:api|ws)\/|caller\.json$/, (route) => route.fulfill(refused));
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('roo');
    const told = page.getByRole('alert').filter({ hasText: 'Your session has ended' });
    await told.waitFor();
    assert.equal(await page.getByRole('searchbox', { name: 'Name or id' }).inputValue(), 'roo');
    await visitor.look('session-ended');
    // Who signs in in another window goes on in this one.
    await page.unroute(/\/(?:api|ws)\/|caller\.json$/);
    await told.waitFor({ state: 'detached' });
    await row.waitFor();
    await page.route(/\/(?:api|ws)\/|caller\.json$/, (route) => route.fulfill(refused));
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('room');
    await told.waitFor();
    await told.getByRole('link', { name: 'Sign in again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await page.unroute(/\/(?:api|ws)\/|caller\.json$/);
    await page.getByLabel('User').fill('ann');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await row.waitFor();
    assert.deepEqual(
      [...new URL(page.url()).searchParams],
      [
        ['user', 'ann'],
        ['find', 'room'],
      ],
    );
    await told.waitFor({ state: 'detached' });
    visitor.assertQuiet();
    visitor.expected.pop();
    // Nobody is led to where others say.
    await open('sign-in?to=%2F%2Fexample.org');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    visitor.assertQuiet();
  });

  it('tell what happened in the whole cluster, by kind, and keep filters by name', async () => {
    await open('events?queue=root.small&kind=application');
    const { page } = visitor;
    const events = page.getByRole('table', { name: 'Events' });
    await events.getByText('It was submitted to root.small: waits for room.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    const ofApplications = events.getByRole('link', { name: /^\d+_\d{4}$/ });
    await ofApplications.first().waitFor();
    await visitor.look('events');
    await page.getByRole('button', { name: 'nodes', exact: true }).click();
    await events.getByText('It came and is running.').waitFor();
    assert.equal(await ofApplications.count(), 0);
    await page.getByRole('button', { name: 'Keep this filter' }).click();
    await page.getByLabel('Name of the filter').fill('only nodes');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'all', exact: true }).click();
    await events
      .getByText(/was submitted/)
      .first()
      .waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'only nodes', exact: true }).click();
    await events
      .getByText(/was submitted/)
      .first()
      .waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).search, '?kind=node');
    await page.getByRole('button', { name: 'Forget the filter only nodes' }).click();
    await page.getByRole('button', { name: 'Keep this filter' }).waitFor();
    visitor.assertQuiet();
  });

  it('say of an address without a page that there is none, and lead back', async () => {
    await open('no/such/page');
    const { page } = visitor;
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    visitor.assertQuiet();
  });

  it('keep what they show while nobody answers, and go on by themselves', async () => {
    await open('applications');
    const { page } = visitor;
    const row = page.getByRole('table', { name: 'Applications' }).getByText('waits for room');
    await row.waitFor();
    visitor.assertQuiet();
    visitor.expected.push(/ERR_FAILED|the script of the page did not come/);
    await page.route('**', (route) => route.abort());
    const told = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
    // A page that is not there yet asks what fails; the list is asked for again as events come.
    await page.getByRole('button', { name: 'running' }).click();
    await told.waitFor();
    assert.equal(await page.getByText('This did not work').count(), 0);
    await page.getByRole('button', { name: /^all/ }).click();
    assert.equal(await row.isVisible(), true);
    await page.getByRole('link', { name: 'Labels' }).click();
    await page.getByText('Waiting for the page').waitFor();
    await page.unroute('**');
    await page.getByRole('heading', { level: 1, name: 'Labels' }).waitFor();
    await told.waitFor({ state: 'detached' });
    visitor.assertQuiet();
    visitor.expected.pop();
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
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate<string>('document.activeElement.type'), 'search');
    // Also while somebody types.
    await page.keyboard.press('Control+k');
    const places = page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
    await places.first().waitFor();
    await page.keyboard.type('waits for');
    await places.filter({ hasText: 'waits for room' }).waitFor();
    await visitor.look('go-to');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'waits for room' }).waitFor();
    await page.getByRole('button', { name: /Go to/ }).click();
    await page.keyboard.type('root.def');
    await places.filter({ hasText: 'root.default' }).click();
    await page.waitForURL(/queues\/root\.default$/);
    visitor.assertQuiet();
  });

  it('tell times by the clock of the server, where that of the browser is wrong', async () => {
    await using other = await Visitor.open(browser, cluster);
    await other.page.addInitScript(() => {
      const { now } = Date;
      Date.now = () => now() + 3_600_000;
    });
    await other.page.goto(`${cluster.urls.resourceManager}/ui/`);
    const ended = other.page.getByRole('region', { name: 'What ended last' });
    await ended
      .getByText(/^(?:just now|\d+\s(?:s|min)\sago)$/)
      .first()
      .waitFor();
    other.assertQuiet();
  });

  it('say at once that the server is gone, and come back with it', async () => {
    await open('queues');
    const { page } = visitor;
    await page.getByRole('table', { name: 'Queues' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
    visitor.assertQuiet();
    visitor.expected.push(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    await cluster.stop('up', 'SIGKILL');
    const told = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
    // Sooner than the queues are asked for again.
    await told.waitFor({ timeout: 20_000 });
    await page.getByText('reconnecting', { exact: true }).waitFor();
    assert.equal(await page.getByRole('table', { name: 'Queues' }).isVisible(), true);
    await cluster.start('up');
    await told.waitFor({ state: 'detached', timeout: 60_000 });
    await page.getByText('live', { exact: true }).waitFor();
    visitor.assertQuiet();
    visitor.expected.pop();
  });
});
