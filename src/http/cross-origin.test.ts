import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crossOriginFilter } from './cross-origin.ts';

const filter = crossOriginFilter({
  allowedOrigins: 'http://a.example,http://*.b.example,regex:https?://c[0-9]+[.]example',
  allowedMethods: 'GET, PUT',
  allowedHeaders: 'Content-Type,Accept',
  maximumAge: '600',
});
const allows = (origin: string | undefined, more = {}) =>
  filter({ headers: { ...(origin === undefined ? {} : { origin }), ...more } })?.['access-control-allow-origin'];

test('origins match exactly, by pattern or by expression, and are echoed as sent', () => {
  for (const origin of [
    'http://a.example',
    'http://x.b.example',
    'http://x.y.b.example',
    'https://c12.example',
    'http://evil.example http://a.example',
  ]) {
    assert.equal(allows(origin), origin);
  }
  for (const origin of [
    'https://a.example',
    'http://a.example:80',
    'http://b.example',
    'http://c.example',
    'http://c1.example.evil',
    '',
    undefined,
  ]) {
    assert.equal(allows(origin), undefined);
  }
});

test('method and headers of a preflight must be allowed, case counts', () => {
  assert.equal(allows('http://a.example', { 'access-control-request-method': 'PUT' }), 'http://a.example');
  assert.equal(allows('http://a.example', { 'access-control-request-method': 'put' }), undefined);
  assert.equal(allows('http://a.example', { 'access-control-request-headers': 'Accept , Content-Type' }), 'http://a.example');
  assert.equal(allows('http://a.example', { 'access-control-request-headers': 'accept' }), undefined);
});

test('a star allows every origin, an empty one too', () => {
  const open = crossOriginFilter({ allowedOrigins: '*', allowedMethods: 'GET', allowedHeaders: '', maximumAge: '1800' });
  assert.equal(open({ headers: { origin: '' } })?.['access-control-allow-origin'], '');
  assert.deepEqual(open({ headers: { origin: 'http://z' } }), {
    'access-control-allow-origin': 'http://z',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': '',
    'access-control-max-age': '1800',
  });
});
