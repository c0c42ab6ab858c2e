import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Html, html, joined } from './html.ts';

const hostile = `<script>alert("1")</script>&'`;
const harmless = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;';

test('values are escaped in text and in attributes, literals are not', () => {
  assert.equal(html`<a href="${hostile}">${hostile}</a> & so on`.text, `<a href="${harmless}">${harmless}</a> & so on`);
  assert.equal(html`<p title='${"' onclick='x"}'></p>`.text, "<p title='&#39; onclick=&#39;x'></p>");
});

test('HTML inside HTML is not escaped again, however deep', () => {
  const inner = html`<b>${'a & b'}</b>`;
  assert.equal(html`<p>${html`<i>${inner}</i>`}</p>`.text, '<p><i><b>a &amp; b</b></i></p>');
});

test('text that was HTML once is text', () => {
  assert.equal(html`${html`<b></b>`.text}`.text, '&lt;b&gt;&lt;/b&gt;');
});

test('lists stand one after the other, each value by its kind, lists in lists too', () => {
  const rows = [
    ['<1>', 2],
    ['a', html`<br>`],
  ].map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`);
  assert.equal(html`${rows}`.text, '<tr><td>&lt;1&gt;</td><td>2</td></tr><tr><td>a</td><td><br></td></tr>');
  assert.equal(html`[${['a', ['b', ['<']]]}]`.text, '[ab&lt;]');
  assert.equal(html`[${[]}]`.text, '[]');
});

test('undefined is nothing; zero, false and the empty text are what they are', () => {
  assert.equal(html`[${undefined}][${0}][${false}][${''}][${10n}]`.text, '[][0][false][][10]');
});

test('a template without values, and one of values alone', () => {
  assert.equal(html`<hr>`.text, '<hr>');
  assert.equal(html`${'<'}${'>'}`.text, '&lt;&gt;');
});

test('joined values have the text between them, escaped like any other', () => {
  assert.equal(joined(['<', html`<b>`, 1], ' & ').text, '&lt; &amp; <b> &amp; 1');
  assert.equal(joined([], ', ').text, '');
});

test('an object that only looks like HTML is none', () => {
  const pretender = JSON.parse('{"text":"<script>"}') as Html;
  assert.equal(pretender instanceof Html, false);
  assert.throws(() => html`${pretender}`);
});
