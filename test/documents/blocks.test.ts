import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blocksOf, commandsOf, missingLines, needs, stays } from './blocks.ts';
import { blocksOfPage, pages } from './pages.ts';

const fence = '```';
const page = (...lines: string[]): string => lines.join('\n');

describe('blocks of a page', () => {
  it('are commands, files, output, and what is taken for granted and not seen', () => {
    const read = blocksOf(
      page(
        '# Title',
        '<!-- sh',
        'heddle up --detach',
        '-->',
        `${fence}sh`,
        'heddle node list',
        fence,
        `${fence}text output`,
        'NODE',
        fence,
        `  ${fence}ts file=job.ts`,
        '  a;',
        `  ${fence}`,
        `${fence}json`,
        '{}',
        fence,
        `${fence}sh needs=systemd`,
        'systemctl start heddle',
        fence,
      ),
    );
    assert.deepEqual(read, [
      { line: 2, text: 'heddle up --detach\n', kind: 'granted' },
      { line: 5, text: 'heddle node list\n', kind: 'commands', need: undefined },
      { line: 8, text: 'NODE\n', kind: 'output' },
      { line: 11, text: 'a;\n', kind: 'file', name: 'job.ts' },
      { line: 14, text: '{}\n', kind: 'shown' },
      { line: 17, text: 'systemctl start heddle\n', kind: 'commands', need: 'systemd' },
    ]);
  });

  it('say what they hold, and why they are not run, in words that there are', () => {
    const refused = (line: string, message: RegExp) => assert.throws(() => blocksOf(page(line, 'x', fence)), message);
    refused(fence, /^Error: line 1: a fence says what it holds/);
    refused(`${fence}bash`, /not "bash"/);
    refused(`${fence}sh needs=luck`, /no reason that there is/);
    refused(`${fence}sh norun`, /no reason that there is/);
    refused(`${fence}sh needs=systemd needs=podman`, /one word/);
    refused(`${fence}json output`, /means nothing/);
  });

  it('end, and hold every command', () => {
    assert.throws(() => blocksOf(page(`${fence}sh`, 'heddle node list')), /line 1: the block has no end/);
    assert.throws(() => blocksOf(page('Do:', '', '    heddle node list')), /line 3: commands stand in a fence/);
  });
});

describe('commands of a block', () => {
  const linesOf = (text: string) => commandsOf({ line: 10, text }).map(({ line, text: command }) => [line, command]);

  it('are one a line, comments aside', () => {
    assert.deepEqual(linesOf('# first\na   # one\n\nb\n'), [
      [12, 'a   # one\n'],
      [14, 'b\n'],
    ]);
  });

  it('go on where quotes, here-documents, continued lines and loops do', () => {
    assert.deepEqual(linesOf("a '{\n}'\nb <<'END'\nc\nEND\nd \\\n  e\nfor f in g; do\nh\ndone\n"), [
      [11, "a '{\n}'\n"],
      [13, "b <<'END'\nc\nEND\n"],
      [16, 'd \\\n  e\n'],
      [18, 'for f in g; do\nh\ndone\n'],
    ]);
  });

  it('have an end', () => assert.throws(() => linesOf("a 'b\n"), /line 11: bash finds no end/));

  it('stay or end by themselves', () => {
    const [staying, ending] = [
      [
        'heddle up',
        'npm run heddle -- up --nodes 3',
        'heddle start node-manager',
        'npm ci && npm run quickstart',
        'heddle events --follow',
      ],
      ['heddle up --detach', 'npm run quickstart -- --once', 'heddle events', 'heddle app list', 'heddle status --wait 60'],
    ];
    assert.deepEqual(
      staying.filter((command) => !stays(command)),
      [],
    );
    assert.deepEqual(ending.filter(stays), []);
  });
});

describe('what a page shows of output', () => {
  const printed = 'ID                          STATE\napplication_17_0001  RUNNING (for 3 min 20 s)\nIt waits for 2048 MiB.\n';

  it('was printed, numbers and widths aside, in that order', () => {
    assert.deepEqual(missingLines('ID  STATE\napplication_1790_0042   RUNNING (for 1 s)\n\nIt waits for 1 MiB.\n', printed), []);
    assert.deepEqual(missingLines('application_1790_0042 …\n', printed), []);
  });

  it('is missing where other words were printed, or another order', () => {
    assert.deepEqual(missingLines('ID  STATE\nIt waits for 2048 GiB.', printed), ['It waits for 2048 GiB.']);
    assert.deepEqual(missingLines('It waits for 1 MiB.\nID STATE', printed), ['ID STATE']);
  });
});

describe('README and docs/operate', () => {
  const commands = pages.flatMap(blocksOfPage).filter((block) => block.kind === 'commands');
  const needed = commands.flatMap(({ need }) => need ?? []);

  it('have blocks of commands that `npm run test:documents` types, with few exceptions', () => {
    assert.ok(commands.length > 30, `${commands.length} blocks`);
    assert.ok(needed.length <= commands.length / 4, `${needed.length} of ${commands.length} are not typed: ${needed.join(', ')}`);
  });

  it('need nothing that no page needs', () => {
    assert.deepEqual(
      Object.keys(needs).filter((need) => !(needed as string[]).includes(need)),
      [],
    );
  });
});
