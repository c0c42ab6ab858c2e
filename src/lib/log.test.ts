import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { logNames } from './log-names.ts';

describe('names of loggers', () => {
  it('are words of the project, each once', () => {
    assert.equal(new Set(logNames).size, logNames.length);
    for (const name of logNames) assert.match(name, /^[a-z]+(-[a-z]+)*$/);
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
