import { environmentName } from '../../src/config/overlays.ts';
import { settingsTables } from '../../src/config/settings/all.ts';
import type { SettingEntry } from '../../src/config/table.ts';
import { cell, code, pageHead, table } from './markdown.ts';

const titles: Record<string, string> = {
  common: 'Cluster',
  'resource-manager': 'Resource manager',
  scheduler: 'Scheduler',
  'node-manager': 'Node manager',
  timeline: 'Timeline',
  history: 'History',
  batch: 'Batch jobs',
  proxy: 'Web proxy',
  heddle: 'Heddle',
};

function typeOf(entry: SettingEntry): string {
  if (entry.oneOf) return `one of ${entry.oneOf.map((text) => text.split('.').at(-1)).join(', ')}`;
  const bounds = [entry.minimum === undefined ? '' : `from ${entry.minimum}`, entry.maximum === undefined ? '' : `to ${entry.maximum}`]
    .filter(Boolean)
    .join(' ');
  const unit = entry.type === 'durationMs' ? ` (${entry.unit ?? 'ms'})` : '';
  const name = entry.type === 'durationMs' ? 'time' : entry.type === 'bytes' ? 'size' : entry.type;
  return `${name}${unit}${bounds ? ` ${bounds}` : ''}`;
}

/** Every setting with its default and its sentence. */
export function settingsPage(): string {
  const parts = [
    pageHead(
      'Settings',
      [
        "Settings come, each layer over the one before, from: defaults; Hadoop's files in `--conf` (`core-site.xml`, `mapred-site.xml`,",
        '`yarn-site.xml`, `resource-types.xml`, `node-resources.xml`; `capacity-scheduler.xml` and `fair-scheduler.xml` for queues);',
        '`heddle.yaml` in the same folder; environment variables; `--set KEY=VALUE`. `<final>` in a Hadoop file stands against everything',
        'but `--set`. `<xi:include href="other.xml"/>` is followed. `${key}`, `${env.NAME}`, `${user.name}` and `${heddle.data}` (the folder',
        'given with `--data`) are replaced.',
        '',
        `A variable is named \`HEDDLE_\` and the key in capitals with \`_\` for everything else, without a repeated \`heddle.\`: \`${environmentName('yarn.acl.enable')}\``,
        `for \`yarn.acl.enable\`, \`${environmentName('heddle.log.level')}\` for \`heddle.log.level\`. \`HEDDLE_SET\` holds lines \`key=value\` for any key.`,
        '',
        'An unknown `heddle.` key or a value that its type cannot read stops the start, naming file, key and remedy. Keys of Hadoop that',
        'Heddle does not implement are named once at start. `heddle config check`, `show` and `explain KEY` look at settings without starting',
        'anything. A key that ends in `.` stands for all keys that begin with it; a blank default means "not set".',
      ].join('\n'),
    ),
  ];
  for (const [component, settings] of Object.entries(settingsTables)) {
    const rows = Object.values(settings).map((entry) => [
      code(entry.key),
      cell(typeOf(entry)),
      code(entry.default === undefined ? '' : String(entry.default)),
      `${cell(entry.about)}${entry.inert === undefined ? '' : ` Changes nothing here: ${cell(entry.inert)}.`}${entry.reloadable ? ' Takes effect without a restart.' : ''}`,
    ]);
    parts.push(`## ${titles[component] ?? component}\n`, table(['key', 'type', 'default', 'meaning'], rows));
  }
  return parts.join('\n');
}
