import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createCrossSiteGuard } from './cross-site.ts';

const guard = (settings: Record<string, string>) => createCrossSiteGuard({ get: (key) => settings[key] }, 'resourceManager');
const prefix = 'yarn.resourcemanager.webapp.rest-csrf.';

it('is off by default', () => assert.equal(guard({}), undefined));

it('asks browsers for a header on what changes something', () => {
  const check = guard({ [`${prefix}enabled`]: 'true' })!;
  const browser = { 'user-agent': 'Mozilla/5.0 (X11)' };
  assert.match(check({ method: 'POST', headers: browser })?.message ?? '', /^Missing Required Header for CSRF Vulnerability Protection/);
  assert.equal(check({ method: 'GET', headers: browser }), undefined);
  assert.equal(check({ method: 'POST', headers: { ...browser, 'x-xsrf-header': '' } }), undefined);
  assert.equal(check({ method: 'POST', headers: { 'user-agent': 'curl/8' } }), undefined);
});

it('takes header, methods and browsers from the settings', () => {
  const check = guard({
    [`${prefix}enabled`]: 'true',
    [`${prefix}custom-header`]: 'X-Own',
    [`${prefix}methods-to-ignore`]: 'GET,PUT',
    [`${prefix}browser-useragents-regex`]: '^curl.*',
  })!;
  assert.equal(check({ method: 'PUT', headers: { 'user-agent': 'curl/8' } }), undefined);
  assert.ok(check({ method: 'POST', headers: { 'user-agent': 'curl/8', 'x-xsrf-header': '1' } }));
  assert.equal(check({ method: 'POST', headers: { 'user-agent': 'curl/8', 'x-own': '1' } }), undefined);
});
