// Pages about a server itself: what it answers, how it is set, the plain pages about the same things, and on a node a shell in what runs there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded, startBrowser } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
let id = '';

/** Command lines of all processes, as the kernel has them. */
const commandLines = (): string[] =>
  readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'latin1')] : [];
    } catch {
      return [];
    }
  });

describe('pages about a server itself', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({ settings: { 'yarn.scheduler.capacity.maximum-am-resource-percent': '0.5' } });
    browser = await startBrowser([]);
    visitor = await Visitor.open(browser, cluster);
    id = await submitApplication(cluster.urls.resourceManager, commandApplication('sleep 600', {}), 'ann');
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);

  it('show the interface, which can be searched', async () => {
    await open('api?search=explain');
    const { page } = visitor;
    await page.getByText('/api/v1/applications/{appid}/explain').waitFor();
    assert.equal(await page.getByText('/ws/v1/cluster/scheduler-conf', { exact: true }).count(), 0);
    assert.equal(await page.getByText('{rest}', { exact: true }).evaluate(({ tagName }) => tagName), 'CODE');
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /`/);
    await visitor.look('interface');
  });

  it('show an operation in full, with an example of its body, and ask the server for what another one reads', async () => {
    await open('api?operation=postApiV1Applications&search=greeting');
    const { page } = visitor;
    const whole = page.getByRole('listitem').filter({ hasText: '/api/v1/applications' });
    await whole.getByRole('region', { name: 'Body: example' }).getByText('"instances": 2').waitFor();
    await whole.getByText(/^curl -X POST .*"run":/).waitFor();
    await whole.getByText('Idempotency-Key').first().waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('explain');
    await page.getByRole('button', { name: 'GET /api/v1/applications/{appid}/explain' }).click();
    await page.waitForURL(/operation=getApiV1ApplicationsAppidExplain/);
    const form = page.getByRole('form', { name: 'Try it' });
    assert.ok(await form.getByRole('button', { name: 'Ask' }).isDisabled());
    await form.getByLabel('appid').fill(id);
    await form.getByRole('button', { name: 'Ask' }).click();
    await form.getByRole('region', { name: 'What it answered' }).getByText(id).first().waitFor();
    await visitor.look('operation');
  });

  it('show the interface of every server', async () => {
    const { page } = visitor;
    for (const name of ['nodeManager', 'timeline', 'history', 'resourceManager'] as const) {
      const url = cluster.urls[name];
      await page.goto(`${url}/ui/api?search=openapi.json`);
      await page.getByRole('button', { name: 'GET /openapi.json' }).waitFor();
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Interface', name);
    }
    visitor.assertQuiet();
  });

  it('show settings with where each comes from, those that somebody set first', async () => {
    await open('settings');
    const { page } = visitor;
    const set = page.getByRole('region', { name: 'Set for this cluster' });
    const share = set.getByRole('listitem').filter({ hasText: 'maximum-am-resource-percent' });
    assert.match((await share.textContent()) ?? '', /0\.5.*from /);
    await page.getByRole('searchbox', { name: 'Name, meaning, value' }).fill('log');
    await page.waitForURL(/search=log/);
    await share.waitFor({ state: 'detached' });
    await visitor.look('settings');
    await page.getByRole('button', { name: 'defaults' }).click();
    await page.waitForURL(/from=default/);
    await set.waitFor({ state: 'detached' });
    for (const server of ['nodeManager', 'timeline', 'history'] as const) {
      await page.goto(`${cluster.urls[server]}/ui/settings?search=acl`);
      await page.getByText('yarn.acl.enable', { exact: true }).waitFor();
    }
    visitor.assertQuiet();
  });

  it('lead to the plain page about the same thing, and back', async () => {
    const { page } = visitor;
    const { resourceManager, nodeManager } = cluster.urls;
    for (const [web, plain] of [
      [`${resourceManager}/ui/`, '/cluster'],
      [`${resourceManager}/ui/applications/${id}`, `/cluster/app/${id}`],
      [`${resourceManager}/ui/labels`, '/cluster/nodelabels'],
      [`${nodeManager}/ui/`, '/node'],
    ] as const) {
      await page.goto(web);
      await page.getByRole('link', { name: 'Plain page' }).click();
      await page.waitForURL(new URL(plain, web).href);
      await page.getByRole('link', { name: 'Web page' }).click();
      // The plain overview is the list of applications.
      await page.waitForURL(plain === '/cluster' ? `${resourceManager}/ui/applications` : web);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    }
    visitor.assertQuiet();
  });

  it('open a shell in a container for its owner alone, which is typed into, interrupted, and ends with the page', async () => {
    const { resourceManager, nodeManager } = cluster.urls;
    await using owner = await Visitor.open(browser, cluster);
    const { page } = owner;
    await page.goto(`${resourceManager}/ui/applications/${id}?tab=containers`);
    await page.getByRole('table', { name: 'Containers' }).getByRole('link', { name: 'shell' }).first().click();
    await page.waitForURL(/\/ui\/containers\/container_/);
    assert.ok(page.url().startsWith(nodeManager));
    const shell = page.getByRole('region', { name: 'Shell' });
    const open = shell.getByRole('button', { name: 'Open a' });
    // The browser says what it thinks of a connection that is refused.
    owner.expected.push(/WebSocket connection to .* failed/);
    await open.click();
    await shell.getByText(/You may not open one|did not let you in/).waitFor();
    const address = page.url();
    await page.goto(`${nodeManager}/ui/sign-in`);
    await page.getByLabel('User').fill('ann');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await page.getByText('You are ann').or(page.getByRole('banner').getByText('ann')).first().waitFor();
    await page.goto(address);
    await open.click();
    await shell.getByText('Shift and Tab leave the input').waitFor();
    const log = shell.getByRole('log');
    await page.keyboard.type('echo $((6*7))x of $CONTAINER_IE');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('D');
    await page.keyboard.press('Enter');
    await log.getByText(`42x of ${address.split('/').at(-1)}`).waitFor();
    await page.keyboard.type('sleep 600');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+c');
    // What is typed before the shell reads again may be lost, as in any terminal.
    const shownText = async () => (await log.textContent()) ?? '';
    const prompt = () => until('the prompt', async () => /[#$]\s*M*\s*$/.test(await shownText()));
    await until('the interrupt to be shown', async () => (await shownText()).includes('^C'));
    await prompt();
    await page.keyboard.type('stty size');
    await page.keyboard.press('Enter');
    const sizes = async () => [...(await shownText()).matchAll(/^(\d+) (\d+)$/gm)].map(([, , columns]) => Number(columns));
    await until('the shell to know its size', async () => (await sizes()).length === 1);
    await owner.look('container-shell');
    await page.setViewportSize({ width: 700, height: 900 });
    await until('the shell to know that it is smaller', async () => {
      const before = (await sizes()).length;
      await page.keyboard.type('stty size');
      await page.keyboard.press('Enter');
      await until('an answer', async () => (await sizes()).length > before);
      await prompt();
      return (await sizes()).at(-1)! < (await sizes())[0]!;
    });
    await page.keyboard.press('Control+d');
    await shell.getByText('The command ended with exit code').waitFor();
    await open.click();
    await shell.getByText('Shift and Tab leave the input').waitFor();
    const seconds = String(1_000_000 + Number(id.slice(-4)));
    await page.keyboard.type(`sleep ${seconds}`);
    await page.keyboard.press('Enter');
    const isAsleep = async () => commandLines().some((line) => line === `sleep\0${seconds}\0`);
    await until('the command to run', isAsleep);
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate<boolean>("document.activeElement.tagName === 'TEXTAREA'"), false);
    await page.goto(`${nodeManager}/ui/`);
    await until('the command to end with the page', async () => !(await isAsleep()));
    owner.assertQuiet();
  });
});
