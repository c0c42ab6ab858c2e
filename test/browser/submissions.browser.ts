// Pages about what was submitted, and what is made of it: the submission of an application, again and changed.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import type { SubmittedRun } from '../../src/wire/cluster/command-job.ts';
import { endedApplication } from '../support/applications.ts';
import { browserNeeded } from '../support/browser.ts';
import { type ClusterProcesses, startProcesses, until } from '../support/processes.ts';
import { oneBrowser, Visitor } from './visitor.ts';

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

const killAll = async (): Promise<void> => {
  const { resourceManager } = cluster.urls;
  const answer = await fetch(`${resourceManager}/api/v1/applications?states=ACCEPTED,RUNNING&fields=id`);
  for (const { id } of ((await answer.json()) as { applications: { id: string }[] }).applications) {
    await fetch(`${resourceManager}/ws/v1/cluster/apps/${id}/state`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'KILLED' }),
    });
    await endedApplication(resourceManager, id);
  }
};

const submitSchedule = async (name: string, user: string): Promise<void> => {
  const made = await fetch(`${cluster.urls.resourceManager}/api/v1/schedules?user.name=${user}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, cron: '0 0 1 1 *', submission: { run: { command: ['true'] } } }),
  });
  assert.equal(made.status, 201, await made.text());
};

describe('pages of submissions', { skip: browserNeeded }, () => {
  before(async () => {
    cluster = await startProcesses({});
    browser = await oneBrowser();
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

  it('submit again what failed, changed, with what was hidden given anew', async () => {
    await open(`applications/${failed}`);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Submit again', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Submit again' }).waitFor();
    const main = page.getByRole('main');
    assert.equal(await page.getByLabel('Memory of each, MiB').inputValue(), '256');
    assert.equal(await page.getByLabel('Environment').inputValue(), 'EPOCHS=10');
    await main.getByText('is for the user who left it alone. Choose it again below, or remove it.').waitFor();
    await visitor.look('submit-again');
    await page.getByRole('textbox', { name: /^Command/ }).fill('cat input.txt; test "$DB_PASSWORD" = right; sleep 300');
    await page.getByLabel('Value of variable 1').fill('right');
    await page.getByLabel('Value of secret 1').fill('given again');
    await main.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('The file input.txt is for the user who left it alone. Choose it again, or remove it.').waitFor();
    await page.locator('input[type=file]').setInputFiles({ name: 'input.txt', mimeType: 'text/plain', buffer: Buffer.from('anew\n') });
    await main.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { level: 1, name: 'training' }).waitFor();
    const id = /application_\d+_\d+/.exec(page.url())![0];
    const of = async () =>
      (await (await fetch(`${cluster.urls.resourceManager}/api/v1/applications/${id}/run?user.name=dr.who`)).json()) as SubmittedRun;
    const { run } = await of();
    assert.deepEqual(
      [run.environment, run.secrets, run.retries, run.memoryMiB],
      [{ EPOCHS: '10', DB_PASSWORD: 'right' }, ['API_KEY'], 0, 256],
    );
    // While it lives its file is there, and goes along.
    await open(`submit?again=${id}`);
    await main.getByText('taken along, 5 B').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('training once more');
    await page.getByRole('button', { name: 'Remove variable 1' }).click();
    await page.getByRole('button', { name: 'Remove secret 1' }).click();
    await page.getByRole('textbox', { name: /^Command/ }).fill('grep -q anew input.txt');
    await main.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('heading', { level: 1, name: 'training once more' }).waitFor();
    const again = /application_\d+_\d+/.exec(page.url())![0];
    assert.equal((await endedApplication(cluster.urls.resourceManager, again)).finalStatus, 'SUCCEEDED');
    // After its end, too, until it goes.
    await open(`submit?again=${again}`);
    await main.getByText('taken along, 5 B').waitFor();
    const staged = `${cluster.urls.resourceManager}/api/v1/staging/dr.who/${again}`;
    assert.equal((await fetch(staged, { method: 'DELETE' })).status, 200);
    await page.reload();
    await main.getByText(/is not here any more: small ones stay for a while/).waitFor();
    visitor.assertQuiet();
  });

  it('have a command run in more instances, and in fewer', async () => {
    const id = await submit({ 'application-name': 'service', run: { command: ['sleep', '300'], memoryMiB: 128 } });
    const { page } = visitor;
    await open(`applications/${id}?tab=containers`);
    const rows = page.getByRole('main').locator('tbody tr').filter({ hasText: 'running', hasNotText: 'master' });
    for (const [wanted, before, label] of [
      [3, '1', '3 instances'],
      [2, '3', '2 instances'],
    ] as const) {
      await page.getByRole('button', { name: 'Instances' }).click();
      const field = page.getByRole('spinbutton', { name: 'Instances' });
      await field.waitFor();
      assert.equal(await field.inputValue(), before);
      if (wanted === 3) await visitor.look('instances');
      await field.fill(String(wanted));
      await page.getByRole('button', { name: 'Change it' }).click();
      await page.getByText(`is to have ${label}`).waitFor();
      if (wanted === 3) await rows.filter({ hasText: 'instance 2' }).waitFor();
      await until(`${label} to run`, async () => (await rows.count()) === wanted);
    }
    visitor.assertQuiet();
    await killAll();
  });

  it('choose several applications by keys and clicks, and kill or move them after one question', async () => {
    const named = (name: string, user = 'ann') =>
      submit({ 'application-name': name, 'unmanaged-AM': true, 'application-tags': { tag: ['many'] } }, user);
    for (const name of ['many 1', 'many 2', 'many 3', 'many 4', 'many 5']) await named(name);
    await named('many of bob', 'bob');
    await open('applications?applicationTags=many');
    const { page } = visitor;
    const table = page.getByRole('table', { name: 'Applications' });
    const bar = page.getByRole('region', { name: 'Chosen applications' });
    const box = (name: string) => table.getByRole('checkbox', { name: `Choose ${name}`, exact: true });
    await box('many 2').click();
    await bar.getByText('1 application chosen').waitFor();
    // From there to another one, in the order of the list.
    await box('many 4').click({ modifiers: ['Shift'] });
    await bar.getByText('3 applications chosen').waitFor();
    assert.deepEqual([await box('many 3').isChecked(), await box('many 5').isChecked()], [true, false]);
    await box('many 3').focus();
    await page.keyboard.press('Space');
    await bar.getByText('2 applications chosen').waitFor();
    await visitor.look('applications-chosen');
    // What is refused says why, and stays chosen.
    await bar.getByRole('button', { name: 'Move …' }).click();
    const moving = page.getByRole('dialog', { name: 'Move 2 applications?' });
    assert.match((await moving.textContent()) ?? '', /2 .*; of 2 ann; in 2 root\.default\./);
    await moving.getByLabel('To the queue').fill('nowhere');
    await moving.getByRole('button', { name: 'Move 2 applications' }).click();
    const moved = page.getByRole('dialog', { name: 'Move: 2 applications' });
    await moved.getByText('0 applications were moved; 2 refused.').waitFor();
    assert.match(
      (await moved.getByRole('list', { name: 'Refused' }).getByRole('listitem').first().textContent()) ?? '',
      /many \d: .*nowhere/,
    );
    visitor.expected.push(/\b[45]\d\d\b/);
    visitor.assertQuiet();
    visitor.expected.pop();
    await visitor.look('applications-moved');
    await moved.getByRole('button', { name: 'Close' }).click();
    await bar.getByText('2 applications chosen').waitFor();
    await bar.getByRole('button', { name: 'Kill …' }).click();
    const killing = page.getByRole('dialog', { name: 'Kill 2 applications?' });
    assert.deepEqual(await killing.getByRole('list', { name: 'Which' }).getByRole('listitem').allTextContents(), [
      'many 2 ann, root.default',
      'many 4 ann, root.default',
    ]);
    await visitor.look('applications-kill');
    await killing.getByRole('button', { name: 'Kill 2 applications' }).click();
    await page.getByRole('dialog').getByText('2 applications are being killed.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await bar.waitFor({ state: 'detached' });
    // What has ended cannot be chosen; the head's box is for all the others that are shown.
    await until('the two to have ended', async () => (await box('many 2').isDisabled()) && (await box('many 4').isDisabled()));
    await table.getByRole('checkbox', { name: 'Choose all that are shown' }).click();
    await bar.getByText('4 applications chosen').waitFor();
    // Another list begins without.
    await page.getByRole('searchbox', { name: 'Name or id' }).fill('many');
    await bar.waitFor({ state: 'detached' });
    await box('many 1').click();
    await bar.getByRole('button', { name: 'All that pass the filter' }).click();
    await bar.getByText('4 applications chosen').waitFor();
    await bar.getByRole('button', { name: 'Choose none' }).click();
    await bar.waitFor({ state: 'detached' });
    visitor.assertQuiet();
  });

  it('make a schedule with its moments told before, show it, change it, run it, and remove it', async () => {
    // What the tests before have left holds all the room that masters may have.
    await killAll();
    await open('schedules');
    const { page } = visitor;
    await submitSchedule('of-bob', 'bob');
    await page.getByRole('main').getByText('You have no schedules.').waitFor();
    await page.reload();
    await page.getByRole('link', { name: '1 of others' }).waitFor();
    await page.getByRole('link', { name: 'Make a schedule' }).click();
    const main = page.getByRole('main');
    await page.getByLabel('Name of the schedule').fill('yearly');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByLabel('Cron expression').fill('61 * * * *');
    const due = page.getByRole('region', { name: 'When it would be due' });
    await due.getByText(/It would never be due: .*'61' is no minute/).waitFor();
    await page.getByLabel('Cron expression').fill('30 12 1 7 *');
    await due
      .getByText(/Jul 1, \d+, 12:30 GMT\+2/)
      .first()
      .waitFor();
    assert.equal(await due.getByRole('listitem').count(), 5);
    await page.getByRole('textbox', { name: /^Command/ }).fill('echo it is due; sleep 1');
    await page.getByLabel('Memory of each, MiB').fill('128');
    await page.getByLabel('Environment').fill('PLACE=here\nAPI_TOKEN=unseen');
    await page.getByRole('button', { name: 'Add a secret' }).click();
    await page.getByLabel('Name of secret 1').fill('KEY');
    await page.getByLabel('Value of secret 1').fill('unseen, too');
    await page.locator('input[type=file]').setInputFiles({ name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('from a file') });
    await visitor.look('schedule-made');
    await main.getByRole('button', { name: 'Make the schedule' }).click();
    await page.getByRole('heading', { level: 1, name: 'yearly' }).waitFor();
    await page.waitForURL(/schedules\/dr\.who\/yearly$/);
    assert.match(
      (await page.getByRole('region', { name: 'What it runs' }).textContent()) ?? '',
      /echo it is due; sleep 1.*128 MiB, 1 vcore/,
    );
    assert.equal(await page.getByRole('list', { name: 'Next moments' }).getByRole('listitem').count(), 5);
    const act = async (action: string) => {
      await page.locator('.page-head').getByRole('button', { name: action, exact: true }).click();
      return page.getByRole('dialog');
    };
    const confirm = async (action: string) => (await act(action)).getByRole('button', { name: action, exact: true }).click();
    await confirm('Run now');
    const runs = page.getByRole('table', { name: 'Last runs' });
    await runs.getByText('submitted').waitFor();
    await runs.getByText('succeeded').waitFor({ timeout: 60_000 });
    await visitor.look('schedule');
    await confirm('Pause');
    await page.getByText('It is paused: nothing is submitted until it is resumed.').waitFor();
    await confirm('Resume');
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.getByLabel('How often').selectOption('every Monday at 6:00');
    await due
      .getByText(/^Mon, /)
      .first()
      .waitFor();
    const command = page.getByRole('textbox', { name: /^Command/ });
    assert.equal(await command.inputValue(), 'echo it is due; sleep 1');
    await command.fill('echo "$PLACE $API_TOKEN $(cat "$KEY_FILE") $(cat words.txt)"');
    await page.getByText('stays as it is').nth(2).waitFor();
    await visitor.look('schedule-changed');
    await main.getByRole('button', { name: 'Change', exact: true }).click();
    await page.getByText('0 6 * * 1').waitFor();
    assert.match((await page.getByRole('region', { name: 'What it runs' }).textContent()) ?? '', /words\.txt.*PLACE, API_TOKEN.*KEY/);
    await confirm('Run now');
    await runs.getByText('succeeded').nth(1).waitFor({ timeout: 60_000 });
    await runs.getByRole('row').nth(1).getByRole('link').click();
    await page.getByRole('button', { name: 'Logs', exact: true }).click();
    await page.getByText('here unseen unseen, too from a file').waitFor();
    await open('schedules/dr.who/yearly');
    await confirm('Remove');
    await page.getByText('You have no schedules.').waitFor();
    visitor.assertQuiet();
  });
});
