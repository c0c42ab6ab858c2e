import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SettingFacts } from '../../wire/cluster/setting-facts.ts';
import { bySection, filterSettings, originOf } from './settings.ts';

const setting = (key: string, source: string, more: Partial<SettingFacts> = {}): SettingFacts => ({
  ...{ key, about: `About ${key}.`, source, isHidden: false, isFinal: false, isReloadable: false },
  ...more,
});
const settings = [
  setting('yarn.acl.enable', 'yarn-site.xml', { component: 'common', value: 'true' }),
  setting('heddle.log.level', 'environment HEDDLE_LOG_LEVEL', { component: 'heddle', value: 'debug' }),
  setting('heddle.data', 'command line', { component: 'heddle' }),
  setting('yarn.admin.acl', 'defaults', { component: 'common', value: '*' }),
  setting('heddle.proxy.sandbox', 'not set', { component: 'proxy' }),
];
const keys = (found: readonly SettingFacts[]) => found.map(({ key }) => key);

describe('settings', () => {
  it('come from a file, the environment, the command line, or nowhere', () => {
    assert.deepEqual(settings.map(originOf), ['file', 'environment', 'command', 'default', 'default']);
    assert.equal(originOf({ source: 'core-site.xml → more.xml' }), 'file');
  });

  it('are found by all words of a search, wherever they stand, and by place', () => {
    assert.deepEqual(keys(filterSettings(settings, { search: ' ACL yarn ' })), ['yarn.acl.enable', 'yarn.admin.acl']);
    assert.deepEqual(keys(filterSettings(settings, { search: 'debug' })), ['heddle.log.level']);
    assert.deepEqual(keys(filterSettings(settings, { search: 'acl', from: 'default' })), ['yarn.admin.acl']);
    assert.equal(filterSettings(settings, {}).length, settings.length);
    assert.deepEqual(filterSettings(settings, { search: 'acl', from: 'nowhere' }), []);
  });

  it('stand with those that somebody set first, the others by part', () => {
    const { set, others } = bySection(settings);
    assert.deepEqual(keys(set), ['yarn.acl.enable', 'heddle.log.level', 'heddle.data']);
    assert.deepEqual(
      others.map(([part, list]) => [part, keys(list)]),
      [
        ['common', ['yarn.admin.acl']],
        ['proxy', ['heddle.proxy.sandbox']],
      ],
    );
  });
});
