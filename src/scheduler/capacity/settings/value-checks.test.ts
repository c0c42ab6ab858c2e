import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../../model/resource.ts';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused } from '../../policy.ts';
import { checkFile } from './file-checks.ts';
import { keyOf, type OptionTable, prefix, type QueueOption } from './option.ts';
import { optionTables } from './options.ts';
import { boundsOf } from './value-checks.ts';

const types = new ResourceTypes();
/** Queues of each kind, so that every option is that of one. */
const queues: Record<string, string> = {
  'root.queues': 'a,parent,plan',
  'root.accessible-node-labels.gpu.capacity': '100',
  'root.a.capacity': '50',
  'root.a.accessible-node-labels': 'gpu',
  'root.a.accessible-node-labels.gpu.capacity': '100',
  'root.parent.capacity': '30',
  'root.parent.auto-queue-creation-v2.enabled': 'true',
  'root.plan.capacity': '20',
  'root.plan.reservable': 'true',
};
const counted: readonly QueueOption[] = Object.values(optionTables)
  .flatMap((table: OptionTable) => Object.values(table))
  .filter(({ inert, type, prefix: other }) => inert === undefined && type !== 'family' && other === undefined);
const numbers = counted.filter(({ type }) => type === 'integer' || type === 'float');
const queueOf = { queue: 'root.a', leaf: 'root.a', parent: 'root.parent', plan: 'root.plan' } as const;

/** The keys of an option that a file may have: its queue's, and the cluster's. */
const keysOf = (option: QueueOption): string[] => {
  const own = option.scope === 'cluster' ? [] : [keyOf(option, { queue: queueOf[option.scope], label: 'gpu', user: 'ada' })];
  return option.scope === 'cluster' || option.inherits === 'cluster' ? [...own, keyOf(option, { user: 'ada' })] : own;
};

const propertiesWith = (key: string, value: string): Map<string, string> =>
  new Map([...Object.entries(queues).map(([name, text]): [string, string] => [prefix + name, text]), [key, value]]);

const refusalOf = (run: () => void): ConfigurationRefused | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationRefused) return error;
    throw error;
  }
};

/** What a file with the value, and what a change that sets it, is refused for. */
function refusalsOf(key: string, value: string): { file: ConfigurationRefused | undefined; change: ConfigurationRefused | undefined } {
  const { policy } = new Simulator({ queues });
  const file = refusalOf(() => {
    checkFile(propertiesWith(key, value), types);
    new Simulator({ queues: { ...queues, [key.slice(prefix.length)]: value } });
  });
  const tried = refusalOf(() => policy.queueEditing!.check(propertiesWith(key, value)));
  const change = refusalOf(() => policy.queueEditing!.replace(propertiesWith(key, value)));
  assert.equal(tried?.message, change?.message, `${key}=${value} is tried as it is taken over`);
  return { file, change };
}

/** Both are refused, naming the key and what to do. */
function assertRefused(key: string, value: string, words: RegExp): void {
  for (const [how, refusal] of Object.entries(refusalsOf(key, value))) {
    assert.ok(refusal, `${how}: ${key}=${value} was taken`);
    assert.equal(refusal.key, key, how);
    assert.match(refusal.message, words, how);
    assert.match(refusal.remedy ?? '', /^Give .*\.$/, how);
  }
}

describe('numbers of the scheduler', () => {
  it('have a bound each, or any of them makes sense', () => {
    const any = numbers.filter(({ minimum }) => minimum === undefined).map(({ key }) => key);
    // Ranks, and weights, which have a check of their own.
    assert.deepEqual(any, ['user-settings.<user>.weight', 'priority', 'default-application-priority']);
  });

  it('that are none are refused, in files and changes', () => {
    for (const option of numbers)
      for (const key of keysOf(option)) for (const text of ['x', '5 %', '1,5', 'NaN', '--1']) assertRefused(key, text, /./);
  });

  it('that are too large for what they are read as are refused', () => {
    for (const option of numbers)
      for (const key of keysOf(option)) assertRefused(key, option.type === 'float' ? '1e39' : '9'.repeat(20), /too large|For input string/);
  });

  it('with a fraction where they are whole are refused', () => {
    for (const option of numbers.filter(({ type }) => type === 'integer'))
      for (const key of keysOf(option)) assertRefused(key, '1.5', /For input string/);
  });

  it('beyond their bounds are refused, and taken on them', () => {
    for (const option of numbers)
      for (const key of keysOf(option)) {
        const { minimum, maximum, orMinusOne } = option;
        if (minimum === undefined) continue;
        for (const below of [minimum - 1, -2, -5])
          if (below !== -1 || !orMinusOne) assertRefused(key, String(below), new RegExp(`^${below} is below ${minimum}$`));
        if (maximum !== undefined) assertRefused(key, String(maximum + 1), new RegExp(`^${maximum + 1} is above ${maximum}$`));
        const on = [minimum, maximum ?? minimum, ...(orMinusOne ? [-1] : [])];
        for (const value of on) {
          const { file, change } = refusalsOf(key, String(value));
          assert.equal(file?.message, undefined, `${key}=${value}`);
          // What a queue's containers may have does not shrink while they run.
          if (!/can not be decreased/.test(change?.message ?? '')) assert.equal(change?.message, undefined, `${key}=${value}`);
        }
      }
  });
});

describe('booleans of the scheduler', () => {
  it('that are neither true nor false are refused', () => {
    for (const option of counted.filter(({ type }) => type === 'boolean'))
      for (const key of keysOf(option)) for (const text of ['yes', '1', 'tru']) assertRefused(key, text, /is neither true nor false$/);
  });
});

describe('a change', () => {
  it('is not refused for what stands there since before', () => {
    const key = `${prefix}root.a.max-parallel-apps`;
    const { policy } = new Simulator({ queues: { ...queues, 'root.a.max-parallel-apps': '-5' } });
    const properties = propertiesWith(key, '-5');
    properties.set(`${prefix}root.a.maximum-applications`, '7');
    assert.doesNotThrow(() => policy.queueEditing!.replace(properties));
    assert.doesNotThrow(() => policy.queueEditing!.replace(propertiesWith(key, '5')));
  });
});

describe('bounds in words', () => {
  it('say where they begin and end', () => {
    assert.equal(boundsOf({ minimum: 0, maximum: 1 } as QueueOption), 'from 0 to 1');
    assert.equal(boundsOf({ minimum: 0, orMinusOne: true } as QueueOption), 'from 0 on, or -1');
    assert.equal(boundsOf({} as QueueOption), '');
  });
});
