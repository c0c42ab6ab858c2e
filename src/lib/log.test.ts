import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { logNames } from './log-names.ts';
import { textOfLine } from './log-text.ts';

describe('names of loggers', () => {
  it('are words of the project, each once', () => {
    assert.equal(new Set(logNames).size, logNames.length);
    for (const name of logNames) assert.match(name, /^[a-z]+(-[a-z]+)*$/);
  });
});

describe('log lines for people', () => {
  it('have time, level, name and sentence, then the fields, and steer no terminal', () => {
    const line = JSON.stringify({
      level: 40,
      time: 1_795_344_558_872,
      name: 'timeline',
      port: 5,
      reason: 'a b',
      id: 'x',
      msg: 'it\u001b[2J happened',
    });
    assert.match(
      textOfLine(line),
      /^2026-11-22 10:49:18\.872Z {2}WARN {3}timeline {10}it.\[2J happened {2}port=5 {2}reason="a b" {2}id=x\n$/,
    );
    assert.ok(!textOfLine(line).includes('\u001b'));
    assert.match(
      textOfLine(JSON.stringify({ level: 50, err: { message: 'm', stack: 'Error: m\n    at f' } })),
      /err=Error: m\n {4}at f\n$/,
    );
    assert.equal(textOfLine('no json\n'), 'no json\n');
  });
});

describe('log lines', () => {
  it('are JSON on stderr from the level on, without what is secret', () => {
    const script = `
      const { createLogger, silentLogger } = await import(${JSON.stringify(join(import.meta.dirname, 'log.ts'))});
      const logger = createLogger({ name: 'batch', level: 'warn' });
      logger.info('unheard');
      silentLogger.error('unheard');
      logger.warn({ token: 'T', user: 'ann', request: { authorization: 'A', secret: 'S' }, headers: { cookie: 'C' }, secretEnvironment: { K: 'V' } }, 'heard');
    `;
    const { stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    assert.equal(stdout, '');
    const [line, ...more] = stderr.trim().split('\n');
    assert.deepEqual(more, []);
    const { time, ...said } = JSON.parse(line ?? '') as Record<string, unknown>;
    assert.equal(typeof time, 'number');
    const hidden = '[Redacted]';
    assert.deepEqual(said, {
      level: 40,
      name: 'batch',
      token: hidden,
      user: 'ann',
      request: { authorization: hidden, secret: hidden },
      headers: { cookie: hidden },
      secretEnvironment: hidden,
      msg: 'heard',
    });
  });
});
