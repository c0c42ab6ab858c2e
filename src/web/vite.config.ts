// How the web pages are built: hashed files in `dist/web`, addresses relative to where they are loaded from, each file compressed beside itself.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const folder = join(import.meta.dirname, '../../dist/web');
/** Below this many bytes compression saves no packet. */
const worthBytes = 1024;
/** All scripts of all pages together may be so long compressed: more would be felt on slow lines. */
const mostScriptBytes = 300 * 1024;

/** Writes `.br` and `.gz` beside what is worth it, so that no server has to compress anything. */
const compressed = (): Plugin => ({
  name: 'compressed',
  writeBundle() {
    let scriptBytes = 0;
    for (const name of readdirSync(join(folder, 'assets'))) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const file = join(folder, 'assets', name);
      const content = readFileSync(file);
      if (content.length < worthBytes) continue;
      const small = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
      if (name.endsWith('.js')) scriptBytes += small.length;
      writeFileSync(`${file}.br`, small);
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
    }
    if (scriptBytes > mostScriptBytes) this.error(`the scripts have ${scriptBytes} bytes compressed, more than ${mostScriptBytes}`);
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
    // Pages that are looked at together come together: one script is shorter compressed than its parts.
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'schedules', test: /src\/web\/(?:pages\/schedules?|parts\/schedule-actions)\.tsx$/ },
            { name: 'jobs', test: /src\/web\/(?:jobs\/[^/]*|pages\/(?:job|jobs|compare))\.tsx$/ },
            { name: 'queues', test: /src\/web\/(?:pages\/queue[^/]*|parts\/(?:queue-history|what-if))\.tsx$/ },
            { name: 'past', test: /src\/web\/(?:pages\/(?:flow|timeline|entity|past-)[^/]*|timeline\/[^/]*)\.tsx$/ },
          ],
        },
      },
    },
  },
});
