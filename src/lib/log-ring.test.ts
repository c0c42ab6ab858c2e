import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keepingLastLines, lastLines } from './log.ts';
import { LogRing } from './log-ring.ts';

const textsOf = (ring: LogRing, from = 0) => [...ring.from(from)].map(({ number, line }) => `${number} ${line}`);

describe('the last lines of a log', () => {
  it('are kept in their order, with their numbers', () => {
    const ring = new LogRing();
    for (const line of ['a', 'b', 'c']) ring.add(line);
    assert.deepEqual(textsOf(ring), ['1 a', '2 b', '3 c']);
    assert.deepEqual(textsOf(ring, 3), ['3 c']);
    assert.deepEqual(textsOf(ring, 9), []);
  });

  it('are so many, and so many characters', () => {
    const ring = new LogRing();
    for (let at = 1; at <= 4500; at++) ring.add(`line ${at}`);
    const kept = textsOf(ring);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [2000, '2501 line 2501', '4500 line 4500']);
    for (let at = 0; at < 20; at++) ring.add('x'.repeat(100_000));
    assert.equal([...ring.from(0)].length, 10);
    ring.add('y'.repeat(5_000_000));
    assert.equal([...ring.from(0)].length, 1);
    ring.add('z');
    assert.deepEqual(textsOf(ring), ['4522 z']);
  });

  it('wake who waits for the next one, once', () => {
    const ring = new LogRing();
    let woken = 0;
    ring.onNext(() => woken++);
    const takeBack = ring.onNext(() => (woken += 100));
    takeBack();
    ring.add('a');
    ring.add('b');
    assert.equal(woken, 1);
  });

  it('are those of derived loggers, too, after what has to be kept secret was taken out', () => {
    const written: string[] = [];
    const logger = keepingLastLines({ name: 'test', level: 'info' }, (line) => written.push(line));
    const child = logger.child({ requestId: 'r1' });
    child.info({ token: 'abc123', headers: { authorization: 'Bearer abc123' }, nested: { secret: 'abc123' } }, 'something happened');
    child.debug('left out');
    const [kept, ...others] = [...lastLines(child)!.from(0)];
    assert.equal(others.length, 0);
    assert.equal(kept?.line, written[0]);
    assert.doesNotMatch(kept!.line, /abc123/);
    assert.match(kept!.line, /"requestId":"r1"/);
  });
});
