import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScheduledSubmission } from '../../wire/cluster/schedules.ts';
import { scheduleFormStart } from '../format/schedule-change.ts';
import { stays } from './submission-body.ts';
import { admissionBody, patchOf } from './submission-patch.ts';

/** What a page is shown of what a schedule submits. */
const submits: ScheduledSubmission = {
  ...{ name: 'nightly', priority: 2, tags: [] },
  work: {
    run: {
      ...{ command: ['train', '--password', '<redacted>'], instances: 1, memoryMiB: 1024, vcores: 1, resources: {}, retries: -1 },
      ...{ environment: { A: '1', LINES: 'a\nb' }, secrets: ['KEY', 'OTHER'], tags: [], opportunistic: false },
      files: [
        { name: 'f', archive: false, bytes: 1 },
        { name: 'g', archive: false, address: 'http://h/g' },
      ],
    },
    ...{ hiddenVariables: ['API_TOKEN'], withoutPasswords: true },
  },
};

describe('what a form changes of a submission', () => {
  const start = scheduleFormStart(submits)!;
  const all = {
    files: start.files.map((file) => ({ ...file, content: stays })),
    variables: start.otherVariables,
    hidden: { variables: start.hiddenVariables, secrets: start.secrets },
  };
  const changed = (fields: Readonly<Record<string, string>>, left: Partial<typeof all> = {}) => {
    const form = new FormData();
    for (const [name, text] of Object.entries({ ...start.texts, ...fields })) form.set(name, text);
    return patchOf(start, form, { ...all, ...left });
  };

  it('is nothing where the form stays as it began', async () => {
    assert.equal((await changed({})).patch, undefined);
  });

  it('is what was written, and leaves what nobody is shown as it is', async () => {
    const { patch } = await changed({ memory: '2048', environment: 'B=2', priority: '', tags: 'a', retries: '3' });
    assert.deepEqual(patch, {
      ...{ priority: null, 'application-tags': { tag: ['a'] } },
      run: { memoryMiB: 2048, retries: 3, environment: { A: null, B: '2' } },
    });
  });

  it('takes away what was removed, and takes what is given anew for what is there', async () => {
    const [, uri] = all.files;
    const { patch, body } = await changed(
      { command: 'date', name: '', 'secret-name': 'KEY', 'secret-value': 'new', 'variable-name': 'API_TOKEN', 'variable-value': 'u' },
      { files: [uri!], variables: {}, hidden: { variables: [], secrets: ['KEY'] } },
    );
    assert.deepEqual(patch, {
      'application-name': null,
      run: {
        ...{ command: ['sh', '-c', 'date'], environment: { LINES: null, API_TOKEN: 'u' } },
        ...{ files: { f: null }, secrets: { KEY: 'new', OTHER: null } },
      },
    });
    assert.deepEqual(admissionBody(body).run['environment'], { A: '1', API_TOKEN: 'u' });
    assert.equal(JSON.stringify(admissionBody(body)).includes('stays'), false);
  });

  it('is refused where the place of a password is left in what was changed', async () => {
    await assert.rejects(changed({ command: "train --fast --password '<redacted>'" }), /Passwords were taken out/);
  });

  it('is asked of no master that has commands of its own, and of nothing that cannot be read', () => {
    assert.equal(scheduleFormStart(undefined), undefined);
    assert.equal(scheduleFormStart({ tags: [], work: { hiddenVariables: [], withoutPasswords: false } }), undefined);
  });
});
