import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { describe, it } from 'node:test';
import { createCrossOrigin, crossOriginFilter } from './cross-origin.ts';

const filter = crossOriginFilter({
  allowedOrigins: 'http://a.example,http://*.b.example,regex:https?://c[0-9]+[.]example',
  allowedMethods: 'GET,PUT,HEAD',
  allowedHeaders: 'Content-Type,Accept,X-Extra',
  maximumAge: '600',
});
const asRequest = (lines: readonly (readonly [string, string])[]) => {
  const headers: Record<string, string> = {};
  for (const [name, value] of lines) headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  return { headers, rawHeaders: lines.flat() } as unknown as IncomingMessage;
};
const ask = (headers: Record<string, string>) => filter(asRequest(Object.entries(headers)));

describe('cross-origin headers', () => {
  it('compares origins as whole texts, globs and expressions', () => {
    for (const origin of [
      'http://a.example',
      'http://x.b.example',
      'http://y.x.b.example',
      'https://c42.example',
      'http://evil http://a.example',
    ]) {
      assert.equal(ask({ origin })?.['access-control-allow-origin'], origin);
    }
    for (const origin of [
      'http://b.example',
      'https://a.example',
      'http://A.example',
      'null',
      'http://a.example.evil',
      'https://cx.example',
    ]) {
      assert.equal(ask({ origin }), undefined, origin);
    }
  });
  it('sends all five headers or none', () => {
    assert.equal(Object.keys(ask({ origin: 'http://a.example', 'access-control-request-method': 'PUT' })!).length, 5);
    assert.equal(ask({ origin: 'http://a.example', 'access-control-request-method': 'get' }), undefined);
    assert.equal(ask({ origin: 'http://a.example', 'access-control-request-headers': 'accept' }), undefined);
    assert.ok(ask({ origin: 'http://a.example', 'access-control-request-headers': 'Accept , X-Extra' }));
  });
  it('takes the text of an expression for an origin too', () => {
    assert.ok(ask({ origin: 'regex:https?://c[0-9]+[.]example' }));
  });
  it('refuses an announced header without a name, but for those at the end', () => {
    const announce = (names: string) => ask({ origin: 'http://a.example', 'access-control-request-headers': names }) !== undefined;
    for (const names of ['', ' ', ',Accept', 'Accept,,X-Extra']) assert.equal(announce(names), false, `"${names}"`);
    for (const names of [',', 'Accept,', 'Accept,,']) assert.equal(announce(names), true, `"${names}"`);
  });
  it('reads the first of several lines of one header', () => {
    const own = ['origin', 'http://a.example'] as const;
    const foreign = ['origin', 'http://evil.example'] as const;
    assert.equal(filter(asRequest([own, foreign]))?.['access-control-allow-origin'], 'http://a.example');
    assert.equal(filter(asRequest([foreign, own])), undefined);
    assert.ok(filter(asRequest([own, ['access-control-request-method', 'GET'], ['access-control-request-method', 'DELETE']])));
    assert.ok(filter(asRequest([own, ['access-control-request-headers', 'Accept'], ['access-control-request-headers', 'X-Secret']])));
  });
  it('lays the timeline settings over the common ones', () => {
    const settings: Record<string, string> = {
      'yarn.timeline-service.http-cross-origin.enabled': 'true',
      'yarn.timeline-service.http-cross-origin.max-age': '60',
      'hadoop.http.cross-origin.allowed-methods': 'GET',
    };
    const configuration = { get: (key: string) => settings[key] };
    assert.equal(createCrossOrigin(configuration, 'resourceManager'), undefined);
    const headers = createCrossOrigin(configuration, 'timeline')!(asRequest([['origin', 'x']]));
    assert.equal(headers?.['access-control-max-age'], '60');
    assert.equal(headers?.['access-control-allow-methods'], 'GET');
  });
});
