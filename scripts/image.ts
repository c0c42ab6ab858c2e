// npm run image: writes a container image (OCI image layout, in one tar file) of the packed package and the pinned Node.js, without any daemon
// and without a registry. `--base` names a tar file with a root file system to stand on; without it the image has what Node.js needs and nothing
// else, no shell: enough for every role but node managers. `--check` unpacks the layers as a runtime would and starts a server in them (root).
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readArguments } from './arguments.ts';

const usage = 'npm run image -- [--base ROOT.tar[.gz]] [--package HEDDLE.tgz] [--output heddle-image.tar] [--check]';
const { values } = readArguments(usage, {
  options: {
    base: { type: 'string' },
    package: { type: 'string' },
    output: { type: 'string', default: 'heddle-image.tar' },
    check: { type: 'boolean', default: false },
  },
});

const root = join(import.meta.dirname, '..');
const node = realpathSync(join(root, 'node_modules', 'node', 'bin', 'node'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'heddle-image-'));
/** User and group that the servers run as in the image. */
const userId = 1000;
const home = '/var/lib/heddle';

/** A blob of the layout: its digest, length and media type. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}
interface Layer {
  readonly descriptor: Descriptor;
  /** Digest of the tar before it was compressed. */
  readonly diffId: string;
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const layout = join(folder, 'layout');
const blobs = join(layout, 'blobs', 'sha256');

function blob(mediaType: string, bytes: Buffer): Descriptor {
  const digest = digestOf(bytes);
  writeFileSync(join(blobs, digest.slice('sha256:'.length)), bytes);
  return { mediaType, digest, size: bytes.length };
}
const jsonBlob = (mediaType: string, value: unknown): Descriptor => blob(mediaType, Buffer.from(JSON.stringify(value)));

const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip';
/** A layer of a tar. */
const layerOf = (tar: Buffer): Layer => ({ diffId: digestOf(tar), descriptor: blob(layerType, gzipSync(tar)) });

/** The tar of a folder: the same bytes for the same content, whenever and by whomever it is made. */
const tarOf = (path: string): Buffer =>
  execFileSync(
    'tar',
    [
      '--sort=name',
      '--mtime=@0',
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--format=posix',
      '--pax-option=delete=atime,delete=ctime',
      '-cf',
      '-',
      '-C',
      path,
      '.',
    ],
    { maxBuffer: 2 ** 31 - 1 },
  );

const gzipMark = Buffer.from([0x1f, 0x8b]);
function baseLayer(path: string): Layer {
  const bytes = readFileSync(path);
  return layerOf(bytes.subarray(0, 2).equals(gzipMark) ? gunzipSync(bytes) : bytes);
}

