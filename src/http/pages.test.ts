import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerErrorJson, containerErrorPage } from './pages.ts';
import { typeByName } from './type-by-name.ts';

test("error pages of the servlet container name the servlet of the path, in both forms (Jetty's ErrorHandler)", () => {
  for (const [path, servlet] of [
    ['/proxy/x', 'proxy'],
    ['/proxyx', 'org.apache.hadoop.http.WebServlet-0'],
    ['/isActive', 'isActive'],
    ...['jmx', 'conf', 'stacks', 'logLevel', 'prof'].map((name) => [`/${name}`, name] as const),
    ['/jmx/', 'org.apache.hadoop.http.WebServlet-0'],
    ['/logs/', 'org.apache.hadoop.http.AdminAuthorizedServlet-0'],
    ['/logs', 'org.apache.hadoop.http.WebServlet-0'],
    ['/ws/v1/cluster/apps', 'org.apache.hadoop.http.WebServlet-0'],
  ] as const) {
    assert.match(containerErrorPage(405, 'no', path).text, new RegExp(`<tr><th>SERVLET:</th><td>${servlet}</td></tr>`));
    assert.equal(JSON.parse(containerErrorJson(405, 'no', path)).servlet, servlet);
  }
  const { message, url } = JSON.parse(containerErrorJson(400, "<'no'>", '/a"&b'));
  assert.deepEqual([message, url], ['&lt;&apos;no&apos;&gt;', '/a&quot;&amp;b']);
});

test('what has no content has a type by the ending of what was asked for', () => {
  const types = ['/a', '/a.b/c', '/favicon.ico', '/a.PNG', '/a.html', '/a.xml'].map(typeByName);
  const plain = 'text/plain;charset=utf-8';
  assert.deepEqual(types, [plain, plain, undefined, undefined, 'text/html;charset=utf-8', 'text/xml;charset=utf-8']);
});
