import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Answer } from './answers.ts';
import { WebFiles } from './web-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-web-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const code = 'export const answer = 42;\n'.repeat(100);

function build(name: string): URL {
  const built = join(folder, name);
  mkdirSync(join(built, 'assets'), { recursive: true });
  writeFileSync(join(built, 'index.html'), '<script src="./assets/index-1.js"></script><link href="./assets/index-1.css">');
  writeFileSync(join(built, 'assets', 'index-1.js'), code);
  writeFileSync(join(built, 'assets', 'index-1.js.br'), brotliCompressSync(code));
  writeFileSync(join(built, 'assets', 'index-1.js.gz'), gzipSync(code));
  writeFileSync(join(folder, 'outside.js'), 'secret');
  return pathToFileURL(`${built}/`);
}

const files = new WebFiles({ 'content-security-policy': "script-src 'self'" }, build('built'));
const ask = (path: string, more: { acceptEncoding?: string; ifNoneMatch?: string } = {}) =>
  files.answer({ path, acceptEncoding: '', ifNoneMatch: '', ...more });

async function textOf(answer: Answer): Promise<string> {
  assert.ok(answer.kind === 'pieces');
  const pieces: Buffer[] = [];
  for await (const piece of answer.body) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString();
}
const header = (answer: Answer, name: string) => answer.headers?.[name];

describe('files of the web pages', () => {
  it('begin every page with the same one, whose addresses climb to where the pages lie', async () => {
    for (const [path, script] of [
      ['', './assets/index-1.js'],
      ['applications', './assets/index-1.js'],
      ['applications/application_1_0001', '../assets/index-1.js'],
      ['nodes/a.example.org:8041/containers', '../../assets/index-1.js'],
    ] as const) {
      const answer = await ask(path);
      assert.equal(answer.status, 200);
      assert.ok((await textOf(answer)).includes(`src="${script}"`), path);
      assert.equal(header(answer, 'cache-control'), 'no-cache');
      assert.equal(header(answer, 'content-security-policy'), "script-src 'self'");
    }
  });

  it('are kept by browsers where their names change with their content, and leave compressed for who takes that', async () => {
    const plain = await ask('assets/index-1.js');
    assert.equal(await textOf(plain), code);
    assert.match(String(header(plain, 'cache-control')), /immutable/);
    const small = await ask('assets/index-1.js', { acceptEncoding: 'gzip, deflate, br;q=0.9' });
    assert.equal(header(small, 'content-encoding'), 'br');
    assert.equal(header(small, 'content-length'), String(brotliCompressSync(code).length));
    assert.equal(header(await ask('assets/index-1.js', { acceptEncoding: 'gzip' }), 'content-encoding'), 'gzip');
  });

  it('are not sent again to who has them', async () => {
    const tag = String(header(await ask(''), 'etag'));
    const again = await ask('', { ifNoneMatch: `"other", W/${tag}` });
    assert.equal(again.status, 304);
    assert.equal(again.kind, 'empty');
    assert.equal((await ask('', { ifNoneMatch: '"other"' })).status, 200);
  });

  it('are those of another build as soon as it stands there', async () => {
    const place = build('rebuilt');
    const own = new WebFiles({}, place);
    const statusOf = async (path: string) => (await own.answer({ path, acceptEncoding: '', ifNoneMatch: '' })).status;
    assert.equal(await statusOf('assets/index-1.js'), 200);
    // Taken away before the page that names it.
    for (const ending of ['', '.br', '.gz']) rmSync(new URL(`assets/index-1.js${ending}`, place));
    assert.equal(await statusOf('assets/index-1.js'), 404);
    writeFileSync(new URL('assets/index-2.js', place), code);
    writeFileSync(new URL('index.html', place), '<script src="./assets/index-2.js"></script>');
    utimesSync(new URL('index.html', place), 1, 1);
    assert.deepEqual([await statusOf('assets/index-2.js'), await statusOf('assets/index-1.js')], [200, 404]);
    rmSync(new URL('index.html', place));
    assert.equal(await statusOf(''), 503);
  });

  it('lead nowhere else: what is not in the folder is a page or not there', async () => {
    for (const path of ['../outside.js', 'assets/../../outside.js', '/etc/passwd.js', 'assets/missing.js', 'assets\0/index-1.js'])
      assert.equal((await ask(path)).status, 404, path);
    for (const path of ['../../../etc/passwd', 'assets', 'x'.repeat(5000)]) {
      const answer = await ask(path);
      assert.equal(answer.status, 200);
      assert.match(await textOf(answer), /index-1\.js/);
    }
  });

  it('say how they are built where they are not, and are there as soon as they are', async () => {
    const late = pathToFileURL(`${join(folder, 'late')}/`);
    const served = new WebFiles({}, late);
    const before = await served.answer({ path: '', acceptEncoding: '', ifNoneMatch: '' });
    assert.equal(before.status, 503);
    assert.ok(before.kind === 'rendered' && /npm run build/.test(before.body));
    build('late');
    assert.equal((await served.answer({ path: '', acceptEncoding: '', ifNoneMatch: '' })).status, 200);
  });
});
