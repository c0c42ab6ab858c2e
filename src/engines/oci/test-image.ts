// A small image for tests: busybox and bash of this machine, as a root file system and as an OCI layout.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Why no OCI runtime can be used here; undefined when one can. Installs one where the machine lets it. */
export function whyNoRuntime(): string | undefined {
  try {
    execFileSync(join(import.meta.dirname, '../../../scripts/install-oci-runtime.sh'), {
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 120_000,
    });
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout ?? error).trim();
  }
  if (process.getuid?.() !== 0) return 'an OCI runtime needs root here';
  return whyNotRun();
}

/** Runs a container that does nothing. */
function whyNotRun(): string | undefined {
  const bundle = mkdtempSync(join(tmpdir(), 'oci-trial-'));
  try {
    makeRootFileSystem(join(bundle, 'rootfs'));
    execFileSync('runc', ['spec'], { cwd: bundle });
    const specification = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8')) as {
      process: { terminal: boolean; args: string[] };
    };
    specification.process = { ...specification.process, terminal: false, args: ['/bin/bash', '-c', 'exit 0'] };
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(specification));
    const result = spawnSync('runc', ['run', '--bundle', bundle, `heddle-trial-${process.pid}`], { encoding: 'utf8', timeout: 20_000 });
    return result.status === 0 ? undefined : `runc cannot run containers here: ${result.stderr.trim()}`;
  } finally {
    rmSync(bundle, { recursive: true, force: true });
  }
}

/** Makes an unpacked root file system. */
export function makeRootFileSystem(folder: string): void {
  for (const name of ['bin', 'tmp', 'proc', 'sys', 'dev', 'etc', 'root']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(realpathSync(which('busybox')), join(folder, 'bin', 'busybox'));
  for (const name of [
    'sh',
    'sleep',
    'stty',
    'cat',
    'ls',
    'mkfifo',
    'setsid',
    'nohup',
    'env',
    'id',
    'touch',
    'grep',
    'mount',
    'hostname',
    'dd',
    'kill',
    'seq',
    'ln',
    'mkdir',
  ])
    symlinkSync('busybox', join(folder, 'bin', name));
  copyFileSync('/bin/bash', join(folder, 'bin', 'bash'));
  const libraries = execFileSync('ldd', ['/bin/bash'], { encoding: 'utf8' }).match(/\/[^\s)]+/g) ?? [];
  for (const library of libraries) {
    mkdirSync(dirname(join(folder, library)), { recursive: true });
    copyFileSync(realpathSync(library), join(folder, library));
  }
}

/** Makes an OCI layout whose layers are the tar files of `folders`, the lowest first. */
export function makeLayout(layout: string, folders: readonly string[], tag: string, environment: readonly string[]): void {
  const blobs = join(layout, 'blobs', 'sha256');
  mkdirSync(blobs, { recursive: true });
  const put = (content: Buffer | string) => {
    const digest = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(blobs, digest), content);
    return { digest: `sha256:${digest}`, size: content.length };
  };
  const layers = folders.map((folder) => {
    const file = join(layout, 'layer.tar.gz');
    execFileSync('tar', ['--create', '--gzip', '--file', file, '--directory', folder, '.']);
    return { mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', ...put(readFileSync(file)) };
  });
  const config = { mediaType: 'application/vnd.oci.image.config.v1+json', ...put(JSON.stringify({ config: { Env: environment } })) };
  const manifest = put(JSON.stringify({ schemaVersion: 2, config, layers }));
  const entry = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    ...manifest,
    annotations: { 'org.opencontainers.image.ref.name': tag },
  };
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [entry] }));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

function which(name: string): string {
  return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
}
