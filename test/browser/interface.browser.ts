// Pages about a server itself: what it answers, how it is set, the plain pages about the same things, and on a node a shell in what runs there.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { commandApplication, submitApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

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
    browser = await oneBrowser();
    visitor = await Visitor.open(browser, cluster);
    id = await submitApplication(cluster.urls.resourceManager, commandApplication('sleep 600', {}), 'ann');
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
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

  it('show the log of each server, live, by level and words, paused and gone on with', async () => {
    const { page } = visitor;
    for (const server of [cluster.urls.nodeManager, cluster.urls.history, cluster.urls.resourceManager]) {
      await page.goto(`${server}/ui/log`);
      await page
        .getByRole('region', { name: 'Lines of the log' })
        .getByText(/ready|serves/)
        .first()
        .waitFor();
    }
    const lines = page.getByRole('region', { name: 'Lines of the log' });
    await visitor.look('server-log');
    const submit = async () =>
      submitApplication(cluster.urls.resourceManager, commandApplication('true', { 'application-name': 'told in the log' }), 'ann');
    await lines
      .getByText(await submit())
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const unseen = await submit();
    await page.getByLabel('With').fill(unseen);
    await page.getByRole('button', { name: 'Go on' }).click();
    await lines.getByText(unseen).first().waitFor();
    assert.equal(await lines.locator('p').filter({ hasNotText: unseen }).count(), 0);
    await page.getByLabel('Level').selectOption('fatal');
    await page.getByText('No line of the last ones passes the filter').waitFor();
    await page.waitForURL(/level=fatal/);
    const write = async (how: string) => assert.equal((await fetch(`${cluster.urls.resourceManager}/logLevel?log=x&${how}`)).status, 200);
    await write('level=debug&for=10m');
    await page.getByLabel('Level').selectOption('debug');
    await page.getByText(/It writes lines from debug on until .*, and from \w+ on afterwards\./).waitFor();
    await write('level=info');
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
    const containers = page.getByRole('table', { name: 'Containers' });
    // A node looks every few seconds, and the page asks after ten.
    await containers
      .getByRole('img', { name: /^at most .* MiB over the last/ })
      .first()
      .waitFor({ timeout: 60_000 });
    assert.match((await containers.getByRole('row').nth(1).textContent()) ?? '', /[\d.]+ MiB of \d.*[\d.]+ of 1/);
    await containers.getByRole('link', { name: 'shell' }).first().click();
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
    await shell.getByText('Shift and Tab leave the terminal').waitFor();
    const rows = async () =>
      (await shell.locator('.xterm-rows > div').allTextContents()).map((row) => row.replaceAll('\u00a0', ' ').trimEnd());
    const shows = (words: RegExp) => until(`${words} in the terminal`, async () => words.test((await rows()).join('\n')));
    const type = async (line: string) => {
      await page.keyboard.type(line);
      await page.keyboard.press('Enter');
    };
    // What is typed before the shell reads again may be lost, as in any terminal.
    const prompt = () => shows(/(?:^|\n)ready[$] *\n*$/);
    await type("PS1='ready$ '; clear");
    await prompt();
    // Letters that no key has come by another way than keys: each waits until the one before is there.
    for (const [part, shown] of [
      ['echo $((6*7))x of $TERM ', /of [$]TERM *\n*$/],
      ['é日本😀', /é日本😀 *\n*$/],
      [', $CONTAINER_IE', /CONTAINER_IE *\n*$/],
    ] as const) {
      await page.keyboard.type(part);
      await shows(shown);
    }
    await page.keyboard.press('Backspace');
    await page.keyboard.type('D');
    await page.keyboard.press('Enter');
    await shows(new RegExp(`^42x of xterm-256color é日本😀, ${address.split('/').at(-1)}$`, 'm'));
    await type("printf '\\e[31mred\\e[0m \\e[38;2;10;120;10mgreen\\e[0m\\n'");
    await shell.locator('.xterm-rows .xterm-fg-1', { hasText: /^red$/ }).waitFor();
    const colour = `getComputedStyle([...document.querySelectorAll('.xterm-rows span')].find((span) => span.textContent === 'green')).color`;
    assert.equal(await page.evaluate<string>(colour), 'rgb(10, 120, 10)');
    // More than the page shows at once: what is typed comes through all the same.
    await type('yes $((41+1)) from yes');
    await shows(/^42 from yes$/m);
    await page.keyboard.press('Control+c');
    await shows(/\^C/);
    await prompt();
    await type('clear; stty size');
    await shows(/^\d+ \d+$/m);
    const [whole = 0] = (await rows()).flatMap((row) => /^\d+ (\d+)$/.exec(row)?.slice(1).map(Number) ?? []);
    await owner.look('container-shell');
    await page.setViewportSize({ width: 700, height: 900 });
    // A program that draws the whole screen, and draws it anew when the window becomes another.
    await type(
      'bash -c \'draw() { printf "\\e[2J\\e[3;5Hthe screen has %s." "$(stty size)"; }; trap draw WINCH; printf "\\e[?1049h"; draw; until read -rsn1 -t 0.1; do :; done; printf "\\e[?1049l"\'',
    );
    const columnsOfScreen = async () => {
      const found = /^ {4}the screen has \d+ (\d+)\.$/.exec((await rows())[2] ?? '');
      return found ? Number(found[1]) : Infinity;
    };
    await until('the program to know the smaller window', async () => (await columnsOfScreen()) < whole);
    await page.setViewportSize({ width: 1440, height: 900 });
    await until('the program to know the larger window', async () => (await columnsOfScreen()) === whole);
    await page.keyboard.press('q');
    await shows(/^\d+ \d+\nready[$] bash -c/);
    await prompt();
    // What is chosen is copied by what interrupts else, and pasted.
    await type('clear; echo chosen-$((6*7))');
    await shell.locator('.xterm-rows > div', { hasText: /^chosen-42/ }).waitFor();
    const place = await shell.locator('.xterm-rows > div', { hasText: /^chosen-42/ }).boundingBox();
    await page.mouse.dblclick(place!.x + 20, place!.y + place!.height / 2);
    await page.keyboard.press('Control+c');
    await page.keyboard.type('echo pasted ');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Enter');
    await shows(/^pasted chosen-42$/m);
    await shell.getByRole('button', { name: 'Screen reader' }).click();
    await shell
      .getByRole('listitem')
      .filter({ hasText: /^pasted chosen-42$/ })
      .waitFor();
    await owner.look('container-shell-readers');
    await shell.locator('textarea').focus();
    await page.keyboard.press('Control+d');
    await shell.getByText('The command ended with exit code').waitFor();
    await open.click();
    await shell.getByText('Shift and Tab leave the terminal').waitFor();
    const seconds = String(1_000_000 + Number(id.slice(-4)));
    await page.keyboard.type(`sleep ${seconds}`);
    await page.keyboard.press('Enter');
    const isAsleep = async () => commandLines().some((line) => line === `sleep\0${seconds}\0`);
    await until('the command to run', isAsleep);
    await page.keyboard.press('Shift+Tab');
    const focused = () => page.evaluate<string>('document.activeElement.textContent');
    assert.equal(await focused(), 'Skip past');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    // The next part of the page, whichever that is.
    const isBehind =
      'Boolean(document.querySelector(".xterm").compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING)';
    assert.equal(await page.evaluate<boolean>(isBehind), true);
    // Leaving asks first.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${nodeManager}/ui/`);
    await until('the command to end with the page', async () => !(await isAsleep()));
    owner.assertQuiet();
  });
});