/** What Node.js needs of a root file system: the libraries of this machine that it is linked to, users, a folder for temporary files. */
function leastLayer(): Layer {
  const at = join(folder, 'least');
  const lines = execFileSync('ldd', [node], { encoding: 'utf8' }).split('\n');
  for (const library of lines.flatMap((line) => /(?:=>\s+)?(\/\S+)\s+\(0x/.exec(line)?.[1] ?? [])) {
    mkdirSync(join(at, dirname(library)), { recursive: true });
    copyFileSync(realpathSync(library), join(at, library));
  }
  for (const name of ['etc', 'tmp', 'proc', 'dev', 'sys']) mkdirSync(join(at, name), { recursive: true });
  execFileSync('chmod', ['1777', join(at, 'tmp')]);
  writeFileSync(join(at, 'etc/passwd'), `root:x:0:0:root:/root:/sbin/nologin\nheddle:x:${userId}:${userId}:Heddle:${home}:/sbin/nologin\n`);
  writeFileSync(join(at, 'etc/group'), `root:x:0:\nheddle:x:${userId}:\n`);
  writeFileSync(join(at, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
  return layerOf(tarOf(at));
}

function nodeLayer(): Layer {
  const at = join(folder, 'node', 'usr', 'local', 'bin');
  mkdirSync(at, { recursive: true });
  copyFileSync(node, join(at, 'node'));
  execFileSync('chmod', ['755', join(at, 'node')]);
  return layerOf(tarOf(join(folder, 'node')));
}

/** The package with what it depends on, installed as users install it, and the folder for data. */
function packageLayer(): Layer {
  const at = join(folder, 'package');
  const installed = join(at, 'opt', 'heddle');
  mkdirSync(installed, { recursive: true });
  const options = { cwd: root, encoding: 'utf8' as const };
  const packed =
    values.package === undefined
      ? join(
          folder,
          (JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', folder], options)) as { filename: string }[])[0]!
            .filename,
        )
      : resolve(values.package);
  writeFileSync(join(installed, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--omit=dev', '--omit=optional', '--omit=peer', '--no-audit', '--no-fund', packed], {
    ...options,
    cwd: installed,
  });
  // They name the file that was installed, and no program in the image reads them.
  for (const name of ['package.json', 'package-lock.json', 'node_modules/.package-lock.json'])
    rmSync(join(installed, name), { force: true });
  mkdirSync(join(at, home), { recursive: true });
  execFileSync('chmod', ['1777', join(at, home)]);
  execFileSync('chmod', ['-R', 'u+rwX,go+rX,go-w', installed]);
  return layerOf(tarOf(at));
}

/** Writes the layout and packs it into one file. */
function writeImage(layers: readonly Layer[], output: string): void {
  const platform = { os: 'linux', architecture: process.arch === 'x64' ? 'amd64' : process.arch };
  const config = jsonBlob('application/vnd.oci.image.config.v1+json', {
    ...platform,
    config: {
      User: `${userId}:${userId}`,
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', `HEDDLE_DATA=${home}`, `HOME=${home}`],
      Entrypoint: ['/usr/local/bin/node', '/opt/heddle/node_modules/heddle/bin/heddle.js'],
      Cmd: ['--help'],
      WorkingDir: home,
      Volumes: { [home]: {} },
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.title': 'heddle', 'org.opencontainers.image.version': version },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created_by: 'heddle: scripts/image.ts' })),
  });
  const manifest = jsonBlob('application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  writeFileSync(join(layout, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const annotations = { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': `docker.io/library/heddle:${version}` };
  writeFileSync(join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, platform, annotations }] }));
  writeFileSync(`${output}.part`, tarOf(layout));
  renameSync(`${output}.part`, output);
}

/** Unpacks what was written and starts a resource manager in it, with the image's own user, variables and entry point, in namespaces of its own. */
async function check(output: string): Promise<void> {
  const [unpacked, rootfs] = [join(folder, 'unpacked'), join(folder, 'rootfs')];
  mkdirSync(unpacked);
  mkdirSync(rootfs);
  execFileSync('tar', ['-xf', output, '-C', unpacked]);
  const read = <Value>(digest: string): Value => {
    const bytes = readFileSync(join(unpacked, 'blobs', 'sha256', digest.slice('sha256:'.length)));
    if (digestOf(bytes) !== digest) throw new Error(`${digest} is not what its name says`);
    return JSON.parse(bytes.toString()) as Value;
  };
  const index = JSON.parse(readFileSync(join(unpacked, 'index.json'), 'utf8')) as { manifests: { digest: string }[] };
  const manifest = read<{ config: Descriptor; layers: Descriptor[] }>(index.manifests[0]!.digest);
  const { config } = read<{ config: { Env: string[]; Entrypoint: string[]; User: string } }>(manifest.config.digest);
  for (const { digest } of manifest.layers)
    execFileSync('tar', ['-xzpf', join(unpacked, 'blobs', 'sha256', digest.slice('sha256:'.length)), '-C', rootfs, '--numeric-owner']);
  const inside = (args: readonly string[]) => [
    ...['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc', 'sh', '-c'],
    'mount -t proc proc "$0/proc" && user="$1" && shift && exec chroot --userspec="$user" "$0" "$@"',
    ...[rootfs, config.User, ...config.Entrypoint, ...args],
  ];
  const environment = Object.fromEntries(config.Env.map((text) => text.split(/=(.*)/s).slice(0, 2) as [string, string]));
  const options = { env: { ...environment, PATH: process.env['PATH'] ?? '' } };
  const said = execFileSync('unshare', inside(['--version']), { ...options, encoding: 'utf8' }).trim();
  if (said !== version) throw new Error(`the image says it is version ${said}, not ${version}`);
  console.log(`ok  heddle --version in the image: ${said}`);
  const server = spawn('unshare', inside(['start', 'history', '--set', 'mapreduce.jobhistory.webapp.address=127.0.0.1:0', '--json']), {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  server.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const url = await new Promise<string>((done, fail) => {
    server.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
      if (found !== undefined) done(found);
    });
    server.on('exit', (code) => fail(new Error(`the server in the image ended with ${code}:\n${text}`)));
  });
  const ended = new Promise<void>((done) => server.on('exit', () => done()));
  const { status } = await fetch(`${url}/readyz`, { headers: { connection: 'close' } });
  server.kill('SIGKILL');
  await ended;
  server.stdout.destroy();
  server.stderr.destroy();
  if (status !== 200) throw new Error(`the server in the image answered ${status}`);
  console.log(`ok  a server in the image answers at ${url}`);
}

try {
  mkdirSync(blobs, { recursive: true });
  const output = resolve(values.output);
  if (values.base !== undefined && !existsSync(values.base)) throw new Error(`there is no ${values.base}`);
  const base = values.base === undefined ? leastLayer() : baseLayer(values.base);
  writeImage([base, nodeLayer(), packageLayer()], output);
  console.log(`${output}: heddle ${version}, ${Math.round(readFileSync(output).length / 2 ** 20)} MiB`);
  if (values.check) await check(output);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
