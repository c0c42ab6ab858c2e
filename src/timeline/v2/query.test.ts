// The parameters of the reader of timeline version 2, and the ids that its answers hand out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { isSystemType } from '../../wire/timeline/system-names.ts';
import { dayMs } from '../store/flow-store.ts';
import { dateRangeIn, isWhole, limitIn, numberGroups, numberIn, retrievalIn, runSelectionIn, selectionIn } from './query.ts';
import { applicationScope, runScope, userScope } from './scopes.ts';
import { joinParts, splitParts } from './uid.ts';

const parameters = (text: string) => {
  const all = new URLSearchParams(text);
  return { first: (name: string) => all.get(name) ?? undefined };
};

describe('numbers', () => {
  it('are whole and bounded, and refused with the name of their group, blank ones too', () => {
    assert.deepEqual([numberIn(undefined, 'g'), numberIn(' +5 ', 'g'), numberIn('-7', 'g')], [undefined, 5, -7]);
    assert.deepEqual([numberIn('2147483647', 'g', 32), isWhole('-2147483648', 32), isWhole('+2147483648', 32)], [2147483647, true, false]);
    for (const [text, bits] of [
      ['', 64],
      ['  ', 64],
      ['2147483648', 32],
      ['9223372036854775808', 64],
    ] as const)
      assert.throws(() => numberIn(text, 'g', bits), /g is not a numeric value/, text);
    assert.equal(numberIn('9223372036854775807', 'g'), Number.MAX_SAFE_INTEGER);
    assert.throws(() => numberIn('5.5', numberGroups.flows), /limit is not a numeric value/);
    assert.throws(() => numberIn('12345678901234567890', 'g'), /g is not a numeric value/);
  });

  it('of a limit: 100 without one or with a negative one; of entities all with 0, of runs and flows none', () => {
    const limit = (text: string) => limitIn(parameters(text), numberGroups.flows);
    assert.deepEqual([limit(''), limit('limit=-1'), limit('limit=7'), limit('limit=0')], [100, 100, 7, 0]);
    const none = parameters('limit=0');
    const limits = [selectionIn(none, 'g').limit, runSelectionIn(none, 'g').limit];
    assert.deepEqual(limits, [Number.MAX_SAFE_INTEGER, 0]);
  });
});

describe('a selection', () => {
  it('leaves out what is absent or negative', () => {
    const { createdStartMs, createdEndMs, fromId } = selectionIn(
      parameters('createdtimestart=-5&createdtimeend=9&fromid=x'),
      numberGroups.entities,
    );
    assert.deepEqual([createdStartMs, createdEndMs, fromId], [undefined, 9, 'x']);
    const all = selectionIn(parameters('createdtimestart=0&createdtimeend=9223372036854775807'), numberGroups.entities);
    assert.deepEqual([all.createdStartMs, all.createdEndMs], [undefined, undefined]);
  });

  it('reads all six filters', () => {
    const text = 'relatesto=t:a&isrelatedto=u:b&infofilters=k eq 5&conffilters=c eq x&metricfilters=m gt 3&eventfilters=E';
    const selection = selectionIn(parameters(text), numberGroups.entities);
    for (const name of ['relatesTo', 'isRelatedTo', 'info', 'configs', 'metrics', 'events'] as const) assert.ok(selection[name], name);
    assert.throws(() => selectionIn(parameters('metricfilters=m about 3'), numberGroups.entities));
    assert.equal(runSelectionIn(parameters('metricfilters=m about 3&fromid=x'), numberGroups.runs).fromId, 'x', 'runs have no filters');
  });
});

