// Rows that cannot be read: what is found, what becomes of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pino } from 'pino';
import { fields, whole } from '../lib/json-shape.ts';
import { type Database, openDatabase } from './sqlite.ts';
import { jsonFault, type RowCheck } from './store-kind.ts';

const migrations = [
  {
    id: 1,
    sql: `CREATE TABLE one (id TEXT PRIMARY KEY, record TEXT NOT NULL, size INTEGER, bytes BLOB) WITHOUT ROWID;
          CREATE TABLE two (name TEXT NOT NULL, text TEXT NOT NULL);`,
  },
];
const checks: readonly RowCheck[] = [
  {
    table: 'one',
    atStart: true,
    fault: ({ record }) => {
      const fault = jsonFault(fields({ n: whole() }), record);
      return fault && `record ${fault}`;
    },
  },
  { table: 'two', atStart: true, fault: ({ text }) => (text === 'bad' ? 'text is bad' : undefined) },
];

function aStore() {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ base: undefined }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const database = openDatabase(':memory:', { logger });
  database.migrate(migrations);
  const put = database.prepare('INSERT INTO one (id, record, size, bytes) VALUES (?, ?, ?, ?)');
  return { database, put, lines };
}
const column = (database: Database, table: string, name: string) =>
  database
    .prepare(`SELECT ${name} FROM ${table} ORDER BY 1`)
    .all()
    .map((row) => row[name]);

describe('rows that cannot be read', () => {
  it('are kept aside as they are and named with their fault; the others stay', () => {
    const { database, put, lines } = aStore();
    put.run('good', '{"n":1}', null, null);
    put.run('large', '{"n":2}', 2n ** 53n - 1n, Buffer.from('b'));
    put.run('no json', 'se{cret', 1, null);
    put.run('other shape', '{"n":"secret"}', 1, Buffer.from('bytes'));
    put.run('too large', '{"n":3}', 2n ** 60n, null);
    put.run('text in numbers', '{"n":4}', 'many', null);
    put.run('blob', Buffer.from('{"n":1}'), 1, null);
    const two = database.prepare('INSERT INTO two (name, text) VALUES (?, ?)');
    for (const text of ['fine', 'bad']) two.run('same name', text);
    database.lookThrough(checks);
    assert.deepEqual(column(database, 'one', 'id'), ['good', 'large']);
    assert.deepEqual(column(database, 'two', 'text'), ['fine']);
    assert.deepEqual(lines.map(({ level, table, key, fault }) => [level, table, key, fault]).sort(), [
      [50, 'one', 'blob', 'record is no text'],
      [50, 'one', 'no json', 'record is no JSON'],
      [50, 'one', 'other shape', 'record /n is not a whole number'],
      [50, 'one', 'text in numbers', 'size is no number'],
      [50, 'one', 'too large', 'size is a number that is too large'],
      [50, 'two', '2', 'text is bad'],
    ]);
    assert.ok(!JSON.stringify(lines).includes('cret'), 'no content is told');
    const kept = database.prepare("SELECT content FROM rejected_rows WHERE fault LIKE 'record /n%'").get();
    const base64 = Buffer.from('bytes').toString('base64');
    assert.deepEqual(JSON.parse(String(kept?.['content'])), { id: 'other shape', record: '{"n":"secret"}', size: '1', bytes: { base64 } });
    lines.length = 0;
    database.lookThrough(checks);
    assert.deepEqual(lines, []);
    database.close();
  });

  it('with a column of another type are set aside by whoever reads them, who gets the others', () => {
    const { database, put, lines } = aStore();
    const read = database.prepare('SELECT o.size AS many, t.text, o.id FROM one o JOIN two t ON t.name = o.id ORDER BY o.id LIMIT 2');
    const byId = database.prepare('SELECT size FROM one WHERE id = ?');
    const each = database.prepare('SELECT id, bytes FROM one ORDER BY id');
    const name = database.prepare("INSERT INTO two (name, text) VALUES (?, 'fine')");
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) name.run(id);
    put.run('a', '{}', 'many', null);
    put.run('b', '{}', 2n ** 60n, null);
    for (const id of ['c', 'd', 'e']) put.run(id, '{}', 2n ** 53n - 1n, null);
    assert.deepEqual(
      read.all().map(({ id, many }) => [id, many]),
      [
        ['c', 2 ** 53 - 1],
        ['d', 2 ** 53 - 1],
      ],
    );
    put.run('f', '{}', Buffer.from('f'), null);
    assert.equal(byId.get('f'), undefined);
    database.prepare('UPDATE one SET bytes = ? WHERE id = ?').run('no bytes', 'd');
    assert.deepEqual(
      [...each.iterate()].map(({ id }) => id),
      ['c', 'e'],
    );
    assert.deepEqual(
      lines.map(({ table, key, fault }) => [table, key, fault]),
      [
        ['one', 'a', 'size is no number'],
        ['one', 'b', 'size is a number that is too large'],
        ['one', 'f', 'size is no number'],
        ['one', 'd', 'bytes is no bytes'],
      ],
    );
    assert.equal(column(database, 'rejected_rows', 'place').length, 4);
    assert.deepEqual(column(database, 'two', 'name'), ['a', 'b', 'c', 'd', 'e', 'f'], 'what they were joined with stays');
    database.close();
  });

  it('are left out where they cannot be set aside now', () => {
    const { database, put, lines } = aStore();
    put.run('a', '{}', 'many', null);
    put.run('b', '{}', 1, null);
    database.prepare('PRAGMA query_only = ON').get();
    assert.deepEqual(
      database
        .prepare('SELECT id, size FROM one')
        .all()
        .map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual(lines, []);
    database.prepare('PRAGMA query_only = OFF').get();
    database.flush();
    assert.deepEqual(column(database, 'one', 'id'), ['b']);
    database.close();
  });

  it('are set aside when they are found while they are read, too', async () => {
    const { database, put, lines } = aStore();
    put.run('a', '{}', null, null);
    const broken = { table: 'one', key: { id: 'a' }, fault: 'record /n is missing' };
    database.reject(broken);
    database.reject(broken);
    await database.write(() => undefined);
    assert.deepEqual([column(database, 'one', 'id'), column(database, 'rejected_rows', 'place')], [[], ['one']]);
    assert.equal(lines.length, 2);
    database.close();
  });
});
