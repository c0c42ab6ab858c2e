import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from './answers.ts';
import { empty, htmlAnswer, json, redirect, stream } from './answers.ts';
import { belowPrefix, forwardedPrefix } from './forwarded-prefix.ts';
import { html } from './html.ts';

const by = (prefix: string) => forwardedPrefix({ 'x-forwarded-prefix': prefix });
const locationOf = (location: string, headers: Record<string, string> = {}) =>
  belowPrefix(redirect(302, location), '/rm', { host: 'rm:8088', ...headers }).headers!['location'];

describe('a prefix that a gateway took off', () => {
  it('is what it can be, and nothing else', () => {
    assert.deepEqual(['/rm', '/rm/', '/a/b-c_d~e.f', ' /rm '].map(by), ['/rm', '/rm', '/a/b-c_d~e.f', '/rm']);
    for (const no of [
      '',
      '/',
      'rm',
      '//evil.example',
      '/a//b',
      '/../x',
      '/.',
      '/a"b',
      '/a b',
      '/a?b',
      '/a, /b',
      'http://x',
      `/${'a'.repeat(300)}`,
    ])
      assert.equal(by(no), '', no);
    assert.equal(forwardedPrefix({}), '');
  });

  it('stands before what pages name from the root, whole or in pieces, and before nothing that they show', async () => {
    const text = '<a href="/x">';
    const page = html`<form action="/a"><a href="/cluster/apps">${text}</a><img src="/i"><a href="//other/x"><a href="ui/"><a href="http://h/x"></form>`;
    const wanted = `<form action="/rm/a"><a href="/rm/cluster/apps">&lt;a href=&quot;/x&quot;&gt;</a><img src="/rm/i"><a href="//other/x"><a href="ui/"><a href="http://h/x"></form>`;
    const whole = belowPrefix(htmlAnswer(200, page), '/rm', {});
    assert.equal(whole.kind === 'rendered' && whole.body, wanted);
    const bytes = Buffer.from('<a href="/bytes of a master">');
    const parts = belowPrefix(stream(200, 'text/html;charset=utf-8', [page.text, bytes]), '/rm', {}) as Extract<Answer, { kind: 'pieces' }>;
    assert.deepEqual(await Array.fromAsync(parts.body), [wanted, bytes]);
    const plain = json({ text: '<a href="/x">' });
    assert.deepEqual(belowPrefix(plain, '/rm', {}), plain);
  });

  it('stands before where a redirect leads, once', () => {
    assert.deepEqual(
      ['/cluster', '/rm/ui/jobs', 'ui/', '//other/x', 'http://node:8042/node', 'http://rm:8088/cluster'].map((location) =>
        locationOf(location),
      ),
      ['/rm/cluster', '/rm/ui/jobs', 'ui/', '//other/x', 'http://node:8042/node', 'http://rm:8088/cluster'],
    );
    // The gateway turns back what names the server as it asked for it; where that is its own name it cannot know.
    const kept = { 'x-forwarded-host': 'rm:8088' };
    assert.equal(locationOf('http://rm:8088/cluster', kept), 'http://rm:8088/rm/cluster');
    assert.equal(locationOf('http://rm:80889/cluster', kept), 'http://rm:80889/cluster');
    assert.equal(locationOf('http://rm:8088/cluster', { 'x-forwarded-host': 'gate' }), 'http://rm:8088/cluster');
  });

  it('stands before the path of a cookie that is not for the whole host', () => {
    const cookies = ['a=1; Path=/', 'b=2; Path=/heddle/sign-in; HttpOnly', 'c=/path'];
    assert.deepEqual(belowPrefix(empty(200, { 'set-cookie': cookies }), '/rm', {}).headers!['set-cookie'], [
      'a=1; Path=/',
      'b=2; Path=/rm/heddle/sign-in; HttpOnly',
      'c=/path',
    ]);
  });
});
