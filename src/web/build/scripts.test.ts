import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mostFirstPageBytes, mostPageBytes, type Script, tooLong } from './script-bounds.ts';
import { type Modules, scriptGroups } from './script-groups.ts';

/** Modules by name: what each imports at once, and later. */
const graph: Readonly<Record<string, readonly [now: readonly string[], later?: readonly string[]]>> = {
  'main.tsx': [['app/pages.ts', 'parts/basics.tsx']],
  'app/pages.ts': [
    ['pages/home.tsx'],
    ['pages/queues.tsx', 'pages/queue.tsx', 'pages/job.tsx', 'pages/node-container.tsx', 'pages/sign-in.tsx'],
  ],
  'pages/home.tsx': [[], ['pages/overview.tsx']],
  'pages/overview.tsx': [['parts/chart.tsx', 'parts/table.tsx', 'parts/basics.tsx']],
  'pages/queues.tsx': [['parts/table.tsx', 'parts/filter.tsx', 'parts/queue-bar.tsx']],
  'pages/queue.tsx': [['parts/chart.tsx', 'parts/queue-bar.tsx', 'app/pages.ts']],
  'pages/job.tsx': [['parts/filter.tsx']],
  'pages/node-container.tsx': [['parts/table.tsx'], ['parts/shell.tsx']],
  'pages/sign-in.tsx': [[]],
  'parts/shell.tsx': [['parts/terminal.ts']],
};
const root = '/web';
const modules: Modules = (id) => {
  const [now = [], later = []] = graph[id.slice(root.length + 1)] ?? [];
  return { importedIds: now.map((name) => `${root}/${name}`), dynamicallyImportedIds: later.map((name) => `${root}/${name}`) };
};

describe('the scripts of the pages', () => {
  it('hold what is looked at together, what all need, and apart what is long', () => {
    const group = scriptGroups(root);
    const names = [
      'main.tsx',
      'parts/basics.tsx',
      'pages/home.tsx',
      'pages/overview.tsx',
      'parts/table.tsx',
      'parts/filter.tsx',
      'pages/queue.tsx',
    ];
    names.push(
      'parts/queue-bar.tsx',
      'pages/job.tsx',
      'parts/chart.tsx',
      'parts/terminal.ts',
      'pages/node-container.tsx',
      'pages/sign-in.tsx',
    );
    assert.deepEqual(
      names.map((name) => group(`${root}/${name}`, modules)),
      [null, 'main', 'main', 'overview', 'lists', 'shared', 'cluster', 'cluster', 'jobs', 'chart', 'shell', 'work', null],
    );
  });

  const script = (bytes: number, names: readonly string[], imports: readonly string[] = []): Script => ({
    moduleIds: names.map((name) => `${root}/${name}`),
    imports,
    bytes,
  });
  /** Scripts of which one has more bytes than else. */
  const scripts = (more: Readonly<Record<string, number>> = {}) =>
    new Map<string, Script>([
      ['main', script(1000 + (more['main'] ?? 0), ['main.tsx', 'app/pages.ts', 'pages/home.tsx', 'parts/basics.tsx'])],
      ['overview', script(100, ['pages/overview.tsx'], ['main', 'chart', 'lists'])],
      ['lists', script(100 + (more['lists'] ?? 0), ['parts/table.tsx'], ['main'])],
      ['chart', script(100, ['parts/chart.tsx'], ['main'])],
      ['shell', script(100 + (more['shell'] ?? 0), ['parts/shell.tsx', 'parts/terminal.ts'], ['lists'])],
      ['work', script(100, ['pages/node-container.tsx'], ['lists'])],
      ['cluster', script(100, ['pages/queues.tsx', 'pages/queue.tsx', 'parts/queue-bar.tsx'], ['shared', 'chart'])],
      ['shared', script(100, ['parts/filter.tsx'], ['main'])],
      ['jobs', script(100, ['pages/job.tsx'], ['shared'])],
    ]);

  it('are as long as they may be, and not longer: the first page before it shows anything', () => {
    const rest = 1300;
    assert.deepEqual(tooLong(scripts({ lists: mostFirstPageBytes - rest }), modules, root), []);
    assert.deepEqual(tooLong(scripts({ lists: mostFirstPageBytes - rest + 1 }), modules, root), [
      `the first page loads ${mostFirstPageBytes + 1} bytes of compressed scripts, more than ${mostFirstPageBytes}`,
    ]);
  });

  it('and every page with what it loads later; what one page loads is not counted for another', () => {
    const rest = 1300;
    assert.deepEqual(tooLong(scripts({ shell: mostPageBytes - rest }), modules, root), []);
    assert.deepEqual(tooLong(scripts({ shell: mostPageBytes - rest + 1 }), modules, root), [
      `${root}/pages/node-container.tsx loads ${mostPageBytes + 1} bytes of compressed scripts, more than ${mostPageBytes}`,
    ]);
  });
});
