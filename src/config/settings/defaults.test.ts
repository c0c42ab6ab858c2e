import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { allSettings } from './all.ts';

/** Defaults of Apache Hadoop 3.4.2 (`core-`, `yarn-` and `mapred-default.xml`), as a job of it recorded them: key, tabulator, value. */
const recorded = new Map(
  readFileSync(join(import.meta.dirname, '../../../test/compatibility/defaults.tsv'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t') as [string, string]),
);

const loopback = 'what others can reach has to be asked for';
const noKerberos = 'a keytab is named where there is one, not looked for in a folder that may not be there';
const ownFolder = 'everything that is written lies in the data folder';

/** Where the default is another one than Hadoop's, and why. */
const others: Readonly<Record<string, { readonly ours: string | undefined; readonly why: string }>> = {
  'hadoop.http.authentication.signature.secret.file': { ours: undefined, why: `without a file the secret is Heddle's own: ${ownFolder}` },
  'hadoop.http.authentication.kerberos.keytab': { ours: undefined, why: noKerberos },
  'yarn.resourcemanager.keytab': { ours: undefined, why: noKerberos },
  'yarn.nodemanager.keytab': { ours: undefined, why: noKerberos },
  'yarn.timeline-service.keytab': { ours: undefined, why: noKerberos },
  'net.topology.node.switch.mapping.impl': { ours: undefined, why: 'there are no Java classes to load; the script counts' },
  'yarn.resourcemanager.placement-constraints.algorithm.class': { ours: undefined, why: 'there are no Java classes to load' },
  'yarn.resourcemanager.state-store.max-completed-applications': {
    ours: undefined,
    why: 'one number bounds what is kept and what is listed',
  },
  'yarn.nodemanager.webapp.https.address': { ours: '${yarn.nodemanager.hostname}:8044', why: loopback },
  'mapreduce.jobhistory.admin.address': { ours: '127.0.0.1:10033', why: loopback },
  'mapreduce.jobhistory.webapp.https.address': { ours: '127.0.0.1:19890', why: loopback },
  'yarn.nodemanager.disk-health-checker.min-free-space-per-disk-watermark-high-mb': {
    ours: undefined,
    why: 'without one the lower mark counts, as 0 does',
  },
  'yarn.nodemanager.recovery.enabled': { ours: 'true', why: 'a node manager that starts again takes its containers over' },
  'yarn.nodemanager.recovery.dir': { ours: '${heddle.data}/node-manager/recovery', why: ownFolder },
  'yarn.nodemanager.runtime.linux.runc.allowed-container-networks': { ours: 'host,none', why: 'bridges are not set up' },
};

/** Equal texts, or equal numbers: `1.0` and 1. */
const isSame = (ours: unknown, theirs: string): boolean =>
  String(ours ?? '') === theirs || (theirs !== '' && typeof ours === 'number' && ours === Number(theirs));

describe('defaults', () => {
  it('are those of Hadoop, but for those that are listed with a reason', () => {
    const differing = [...recorded]
      .filter(([key, value]) => !(key in others) && !isSame(allSettings().get(key)?.default, value))
      .map(([key, value]) => `${key}: Hadoop ${value}, here ${String(allSettings().get(key)?.default)}`);
    assert.deepEqual(differing, []);
  });

  it('are what the list says where they are others', () => {
    for (const [key, { ours, why }] of Object.entries(others)) {
      const entry = allSettings().get(key);
      assert.ok(entry, key);
      assert.equal(entry.default === undefined ? undefined : String(entry.default), ours, key);
      assert.ok(why.length > 10);
      assert.notEqual(ours, recorded.get(key), `${key} is no difference any more`);
    }
  });

  it('are compared for most of what Hadoop knows', () => {
    assert.ok(recorded.size > 150);
    for (const key of recorded.keys()) assert.ok(allSettings().has(key), `${key} is no setting any more`);
  });
});
