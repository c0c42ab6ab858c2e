// After `npm ci`: builds the web pages, so that a clone has them at once. Without the tools that build them (`npm ci --omit=dev`) there is
// nothing to do: `/ui/` says how they are built. Plain JavaScript: it runs before the pinned Node.js is there.
import { fileURLToPath } from 'node:url';

let vite;
try {
  vite = await import('vite');
} catch {
  console.log('The web pages are not built: their tools are not installed.');
}
await vite?.build({ configFile: fileURLToPath(new URL('../src/web/vite.config.ts', import.meta.url)), logLevel: 'warn' });
