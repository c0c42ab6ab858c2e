// Commands about the logs of servers, against one that answers as Heddle's do.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ServerLog } from '../wire/cluster/server-log.ts';
import { type CommandLine, commandsAt, type StubAnswer, type StubRequest, StubServer } from './test-support/command-line.ts';

const path = '/api/v1/server-log';
let answers: Record<string, StubAnswer | ((request: StubRequest) => StubAnswer)> = {};
const stub = () =>
  new StubServer((request) => {
    const answer = answers[`${request.method} ${request.path}`] ?? answers[request.path];
    return typeof answer === 'function' ? answer(request) : answer;
  });
const [server, other] = [stub(), stub()];
let [url, otherUrl] = ['', ''];
let commands: CommandLine;

before(async () => {
  [url, otherUrl] = [await server.listen(), await other.listen()];
  commands = commandsAt(url);
});
after(async () => {
  await commands[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const one of [server, other]) one.requests.length = 0;
  answers = { [path]: { json: log() } };
});

const heddle = (...args: string[]) => commands.run('server', ...args);
const lines: ServerLog['lines'] = [
  { number: 7, time: 1_795_344_558_872, level: 'info', message: 'it began', fields: '{"port":5,"reason":"a b"}' },
  { number: 9, time: 1_795_344_558_900, level: 'warn', message: 'it\u001b[2J went on', fields: '' },
];
function log(more: Partial<ServerLog> = {}): ServerLog {
  return { writtenFrom: 'info', lines, more: false, ...more };
}
const askedFor = ({ requests }: StubServer) => requests.map(({ query }) => Object.fromEntries(query));

describe('the log of a server', () => {
  it('is printed for people and for programs, narrowed as it is asked for', async () => {
    const text = '2026-11-22 10:49:18.872Z  INFO   it began  port=5  reason="a b"\n2026-11-22 10:49:18.900Z  WARN   it\ufffd[2J went on\n';
    assert.deepEqual(await heddle('log'), { code: 0, out: text, err: '' });
    await heddle('log', '--level', 'warn', '--match', 'Went', '--request', 'r1', '--tail', '5');
    assert.deepEqual(askedFor(server), [
      { 'user.name': 'ada', limit: '100' },
      { 'user.name': 'ada', level: 'warn', text: 'Went', request: 'r1', limit: '5' },
    ]);
    const { out } = await heddle('log', '--json');
    const [first, second] = out.trim().split('\n');
    assert.deepEqual(JSON.parse(first!), { ...lines[0], fields: { port: 5, reason: 'a b' } });
    assert.equal(JSON.parse(second!).message, lines[1]?.message);
    assert.ok(!out.includes('\u001b'));
  });

  it('says what is not shown, and what would show it', async () => {
    answers = { [path]: { json: log({ more: true }) } };
    assert.match((await heddle('log')).err, /there are earlier ones; --tail 2000 prints them/);
    assert.match((await heddle('log', '--level', 'debug')).err, /written from info on; "heddle server log-level debug --for 10m"/);
    assert.equal((await heddle('log', '--level', 'warn', '--tail', '2000')).err, 'heddle: note: there are earlier ones\n');
    answers = { [path]: { json: log({ lines: [] }) } };
    assert.deepEqual(await heddle('log'), {
      ...{ code: 0, out: '' },
      err: `heddle: note: no line of the last ones of ${url} is among those asked for\n`,
    });
  });

  it('is that of the server which is named', async () => {
    const set = (key: string) => ['--set', `${key}=${otherUrl.slice('http://'.length)}`];
    const node = { id: 'a:1', state: 'RUNNING', nodeHTTPAddress: otherUrl.slice('http://'.length) };
    answers['/ws/v1/cluster/nodes'] = { json: { nodes: { node: [node] } } };
    answers['/ws/v1/cluster/nodes/a%3A1'] = { json: { node } };
    for (const args of [
      ['--url', otherUrl],
      ['--role', 'timeline', ...set('yarn.timeline-service.webapp.address')],
      ['--role', 'history', ...set('mapreduce.jobhistory.webapp.address')],
      ['--role', 'proxy', ...set('yarn.web-proxy.address')],
      ['--node', 'a:1'],
      ['--role', 'node-manager'],
    ]) {
      other.requests.length = 0;
      assert.equal((await heddle('log', ...args)).code, 0, args.join(' '));
      assert.deepEqual(
        other.requests.map((request) => request.path),
        [path],
        args.join(' '),
      );
    }
  });

  it('is not guessed where it is not clear which', async () => {
    assert.match((await heddle('log', '--role', 'proxy')).err, /has no web proxy of its own\n {2}The resource manager is the proxy there/);
    assert.equal((await heddle('log', '--role', 'timeline', '--node', 'a:1')).code, 2);
    assert.equal((await heddle('log', '--role', 'nobody')).code, 2);
    const two = [1, 2].map((port) => ({ id: `a:${port}`, state: 'RUNNING' }));
    answers['/ws/v1/cluster/nodes'] = { json: { nodes: { node: two } } };
    assert.match((await heddle('log', '--role', 'node-manager')).err, /has 2 nodes\n {2}Say which with --node/);
    answers['/ws/v1/cluster/nodes'] = { json: { nodes: {} } };
    assert.match((await heddle('log', '--role', 'node-manager')).err, /no node that answers/);
    answers['/ws/v1/cluster/nodes/a%3A1'] = { json: { node: { id: 'a:1', state: 'LOST', nodeHTTPAddress: '' } } };
    assert.match((await heddle('log', '--node', 'a:1')).err, /a:1 is LOST: it cannot be asked/);
  });
});

