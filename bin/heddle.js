#!/usr/bin/env node
// Starts Heddle: the TypeScript sources in a checkout, their built form in an installed package.
// Where this Node.js is too old, the one installed with the project takes over.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useCompileCache } from './compile-cache.js';

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const installed = root.split(/[\\/]/).includes('node_modules');
const built = join(root, 'dist', 'main.js');
const entry = installed && existsSync(built) ? built : join(root, 'src', 'main.ts');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const pinned = join(root, 'node_modules', 'node', 'bin', 'node');
const args = process.argv.slice(2);

// Every machine of a cluster has a node manager beside its containers, so that one is started small: no compiler of machine code, the
// optimizing one of which alone is 8 MB that would be touched, before it has much to do (src/lib/resident-memory.ts), a small nursery, one
// thread beside the main one for V8, one arena for malloc, and pieces as long as what streams read apart from it, so that small ones do not
// hold its pages. Flags count from the first module on only when they are given to the process.
const smallFlags = ['--no-opt', '--no-maglev', '--no-sparkplug', '--max-semi-space-size=1', '--v8-pool-size=1'];
const smallMalloc = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '32768' };
const mallocMark = 'HEDDLE_MALLOC';
const wantsSmall = args[0] === 'start' && args.includes('node-manager') && process.platform !== 'win32' && !process.channel;

if (major > 24 || (major === 24 && minor >= 12)) {
  if (wantsSmall && !process.execArgv.includes(smallFlags[0])) {
    const added = Object.entries(smallMalloc).filter(([name]) => !(name in process.env));
    const environment = { ...process.env, ...Object.fromEntries(added), [mallocMark]: added.map(([name]) => name).join() };
    process.execve(process.execPath, [process.execPath, ...smallFlags, ...process.execArgv, self, ...args], environment);
  }
  // What was set for this process alone is not for those that it starts.
  for (const name of (process.env[mallocMark] ?? '').split(',')) delete process.env[name];
  delete process.env[mallocMark];
  process.argv[1] = entry;
  // Before the first module: what is found in the cache needs no stripper of types, which takes 15 MB.
  useCompileCache();
  await import(entry);
} else if (existsSync(pinned)) {
  const child = spawn(pinned, [self, ...args], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => (signal ? process.kill(process.pid, signal) : process.exit(code ?? 1)));
} else {
  console.error(`heddle: Node.js ${process.versions.node} is too old. Use Node.js 24.12 or newer.`);
  process.exit(1);
}
