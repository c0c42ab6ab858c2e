import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerError } from './container-error.ts';

const typeFor = (accept: string | undefined, method = 'GET') => {
  const answer = containerError(404, 'Not Found', { method, path: '/x', accept });
  return answer.kind === 'rendered' ? answer.contentType : answer.kind;
};
const html = 'text/html;charset=iso-8859-1';
const plain = 'text/plain;charset=iso-8859-1';
const none = typeFor('image/png');

test('the container’s errors have the first of the best types asked for that it knows, as Hadoop 3.4.2 answered', () => {
  for (const [accept, type] of [
    [undefined, html],
    ['text/html', html],
    ['text/*', html],
    ['*/*', html],
    ['application/json, */*', 'application/json'],
    ['*/*;q=0.1, application/json', 'application/json'],
    ['text/html;q=0.5,text/plain;q=0.8', plain],
    ['image/png,text/plain', plain],
    ['text/json', 'text/json'],
    ...['', 'application/*', 'application/json;q=0', 'TEXT/PLAIN', 'application/json;charset=utf-8', 'text/html;level=1'].map(
      (accept) => [accept, none] as const,
    ),
  ] as const)
    assert.equal(typeFor(accept), type, String(accept));
  assert.equal(typeFor('text/html', 'PUT'), none);
  assert.notEqual(none, html);
});

test('as text they say the same, line by line', () => {
  const answer = containerError(403, 'Forbidden', { method: 'POST', path: '/static/', accept: 'text/plain' });
  assert.ok(answer.kind === 'rendered');
  assert.equal(
    answer.body,
    'HTTP ERROR 403 Forbidden\nURI: /static/\nSTATUS: 403\nMESSAGE: Forbidden\nSERVLET: org.apache.hadoop.http.WebServlet-0\n',
  );
});
