// What is done with one container on the pages: its files are looked at, it is stopped and signalled.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
/** Instances below a master of `heddle run`. */
let id = '';

/** Takes a name on the pages of one server. */
async function signIn(page: Page, server: string, user: string): Promise<void> {
  await page.goto(`${server}/ui/sign-in`);
  await page.getByLabel('User').fill(user);
  await page.getByRole('button', { name: 'Use this name' }).click();
  await page.getByText(`You are ${user}`).or(page.getByRole('banner').getByText(user)).first().waitFor();
}

describe('pages of one container', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({
      settings: {
        ...{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'boss' },
        // Otherwise everybody administers every queue.
        'yarn.scheduler.capacity.root.acl_administer_queue': ' ',
        'yarn.scheduler.capacity.maximum-am-resource-percent': '0.9',
      },
    });
    browser = await oneBrowser();
    const { resourceManager } = cluster.urls;
    const options = ['--detach', '--instances', '2', '--memory', '256', '--user', 'ann', '--name', 'two instances'];
    const begun = await cluster.heddle('run', '--cluster', resourceManager, ...options, '--', 'sh', '-c', 'sleep 600');
    id = /application_\d+_\d+/.exec(begun.output)?.[0] ?? '';
    assert.notEqual(id, '', begun.output);
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
  });

  it('do not let others stop one, and say why', async () => {
    const { resourceManager } = cluster.urls;
    const entry = [{ key: 'VIEW_APP', value: 'bob' }];
    const spec = { commands: { command: 'sleep 600' }, 'application-acls': { entry } };
    const shared = await submitApplication(resourceManager, commandApplication('', { 'am-container-spec': spec }), 'ann');
    await using visitor = await Visitor.open(browser, cluster);
    const { page } = visitor;
    await signIn(page, resourceManager, 'bob');
    await page.goto(`${resourceManager}/ui/applications/${shared}?tab=containers`);
    await page.getByRole('button', { name: /^Stop or signal container_/ }).click();
    visitor.expected.push(/403/);
    await page.getByRole('dialog').getByRole('button', { name: 'Ask it to end' }).click();
    await page.getByRole('dialog').getByText(/bob/).waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL((url) => !url.search.includes('signal='));
    await page.getByRole('button', { name: /^Stop or signal container_/ }).waitFor();
    visitor.assertQuiet();
  });

  it('stop one after a question that says what comes of it, and show at once that it has ended', async () => {
    const { resourceManager, nodeManager } = cluster.urls;
    await using visitor = await Visitor.open(browser, cluster);
    const { page } = visitor;
    const containers = page.getByRole('table', { name: 'Containers' });
    const row = (end: string) => containers.getByRole('row').filter({ hasText: end });
    await signIn(page, resourceManager, 'ann');
    await page.goto(`${resourceManager}/ui/applications/${id}?tab=containers`);
    await until('two instances to run', async () => (await containers.getByRole('link', { name: 'shell' }).count()) === 3);
    await row('01_000002').getByRole('button', { name: 'Stop or signal' }).click();
    const question = page.getByRole('dialog', { name: 'Stop or signal container 01_000002' });
    await question.getByText('its master hears of it and may start another').waitFor();
    await visitor.look('container-signal');
    // By keys alone: the first choice is asked for, the next one by an arrow, Escape leaves.
    await question.getByRole('radio', { name: 'Ask it to end' }).focus();
    await page.keyboard.press('ArrowDown');
    await question.getByRole('button', { name: 'End it' }).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.equal(await containers.getByRole('link', { name: 'shell' }).count(), 3);
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Ask it to end' }).click();
    await page.getByText('The container 01_000002 is asked to end.').waitFor();
    await row('01_000002').getByRole('button', { name: 'Stop or signal' }).waitFor({ state: 'detached' });

    // From the page of the node that it is on; for the master the question says what that means.
    await row('01_000001').getByRole('link', { name: 'shell' }).click();
    await page.waitForURL(/\/ui\/containers\/container_/);
    await signIn(page, nodeManager, 'ann');
    await page.goto(`${nodeManager}/ui/containers/${id.replace('application', 'container')}_01_000001`);
    const leads = (await page.getByRole('link', { name: 'Stop …' }).getAttribute('href')) ?? '';
    // Servers of one host have one cookie, which here each of them signs by itself.
    await signIn(page, resourceManager, 'ann');
    await page.goto(leads);
    const ofMaster = page.getByRole('dialog', { name: 'Stop or signal master 01_000001' });
    await ofMaster.getByText('the attempt has failed with all its containers').waitFor();
    await ofMaster.getByRole('radio', { name: 'End it at once' }).check();
    await ofMaster.getByRole('button', { name: 'End it' }).click();
    await row('01_000001').getByRole('button', { name: 'Stop or signal' }).waitFor({ state: 'detached' });
    await row('02_000001').getByRole('link', { name: 'shell' }).waitFor();
    visitor.assertQuiet();
  });

  it('show the files of one that runs to its owner, follow one, download another, and say what is no text', async () => {
    const { resourceManager, nodeManager } = cluster.urls;
    const command = [
      "mkdir -p results/deep; echo '<b>no page</b>' > results/page.html; head -c 3000 /bin/sh > program",
      'ln -s /etc/passwd outside; while true; do date +%s%N >> growing.log; sleep 0.2; done',
    ].join('; ');
    const spec = { commands: { command }, 'application-acls': { entry: [{ key: 'VIEW_APP', value: 'bob' }] } };
    const application = await submitApplication(resourceManager, commandApplication('', { 'am-container-spec': spec }), 'ann');
    const container = `${application.replace('application', 'container')}_01_000001`;
    await using visitor = await Visitor.open(browser, cluster);
    const { page } = visitor;
    await signIn(page, resourceManager, 'ann');
    await page.goto(`${resourceManager}/ui/applications/${application}?tab=containers`);
    await page.getByRole('table', { name: 'Containers' }).getByRole('link', { name: 'files' }).click();
    await page.waitForURL(/\/ui\/containers\/container_.*folder=/);
    const address = page.url();
    // Who may view the application and its logs may not look at its files.
    await signIn(page, nodeManager, 'bob');
    visitor.expected.push(/403/);
    await page.goto(address);
    await page.getByText('User bob may not look at files').waitFor();
    visitor.assertQuiet();

    await using owner = await Visitor.open(browser, cluster);
    const own = owner.page;
    await signIn(own, nodeManager, 'ann');
    await own.goto(`${nodeManager}/ui/containers/${container}`);
    await own.getByRole('button', { name: 'Look into its folder' }).click();
    const files = own.getByRole('table', { name: 'Files' });
    await files.getByRole('button', { name: 'results/' }).waitFor();
    await owner.look('container-files');
    // By keys alone: into the folder, and to a file in it.
    await files.getByRole('button', { name: 'results/' }).focus();
    await own.keyboard.press('Enter');
    await files.getByRole('button', { name: 'page.html' }).waitFor();
    await own.waitForURL(/folder=results/);
    await files.getByRole('button', { name: 'page.html' }).focus();
    await own.keyboard.press('Enter');
    const opened = own.getByRole('region', { name: /^File / });
    await opened.getByText('<b>no page</b>').waitFor();
    const [download] = await Promise.all([own.waitForEvent('download'), opened.getByRole('link', { name: 'Download page.html' }).click()]);
    assert.equal(download.suggestedFilename(), 'page.html');
    assert.equal(readFileSync(await download.path(), 'utf8'), '<b>no page</b>\n');
    await own.getByRole('navigation', { name: 'Folder' }).getByRole('button', { name: 'its folder' }).click();
    await files.getByRole('button', { name: 'program' }).click();
    await opened.getByText('It is binary').waitFor();
    await files.getByRole('button', { name: 'growing.log' }).click();
    await opened.getByLabel('Part').selectOption('follow');
    const linesOf = async () => ((await opened.locator('pre').textContent()) ?? '').trim().split('\n').length;
    await until('the file to be shown', async () => (await opened.locator('pre').count()) === 1 && (await linesOf()) > 1);
    const before = await linesOf();
    await until('the file to grow', async () => (await linesOf()) > before + 2);
    await owner.look('container-file');
    owner.expected.push(/409/);
    await files.getByRole('button', { name: 'outside' }).click();
    await opened.getByText('leads out of the folders').waitFor();
    owner.assertQuiet();
    await fetch(`${resourceManager}/ws/v1/cluster/apps/${application}/state?user.name=ann`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'KILLED' }),
    });
    await own.getByText('Its folder was there while it ran').waitFor();
  });
});
