import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { silentLogger } from '../../lib/log.ts';
import { Racks } from './racks.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-racks-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const nothing = { script: undefined, table: undefined, implementation: undefined };

describe('racks', () => {
  it('are what nodes say where nothing is configured', () => {
    assert.equal(new Racks(nothing, silentLogger).resolve('10.0.0.1'), undefined);
  });

  it('come from a table, which is read again on request', async () => {
    const table = join(folder, 'table');
    writeFileSync(table, '10.0.0.1 /dc/rack1 # first\n\n10.0.0.2\t/dc/rack2\nbroken line here\n');
    const racks = new Racks({ ...nothing, table, implementation: 'org.apache.hadoop.net.TableMapping' }, silentLogger);
    assert.equal(await racks.resolve('10.0.0.1'), '/dc/rack1');
    assert.equal(await racks.resolve('10.0.0.2'), '/dc/rack2');
    assert.equal(await racks.resolve('10.0.0.3'), '/default-rack');
    writeFileSync(table, '10.0.0.1 /dc/rack9\n');
    assert.equal(racks.resolve('10.0.0.1'), '/dc/rack1');
    racks.refresh();
    assert.equal(await racks.resolve('10.0.0.1'), '/dc/rack9');
  });

  it('come from a script; one that fails means the default rack until it answers', async () => {
    const script = join(folder, 'rack.sh');
    writeFileSync(script, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const racks = new Racks({ ...nothing, script }, silentLogger);
    assert.equal(await racks.resolve('10.0.0.1'), '/default-rack');
    writeFileSync(script, '#!/bin/sh\necho "/rack-of-$1"\n', { mode: 0o755 });
    assert.equal(await racks.resolve('10.0.0.1'), '/rack-of-10.0.0.1');
    assert.equal(racks.resolve('10.0.0.1'), '/rack-of-10.0.0.1');
    writeFileSync(script, '#!/bin/sh\necho no-rack\n', { mode: 0o755 });
    assert.equal(await racks.resolve('10.0.0.2'), '/default-rack');
  });
});
