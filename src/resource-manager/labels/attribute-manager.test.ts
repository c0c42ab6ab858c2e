import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Failure } from '../../model/errors.ts';
import { AttributeManager } from './attribute-manager.ts';

function stand() {
  const records = new Map<string, string>();
  const state = { isBroken: false };
  const told: string[] = [];
  const write = async (run: () => void) => {
    if (state.isBroken) throw new Error('the disk is full');
    run();
  };
  const store = {
    records: () => records,
    putRecord: (_kind: string, key: string, value: string) => write(() => void records.set(key, value)),
    dropRecord: (_kind: string, key: string) => write(() => void records.delete(key)),
  };
  const open = () => new AttributeManager({ store, changed: (hosts) => void told.push([...hosts].join()) });
  return { open, state, told, records };
}

const valuesOf = (attributes: AttributeManager, host: string) => attributes.of(host).map(({ name, value }) => `${name}=${value}`);

describe('attributes of nodes', () => {
  it('are added, replaced and removed, by name with or without the prefix, and outlive a restart', async () => {
    const { open, told } = stand();
    const attributes = open();
    await attributes.map(
      'add',
      new Map([
        ['n1', [{ name: 'os', value: 'linux' }, { name: 'rm.yarn.io/gpu' }]],
        ['n2', [{ name: 'os', value: 'bsd' }]],
      ]),
    );
    await attributes.map('add', new Map([['n1', [{ name: 'os', value: 'plan9' }]]]));
    await attributes.map('replace', new Map([['n2', [{ name: 'disk', value: 'ssd' }]]]));
    assert.deepEqual([valuesOf(attributes, 'n1'), valuesOf(attributes, 'n2')], [['os=plan9', 'gpu='], ['disk=ssd']]);
    await attributes.map(
      'remove',
      new Map([
        ['n1', [{ name: 'gpu' }]],
        ['n2', [{ name: 'disk' }]],
      ]),
    );
    const again = open();
    // A host whose last one was taken is still listed.
    assert.deepEqual([valuesOf(again, 'n1'), valuesOf(again, 'n2'), [...again.hosts()]], [['os=plan9'], [], ['n1', 'n2']]);
    assert.deepEqual(told, ['n1,n2', 'n1', 'n2', 'n1,n2']);
  });

  it('of all hosts stay where one change is refused', async () => {
    const { open, told } = stand();
    const attributes = open();
    for (const [wrong, reason] of [
      [{ name: '-x' }, /should only contains/],
      [{ name: '' }, /is empty or exceeds 255/],
      [{ name: 'a', value: 'no blanks' }, /attribute value should only contains/],
      [{ name: 'a', type: 'INT' }, /cannot be of type INT/],
    ] as const)
      await assert.rejects(
        attributes.map(
          'add',
          new Map([
            ['n1', [{ name: 'good' }]],
            ['n2', [wrong]],
          ]),
        ),
        reason,
      );
    await assert.rejects(
      attributes.map('remove', new Map([['n1', [{ name: 'none' }]]])),
      /Node attribute \[Prefix-rm\.yarn\.io :Name-none\] doesn't exist on node n1/,
    );
    assert.deepEqual([[...attributes.hosts()], told], [[], []]);
  });

  it('are as before where a change cannot be stored', async () => {
    const { open, state, told } = stand();
    const attributes = open();
    await attributes.map('add', new Map([['n1', [{ name: 'os', value: 'linux' }]]]));
    state.isBroken = true;
    const change = attributes.map('remove', new Map([['n1', [{ name: 'os' }]]]));
    await assert.rejects(change, (error: unknown) => error instanceof Failure && error.code === 'UNAVAILABLE');
    await assert.rejects(attributes.map('add', new Map([['n2', [{ name: 'os', value: 'bsd' }]]])));
    assert.deepEqual([valuesOf(attributes, 'n1'), valuesOf(attributes, 'n2')], [['os=linux'], []]);
    assert.deepEqual(told, ['n1', 'n1', 'n1', 'n2', 'n2']);
  });
});
