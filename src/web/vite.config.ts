// How the web pages are built: hashed files in `dist/web`, addresses relative to where they are loaded from, each file compressed beside itself.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { type Script, tooLong } from './build/script-bounds.ts';
import { scriptGroups } from './build/script-groups.ts';

const folder = join(import.meta.dirname, '../../dist/web');
/** Below this many bytes compression saves no packet. */
const worthBytes = 1024;
const [brotli, gzip] = [promisify(brotliCompress), promisify(gzipCompress)];
const scriptOf = scriptGroups(import.meta.dirname);

/** Writes `.br` and `.gz` beside what is worth it, so that no server has to compress anything, and holds the scripts to their lengths. */
const compressed = (): Plugin => ({
  name: 'compressed',
  async writeBundle(_options, bundle) {
    const scripts = new Map<string, Script>();
    const compress = async (made: (typeof bundle)[string]) => {
      const content = Buffer.from(made.type === 'chunk' ? made.code : made.source);
      const [zipped, small] = await Promise.all([
        gzip(content, { level: 9 }),
        brotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
      ]);
      if (made.type === 'chunk') scripts.set(made.fileName, { ...made, bytes: Math.min(zipped.length, content.length) });
      if (content.length < worthBytes) return;
      await Promise.all([writeFile(join(folder, `${made.fileName}.br`), small), writeFile(join(folder, `${made.fileName}.gz`), zipped)]);
    };
    await Promise.all(
      Object.values(bundle)
        .filter(({ fileName }) => /^assets\/.*\.(?:js|css|svg)$/.test(fileName))
        .map(compress),
    );
    const [wrong] = tooLong(scripts, (id) => this.getModuleInfo(id), import.meta.dirname);
    if (wrong !== undefined) this.error(wrong);
  },
});

/** What every page asks before anything else comes while its scripts do. */
const preloaded = (): Plugin => ({
  name: 'preloaded',
  transformIndexHtml: () =>
    ['frame.json', 'caller.json'].map((name) => ({
      tag: 'link',
      attrs: { rel: 'preload', as: 'fetch', href: `./${name}`, crossorigin: true },
      injectTo: 'head' as const,
    })),
});

/** How xterm.js adds to the style of a letter: as the text of an attribute, which the policy of the pages forbids. */
const styleText = /\b(\w{1,9})\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}\$\{(\w{1,9})\};`\)/g;

/** Lets xterm.js add it as a declaration, which the policy allows. */
const withoutStyleText = (): Plugin => ({
  name: 'without-style-text',
  transform(code, id) {
    if (!id.includes('/@xterm/xterm/')) return undefined;
    const changed = code.replaceAll(styleText, '$1.style.cssText+=`${$2};`');
    if (id.endsWith('.mjs') && (changed === code || changed.includes('.setAttribute("style"')))
      this.error('xterm.js sets the style of letters in another way: look at how this can be kept within the policy of the pages');
    return { code: changed, map: null };
  },
});

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  publicDir: false,
  plugins: [react(), withoutStyleText(), preloaded(), compressed()],
  build: {
    ...{ outDir: folder, emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    rolldownOptions: {
      // It names how long what compresses takes, at each build.
      checks: { pluginTimings: false },
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [{ debugName: 'areas', name: (id, modules) => scriptOf(id, (each) => modules.getModuleInfo(each)) }],
        },
      },
    },
  },
});
