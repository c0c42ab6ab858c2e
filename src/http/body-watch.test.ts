import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { type BodyLimits, watchBody } from './body-watch.ts';

beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
afterEach(() => mock.timers.reset());

/** A request of which bytes come as the test says. */
function watched(limits: BodyLimits) {
  const said: string[] = [];
  const socket = { bytesRead: 0, writable: true, end: (text: string) => said.push(text) };
  const request = Object.assign(new EventEmitter(), { socket, complete: false, destroy: () => said.push('cut off') });
  watchBody(request as unknown as IncomingMessage, limits);
  const pass = (ms: number, bytes: number) => {
    socket.bytesRead += bytes;
    mock.timers.tick(ms);
    return said.length > 0;
  };
  return { request, pass, said };
}

test('a body may take long as long as something comes, but not for ever', () => {
  const { pass, said } = watched({ stallMs: 100, totalMs: 1000 });
  for (let turns = 0; turns < 9; turns++) assert.equal(pass(100, 1), false);
  assert.equal(pass(100, 1), true);
  assert.match(said[0] ?? '', /^HTTP\/1\.1 408 /);
  assert.equal(said[1], 'cut off');
});

test('one of which nothing comes is cut off', () => {
  const { pass } = watched({ stallMs: 100, totalMs: 1000 });
  assert.equal(pass(100, 5), false);
  assert.equal(pass(100, 0), true);
});

test('one that is there is left alone, and so is one whose connection is gone', () => {
  const whole = watched({ stallMs: 100, totalMs: 1000 });
  whole.request.complete = true;
  assert.equal(whole.pass(5000, 0), false);
  const gone = watched({ stallMs: 100, totalMs: 1000 });
  gone.request.emit('close');
  assert.equal(gone.pass(5000, 0), false);
});
