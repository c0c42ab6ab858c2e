import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused } from '../policy.ts';
import {
  type ElementTable,
  type ElementType,
  fileElements,
  queueElements,
  readElements,
  uselessElements,
  userElements,
  type XmlElement,
} from './elements.ts';

const types = new ResourceTypes();
const readQueue = (element: XmlElement) => readElements(element, queueElements, types, (key) => ({ key, remedy: 'Mend it.' }));

describe('the elements of fair-scheduler.xml', () => {
  it('have each name once in their table', () => {
    for (const table of [fileElements, queueElements, userElements] as readonly ElementTable[]) {
      const names = Object.values(table).flatMap(({ name, olderName }) => (olderName === undefined ? [name] : [name, olderName]));
      assert.equal(new Set(names).size, names.length);
    }
  });

  it('are read by their types', () => {
    const values = readQueue({
      weight: ' 2.5 ',
      maxRunningApps: '7',
      maxAMShare: '-1.0',
      minResources: 'memory-mb=1024',
      maxResources: 'memory-mb=4096',
      schedulingPolicy: 'DRF',
      aclSubmitApps: 'ada,ben staff',
      minSharePreemptionTimeout: '30',
      fairSharePreemptionThreshold: '0.6',
      allowPreemptionFrom: 'FALSE',
      reservation: '',
    });
    assert.equal(values.weight, 2.5);
    assert.equal(values.maximumRunning, 7);
    assert.equal(values.amShare, -1);
    // What a minimum does not name is nothing, what a maximum does not name is not limited.
    assert.deepEqual(values.minimum, { absolute: [1024, 0] });
    assert.deepEqual(values.maximum, { absolute: [4096, Number.MAX_SAFE_INTEGER] });
    assert.equal(values.policy, 'drf');
    assert.deepEqual([...values.submit!.users], ['ada', 'ben']);
    assert.equal(values.minimumSharePreemptionTimeoutMs, 30_000);
    assert.equal(values.fairSharePreemptionThreshold, Math.fround(0.6));
    assert.equal(values.preemptable, false);
    assert.equal(values.reservation, true);
  });

  it('that are absent or empty have no value', () => {
    const values = readQueue({ weight: '', maxRunningApps: ' ', schedulingPolicy: '' });
    assert.deepEqual(
      Object.entries(values).filter(([, value]) => value !== undefined),
      [],
    );
  });

  it('are found by their older names, the newer ones first', () => {
    assert.equal(readQueue({ schedulingMode: 'fifo' }).policy, 'fifo');
    assert.equal(readQueue({ schedulingMode: 'fifo', schedulingPolicy: 'fair' }).policy, 'fair');
    assert.equal(readQueue({ schedulingPolicy: 'org.example.DominantResourceFairnessPolicy' }).policy, 'drf');
  });

  it('with attributes are read by their text', () => {
    assert.equal(readQueue({ weight: { '#text': '3', '@unit': 'none' } }).weight, 3);
  });

  it('refuse what their type cannot be, whichever element it is', () => {
    const nonsense: Partial<Record<ElementType, readonly string[]>> = {
      count: ['-1', '1.5', 'many', '3000000000', '0x10', 'NaN', '5 %'],
      seconds: ['-1', '1.5', '30s', '3000000000', 'NaN'],
      weight: ['-1', 'heavy', '1,5', 'NaN', 'Infinity', '1e39', '50%'],
      part: ['-0.1', '1.1', '50', '50%', 'NaN', 'Infinity'],
      limitedPart: ['-0.5', '-2', '1.1', '50', '50%', 'NaN'],
      boolean: ['yes', '1', 'tru'],
      maximum: ['much', '-1 mb, 1 vcores', 'memory-mb=-1', '-5%', 'cpus=3'],
      minimum: ['much', '-1 mb, 1 vcores', 'memory-mb=-1', '-5%', 'cpus=3'],
    };
    for (const table of [fileElements, queueElements, userElements] as readonly ElementTable[])
      for (const { name, type } of Object.values(table))
        for (const text of nonsense[type] ?? [])
          assert.throws(
            () => readElements({ [name]: text }, table, types, (key) => ({ key, remedy: 'Mend it.' })),
            (error) => error instanceof ConfigurationRefused && error.key === name && (error.remedy ?? '') !== '',
            `${name}: ${text}`,
          );
  });

  for (const [name, text, sentence] of [
    ['weight', '-2', '-2 is below 0'],
    ['weight', 'heavy', 'For input string: "heavy"'],
    ['maxRunningApps', '1.5', 'For input string: "1.5"'],
    ['maxRunningApps', '-1', '-1 is below 0'],
    ['maxAMShare', '-0.5', '-0.5 is below 0'],
    ['fairSharePreemptionTimeout', '-3', '-3 is below 0'],
    ['schedulingPolicy', 'lottery', 'Unknown scheduling policy: lottery'],
    ['maxResources', 'much', 'Error reading resource config--invalid resource definition: much'],
  ] as const) {
    it(`are refused with their name: <${name}>${text}`, () => {
      assert.throws(
        () => readQueue({ [name]: text }),
        (error: unknown) =>
          error instanceof ConfigurationRefused && error.message === sentence && error.key === name && error.remedy !== undefined,
      );
    });
  }

  it('that no table has are named, and so are those that change nothing', () => {
    const element = { '@name': 'a', '#text': ' ', weight: '1', wieght: '2', pool: [] };
    assert.deepEqual(uselessElements('queue root.a', element, queueElements), [
      '<wieght> of queue root.a has no effect: there is no such setting.',
    ]);
    assert.deepEqual(uselessElements('the file', { 'reservation-planner': 'org.example.Mine' }, fileElements), [
      '<reservation-planner> of the file changes nothing here: reservations stay and share what is left.',
    ]);
  });
});
