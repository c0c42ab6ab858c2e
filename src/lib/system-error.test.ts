import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { systemErrorText } from './system-error.ts';

describe('errors of files in words', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'system-error-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const told = (work: () => unknown, path?: string): string => {
    try {
      work();
    } catch (error) {
      return systemErrorText(error, path);
    }
    return 'nothing failed';
  };

  it('names the file and what is wrong with it', () => {
    const [file, none] = [join(folder, 'file'), join(folder, 'none')];
    writeFileSync(file, '');
    assert.equal(
      told(() => readFileSync(none)),
      `${none}: there is no such file or folder`,
    );
    assert.equal(
      told(() => readFileSync(join(file, 'below'))),
      `${join(file, 'below')}: a file stands where a folder is needed`,
    );
    assert.equal(
      told(() => mkdirSync(file)),
      `${file}: is there already`,
    );
    assert.equal(
      told(() => renameSync(none, file)),
      `${none} to ${file}: there is no such file or folder`,
    );
  });

  it('names what it is told where the system names nothing, or something else', () => {
    assert.equal(
      told(() => readFileSync(folder)),
      'is a folder, and no file',
    );
    assert.equal(
      told(() => readFileSync(folder), 'here'),
      'here: is a folder, and no file',
    );
  });

  it('leaves everything else as it is', () => {
    assert.equal(systemErrorText(new Error('it broke')), 'it broke');
    assert.equal(systemErrorText(Object.assign(new Error('EXYZ: new'), { code: 'EXYZ', syscall: 'open', path: 'a' })), 'EXYZ: new');
    assert.equal(systemErrorText('text'), 'text');
    assert.equal(systemErrorText(undefined), 'undefined');
  });
});