describe('what is retrieved', () => {
  const fields = (text: string) => [...retrievalIn(parameters(text), numberGroups.one).fields].sort();

  it('are the fields that are named, all of them for ALL, none without', () => {
    assert.deepEqual(fields(''), []);
    assert.deepEqual(fields('fields=info,events'), ['EVENTS', 'INFO']);
    assert.deepEqual(fields('fields=ALL'), ['CONFIGS', 'EVENTS', 'INFO', 'IS_RELATED_TO', 'METRICS', 'RELATES_TO']);
    assert.deepEqual(fields('fields=info,'), ['INFO']);
    assert.throws(() => fields('fields=INFO,COLOUR'), /COLOUR is not a valid field/);
    assert.throws(() => fields('fields='), / is not a valid field/);
  });

  it('of ALL has configurations and metrics only by their names, as soon as names of either are chosen', () => {
    assert.deepEqual(fields('fields=ALL&confstoretrieve=a'), ['CONFIGS', 'EVENTS', 'INFO', 'IS_RELATED_TO', 'RELATES_TO']);
    assert.deepEqual(fields('fields=ALL,CONFIGS&metricstoretrieve=a').length, 6);
    assert.deepEqual(fields('fields=INFO&metricstoretrieve=()'), ['INFO']);
  });

  it('of ALL has configurations and metrics only by their names where a list asks for events or relations', () => {
    for (const filter of ['eventfilters=E', 'relatesto=T:a', 'isrelatedto=!(T:a)']) {
      const text = parameters(`fields=ALL,CONFIGS&${filter}`);
      const { fields: chosen } = retrievalIn(text, numberGroups.entities, selectionIn(text, numberGroups.entities));
      assert.deepEqual([...chosen].sort(), ['CONFIGS', 'EVENTS', 'INFO', 'IS_RELATED_TO', 'RELATES_TO'], filter);
    }
    const both = parameters('fields=ALL&eventfilters=E&metricfilters=m ge 1&conffilters=c eq 1');
    assert.equal(retrievalIn(both, numberGroups.entities, selectionIn(both, numberGroups.entities)).fields.size, 6);
  });

  it('narrows configurations and metrics by the beginnings of their names', () => {
    const retrieval = retrievalIn(parameters('confstoretrieve=(a.,b.)&metricstoretrieve=!(SECRET)'), numberGroups.one);
    assert.deepEqual(
      ['a.x', 'b.y', 'c.z'].map((name) => retrieval.config?.(name)),
      [true, true, false],
    );
    assert.deepEqual(
      ['CPU', 'SECRET_SUM'].map((name) => retrieval.metric?.(name)),
      [true, false],
    );
  });
});

describe('a range of days', () => {
  const range = (text: string) => {
    const { startDayMs, endDayMs } = dateRangeIn(parameters(`daterange=${text}`));
    return [startDayMs / dayMs, endDayMs / dayMs];
  };
  const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / dayMs;

  it('is one day, two days, or open at one end', () => {
    assert.deepEqual(range('20261122'), [day('2026-11-22'), day('2026-11-22')]);
    assert.deepEqual(range('20261122-20261201'), [day('2026-11-22'), day('2026-12-01')]);
    assert.equal(range('20261122-')[0], day('2026-11-22'));
    assert.deepEqual(range('-20261122'), [0, day('2026-11-22')]);
    assert.deepEqual(range('20261122 - 20261201'), range('20261122-20261201'));
    for (const all of ['', 'daterange=-'])
      assert.deepEqual(dateRangeIn(parameters(all)), { startDayMs: 0, endDayMs: Number.MAX_SAFE_INTEGER });
  });

  it('is refused when it is no range', () => {
    for (const text of ['--', '2026-11-22', 'today', '20261301', '20261202-20261122', '20261122-20261123-20261124', '20260230'])
      assert.throws(() => range(text), /Invalid date range/, text);
  });
});

describe('ids of several parts', () => {
  it('come back as they were, whatever stands in them', () => {
    const random = seededRandom(20_261_122);
    const letters = ['a', '!', '*', ' ', 'ü', '/'];
    for (let i = 0; i < 500; i++) {
      const parts = Array.from({ length: 1 + random.int(6) }, () =>
        Array.from({ length: random.int(5) }, () => letters[random.int(letters.length)]).join(''),
      );
      assert.deepEqual(splitParts(joinParts(parts)), parts);
    }
  });

  it('are refused with a broken escape', () => {
    assert.equal(splitParts('a*b'), undefined);
    assert.equal(splitParts('a*'), undefined);
  });

  it('keep scopes apart although names run into each other', () => {
    const context = { cluster: 'c', user: 'u', flow: 'f!1', run: 2, application: 'a' };
    assert.notEqual(runScope(context), runScope({ ...context, flow: 'f', run: 12 }));
    assert.notEqual(applicationScope(context), runScope(context));
    assert.notEqual(userScope('c', 'u!x'), userScope('c!u', 'x'));
    assert.deepEqual(['YARN_CONTAINER', 'YARN_CONTAINERS', 'MY_YARN_QUEUE'].map(isSystemType), [true, false, false]);
  });
});
