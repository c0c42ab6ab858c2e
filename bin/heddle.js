#!/usr/bin/env node
// Starts Heddle: the TypeScript sources in a checkout, their built form in an installed package.
// Where this Node.js is too old, the one installed with the project takes over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useCompileCache } from './compile-cache.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installed = root.split(/[\\/]/).includes('node_modules');
const built = join(root, 'dist', 'main.js');
const entry = installed && existsSync(built) ? built : join(root, 'src', 'main.ts');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const pinned = join(root, 'node_modules', 'node', 'bin', 'node');

if (major > 24 || (major === 24 && minor >= 12)) {
  process.argv[1] = entry;
  // Before the first module: what is found in the cache needs no stripper of types, which takes 15 MB.
  useCompileCache();
  await import(entry);
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
} else {
  console.error(`heddle: Node.js ${process.versions.node} is too old. Use Node.js 24.12 or newer.`);
  process.exit(1);
}