describe('the level of a log', () => {
  it('is shown, and with its end where it was changed for a time', async () => {
    assert.equal((await heddle('log-level')).out, `${url} writes lines from info on.\n`);
    answers[path] = { json: log({ writtenFrom: 'debug', change: { untilMs: 1_795_344_558_872, afterwards: 'info' } }) };
    assert.equal((await heddle('log-level')).out, `${url} writes lines from debug on until 2026-11-22 10:49:18Z, then info again.\n`);
    assert.deepEqual(JSON.parse((await heddle('log-level', '--json')).out), {
      ...{ url, level: 'debug', until: '2026-11-22T10:49:18.872Z', afterwards: 'info' },
    });
    assert.ok(server.requests.every(({ method }) => method === 'GET'));
  });

  it('is changed, and it is said until when that counts', async () => {
    let level = 'info';
    answers[path] = () => ({ json: log({ writtenFrom: level, lines: [] }) });
    answers['POST /logLevel'] = ({ query }) => {
      level = query.get('level') ?? '';
      return { text: '<html></html>' };
    };
    assert.equal(
      (await heddle('log-level', 'debug')).out,
      `${url} writes lines from debug on until it is started anew; --for 10m changes it for ten minutes.\n`,
    );
    await heddle('log-level', 'trace', '--for', '10m');
    const changes = server.requests.filter(({ method }) => method === 'POST').map(({ query }) => [query.get('level'), query.get('for')]);
    assert.deepEqual(changes, [
      ['debug', null],
      ['trace', '600s'],
    ]);
  });

  it('is not changed by who may not, nor to what is none', async () => {
    const refusal = { RemoteException: { exception: 'ForbiddenException', message: 'User ada is unauthorized to access this page.' } };
    answers[path] = { status: 403, json: refusal };
    const { code, err } = await heddle('log-level', 'debug');
    assert.equal(code, 1);
    assert.match(err, /User ada is unauthorized to access this page\.\n {2}Act as a user who may do this with --user NAME/);
    for (const wrong of [['loud'], ['debug', '--for', '8d'], ['debug', '--for', 'soon'], ['--for', '10m'], ['debug', 'info']])
      assert.equal((await heddle('log-level', ...wrong)).code, 2, wrong.join(' '));
    assert.ok(server.requests.every(({ method }) => method === 'GET'));
  });
});
