import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LaunchTable } from './launch-table.ts';

const launch = (command: string) => ({ commands: [command], environment: {}, localResources: {}, serviceData: {} });
const long = launch('x'.repeat(300));

describe('what the containers of requests run', () => {
  it('is kept for each container that is wanted, and for when the request comes again', () => {
    const table = new LaunchTable();
    table.asked('a', 2, launch('one'));
    assert.deepEqual([table.take('a'), table.take('a'), table.take('b')], [launch('one'), launch('one'), undefined]);
    table.asked('a', 1);
    assert.deepEqual(table.take('a'), launch('one'));
    table.asked('a', 1, launch('two'));
    assert.deepEqual(table.take('a'), launch('two'));
    table.delete('a');
    table.asked('a', 1);
    assert.equal(table.take('a'), undefined);
  });

  it('is bounded: what was served goes first, what is wanted stays and nothing more has room', () => {
    const table = new LaunchTable(1000);
    assert.equal(table.hasRoomFor([long, long]), true);
    table.asked('served', 1, long);
    table.asked('wanted', 1, long);
    table.take('served');
    assert.equal(table.hasRoomFor([long]), true);
    assert.equal(table.take('served'), undefined);
    table.asked('more', 1, long);
    assert.equal(table.hasRoomFor([long]), false);
    assert.deepEqual([table.take('wanted'), table.take('more')], [long, long]);
    table.delete('more');
    table.asked('wanted', 0);
    assert.equal(table.hasRoomFor([long, long]), true);
  });
});
