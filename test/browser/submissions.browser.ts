// Pages about what was submitted, and what is made of it: the submission of an application, again and changed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { endedApplication } from '../support/applications.ts';
import { browserNeeded, startBrowser } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';
import { Visitor } from './visitor.ts';

let cluster: ClusterProcesses;
let browser: Browser;
let visitor: Visitor;
let failed: string;

const submit = async (body: object, user = 'ann'): Promise<string> => {
  const answer = await fetch(`${cluster.urls.resourceManager}/api/v1/applications?user.name=${user}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { id } = (await answer.json()) as { id?: string };
  return id ?? assert.fail(`it was answered ${answer.status}`);
};

describe('pages of submissions', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({});
    browser = await startBrowser([]);
    visitor = await Visitor.open(browser, cluster);
    failed = await submit({
      'application-name': 'training',
      'application-tags': { tag: ['nightly', 'model'] },
      run: {
        command: ['sh', '-c', 'cat input.txt; echo "$EPOCHS epochs"; exit "${CODE:-3}"'],
        memoryMiB: 256,
        environment: { EPOCHS: '10', DB_PASSWORD: 'hunter2hunter2' },
        files: { 'input.txt': { text: 'numbers\n' } },
        secrets: { API_KEY: 'told to nobody' },
        retries: 0,
      },
    });
    await endedApplication(cluster.urls.resourceManager, failed);
  });
  after(async () => {
    await visitor?.[Symbol.asyncDispose]();
    await browser?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => visitor.page.goto(`${cluster.urls.resourceManager}/ui/${path}`);

  it('show what an application was submitted with, after its end too, and a file that submits it again', async () => {
    await open(`applications/${failed}`);
    const { page } = visitor;
    await page.getByRole('button', { name: 'Submitted', exact: true }).click();
    await page.waitForURL(/tab=submitted/);
    const command = page.getByRole('region', { name: 'Command' });
    assert.match((await command.textContent()) ?? '', /cat input\.txt; echo "\$EPOCHS epochs"/);
    await page.getByRole('table', { name: 'Environment' }).getByRole('row', { name: 'DB_PASSWORD hidden' }).waitFor();
    await page.getByRole('table', { name: 'Files' }).getByRole('row', { name: 'input.txt brought along 8 B' }).waitFor();
    assert.match((await page.getByRole('region', { name: 'Secrets' }).textContent()) ?? '', /API_KEY/);
    assert.match((await page.getByRole('region', { name: 'What was asked for' }).textContent()) ?? '', /Size of each256 MiB, 1 vcore/);
    assert.doesNotMatch((await page.getByRole('main').textContent()) ?? '', /hunter2|told to nobody/);
    await visitor.look('application-submitted');
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download' }).click()]);
    assert.equal(download.suggestedFilename(), `${failed}.yaml`);
    const folder = cluster.dataDir;
    const file = join(folder, 'again.yaml');
    writeFileSync(file, readFileSync(await download.path(), 'utf8').replace('retries: 0', 'retries: 0\nqueue: default'));
    writeFileSync(join(folder, 'input.txt'), 'other numbers\n');
    writeFileSync(join(folder, 'API_KEY.secret'), 'x');
    // Where the variable that was hidden is not set it says so; the file is one that it takes.
    const refused = await cluster.heddle('run', '--cluster', cluster.urls.resourceManager, '--user', 'ann', file);
    assert.match(refused.output, /DB_PASSWORD is not set here/);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/passEnvironment:\n {2}- DB_PASSWORD/, ''));
    const ran = await cluster.heddle('run', '--cluster', cluster.urls.resourceManager, '--user', 'ann', file);
    assert.equal(ran.code, 3, ran.output);
    assert.match(ran.output, /other numbers\n(?:.*\n)*.*10 epochs/);
  });
});
