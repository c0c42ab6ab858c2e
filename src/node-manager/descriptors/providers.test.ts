import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfiguration } from '../../config/load.ts';
import { descriptorSources, parseAttributes } from '../../config/node-descriptors.ts';
import { ConfigurationError } from '../../config/table.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { NodeDescriptors } from '../../wire/cluster/node-channel.ts';
import { attributesOfOutput, labelOfOutput, startDescriptors } from './providers.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-descriptors-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const prefix = 'yarn.nodemanager.node-';
function script(name: string, body: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let look = 0; !isSo(); look++) {
    assert.ok(look < 20_000, what);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Descriptors under settings (keys without their prefix), and a way to wait for their next change. */
function started(settings: Record<string, string>) {
  const set = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${prefix}${key}`, value]));
  const clock = new ManualClock();
  const changes: NodeDescriptors[] = [];
  let heard: (() => void) | undefined;
  const descriptors = startDescriptors(descriptorSources(loadConfiguration({ dataDir: folder, set })), {
    clock,
    logger: silentLogger,
    changed: (now) => {
      changes.push(now);
      heard?.();
    },
  });
  const nth = async (count: number): Promise<NodeDescriptors> => {
    while (changes.length < count) await new Promise<void>((resolve) => (heard = resolve));
    return changes[count - 1]!;
  };
  return { clock, descriptors, nth };
}

describe('what a node says of itself', () => {
  it('comes from the settings', () => {
    const { descriptors } = started({
      'labels.provider': 'config',
      'labels.provider.configured-node-partition': ' gpu ',
      'attributes.provider': 'config',
      'attributes.provider.configured-node-attributes': 'os,STRING,linux:java,STRING,11',
    });
    assert.deepEqual(descriptors.current, {
      labels: ['gpu'],
      attributes: [
        { name: 'os', type: 'STRING', value: 'linux' },
        { name: 'java', type: 'STRING', value: '11' },
      ],
    });
  });

  it('comes from scripts, again and again, and stays while they fail', async () => {
    const state = join(folder, 'state');
    const follow = (body: string) => {
      // At once: a script that runs meanwhile reads the one or the other.
      writeFileSync(`${state}.new`, body);
      renameSync(`${state}.new`, state);
    };
    follow('echo NODE_ATTRIBUTE:disk,STRING,ssd');
    const path = script('attributes.sh', `. ${state}`);
    const { clock, descriptors, nth } = started({
      'attributes.provider': 'script',
      'attributes.provider.script.path': path,
      'attributes.provider.fetch-interval-ms': '1000',
    });
    assert.deepEqual((await nth(1)).attributes, [{ name: 'disk', type: 'STRING', value: 'ssd' }]);
    const runs = join(folder, 'runs');
    follow(`echo NODE_ATTRIBUTE:disk,STRING,lost; echo run >> ${runs}; exit 3`);
    const advance = setInterval(() => clock.advance(1000), 5);
    try {
      // Its second failure comes after the first was dealt with.
      await until('the script to fail twice', () => existsSync(runs) && readFileSync(runs, 'utf8').length >= 8);
      assert.deepEqual(descriptors.current.attributes, [{ name: 'disk', type: 'STRING', value: 'ssd' }]);
      follow('echo NODE_ATTRIBUTE:disk,STRING,hdd; echo something else');
      assert.deepEqual((await nth(2)).attributes, [{ name: 'disk', type: 'STRING', value: 'hdd' }]);
    } finally {
      clearInterval(advance);
      descriptors.stop();
    }
  });

  it('takes a label from a script with its arguments', async () => {
    const path = script('label.sh', 'echo noise; echo NODE_PARTITION:$1');
    const { descriptors, nth } = started({
      'labels.provider': 'script',
      'labels.provider.script.path': path,
      'labels.provider.script.opts': ' fast ',
      'labels.provider.fetch-interval-ms': '-1',
    });
    assert.deepEqual((await nth(1)).labels, ['fast']);
    descriptors.stop();
  });

  it('reads what scripts write', () => {
    assert.deepEqual(labelOfOutput('a\nNODE_PARTITION: x \nNODE_PARTITION:y'), ['y']);
    assert.deepEqual(labelOfOutput(''), []);
    assert.deepEqual(attributesOfOutput('NODE_ATTRIBUTE:a,STRING,1\nother\nNODE_ATTRIBUTE:b,STRING,2').length, 2);
    for (const bad of ['a,STRING', 'a,NUMBER,1', '-a,STRING,1', 'a,STRING,1:a,STRING,2']) assert.throws(() => parseAttributes(bad), bad);
  });

  it('refuses settings that cannot be followed, with the key', () => {
    const refused: Record<string, string>[] = [
      { 'labels.provider': 'oracle' },
      { 'labels.provider': 'script' },
      { 'attributes.provider': 'config', 'attributes.provider.configured-node-attributes': 'java=11' },
    ];
    for (const settings of refused)
      assert.throws(
        () => started(settings),
        (error) => error instanceof ConfigurationError && error.key.startsWith(prefix),
      );
  });
});
