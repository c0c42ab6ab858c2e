// Images in a folder of the node: unpacked root file systems and OCI layouts. Nothing is fetched from a network.
// Layers are unpacked each into a folder of its own, where tar cannot be led astray by links of another layer, and then merged entry by
// entry without following links.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** An image ready to be used. */
export interface Image {
  /** Folder of the root file system; never written to. */
  readonly rootFolder: string;
  /** `NAME=value` that the image asks for. */
  readonly environment: readonly string[];
}

/** Finds images by name. */
export interface ImageStore {
  /** The image; the first use of a layout unpacks it. Rejects with words for the user. */
  find(name: string): Promise<Image>;
}

const maximumDocumentBytes = 4 * 1024 * 1024;
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(?:[/:@][A-Za-z0-9][A-Za-z0-9._-]*)*$/;

/** Images below `folder`; what is unpacked lies in `unpackedFolder`, which belongs to the store alone. */
export function openImages(folder: string, unpackedFolder: string): ImageStore {
  const unpacking = new Map<string, Promise<string>>();
  return {
    async find(name) {
      if (!nameForm.test(name) || name.length > 512) throw new Error(`'${name}' is not the name of an image`);
      const base = await realpath(folder).catch(() => {
        throw new Error(`the folder of images does not exist on this node`);
      });
      const withoutTag = name.slice(0, name.lastIndexOf('/') + 1) + name.slice(name.lastIndexOf('/') + 1).split(/[:@]/, 1)[0];
      for (const candidate of [name, withoutTag]) {
        const path = await realpath(join(base, candidate)).catch(() => undefined);
        if (path === undefined) continue;
        if (!path.startsWith(base + sep)) throw new Error(`the image '${name}' leads out of the folder of images`);
        if (await isFolder(join(path, 'blobs'))) return await fromLayout(path, name.slice(withoutTag.length + 1));
        if (candidate === name) {
          const inner = join(path, 'rootfs');
          return { rootFolder: (await isFolder(inner)) ? inner : path, environment: [] };
        }
      }
      throw new Error(`there is no image '${name}' on this node`);
    },
  };

  async function fromLayout(layout: string, tag: string): Promise<Image> {
    const manifestDigest = await chooseManifest(layout, tag);
    const manifest = await readBlob<{ layers?: { digest: string }[]; config?: { digest: string } }>(layout, manifestDigest);
    const config = manifest.config ? await readBlob<{ config?: { Env?: unknown } }>(layout, manifest.config.digest) : {};
    const environment = Array.isArray(config.config?.Env) ? config.config.Env.filter((entry) => typeof entry === 'string') : [];
    const key = manifestDigest.replace(':', '-');
    let rootFolder = unpacking.get(key);
    if (!rootFolder) {
      rootFolder = unpack(layout, key, manifest.layers ?? []);
      unpacking.set(key, rootFolder);
      rootFolder.catch(() => unpacking.delete(key));
    }
    return { rootFolder: await rootFolder, environment };
  }

  async function unpack(layout: string, key: string, layers: readonly { digest: string }[]): Promise<string> {
    const done = join(unpackedFolder, key);
    if (await isFolder(done)) return done;
    const building = join(unpackedFolder, `${key}.building`);
    await rm(building, { recursive: true, force: true });
    const root = join(building, 'root');
    await mkdir(root, { recursive: true, mode: 0o755 });
    try {
      for (const { digest } of layers) {
        const layer = join(building, 'layer');
        await mkdir(layer, { mode: 0o755 });
        const blob = blobPath(layout, digest);
        await checkDigest(blob, digest);
        // Compression is told by the file itself.
        await run('tar', ['--extract', '--file', blob, '--directory', layer, '--numeric-owner', '--preserve-permissions']);
        await merge(layer, root);
        await rm(layer, { recursive: true, force: true });
      }
      await rename(root, done);
      return done;
    } finally {
      await rm(building, { recursive: true, force: true });
    }
  }
}

/** Lays a layer over what is there (image-spec, layer.md): whiteouts delete, folders join, everything else replaces. */
async function merge(layer: string, root: string): Promise<void> {
  const entries = await readdir(layer, { withFileTypes: true });
  if (entries.some(({ name }) => name === '.wh..wh..opq'))
    for (const name of await readdir(root)) await rm(join(root, name), { recursive: true, force: true });
  for (const { name } of entries)
    if (name.startsWith('.wh.') && name !== '.wh..wh..opq') await removeHidden(root, name.slice('.wh.'.length));
  for (const entry of entries) {
    if (entry.name.startsWith('.wh.')) continue;
    const from = join(layer, entry.name);
    const to = join(root, entry.name);
    const there = await lstat(to).catch(() => undefined);
    if (there?.isDirectory() && entry.isDirectory()) {
      await merge(from, to);
      continue;
    }
    if (there) await rm(to, { recursive: true, force: true });
    await rename(from, to);
  }
}

async function removeHidden(root: string, name: string): Promise<void> {
  if (name !== '' && name !== '.' && name !== '..') await rm(join(root, name), { recursive: true, force: true });
}

async function chooseManifest(layout: string, tag: string): Promise<string> {
  type Descriptor = {
    digest: string;
    mediaType?: string;
    platform?: { architecture?: string; os?: string };
    annotations?: Record<string, string>;
  };
  const index = await readJson<{ manifests?: Descriptor[] }>(join(layout, 'index.json'));
  const all = index.manifests ?? [];
  const wanted =
    tag === ''
      ? all
      : all.filter(({ digest, annotations }) => digest === tag || annotations?.['org.opencontainers.image.ref.name'] === tag);
  let chosen = wanted.length === 1 || tag !== '' ? wanted[0] : (wanted.find(fits) ?? wanted[0]);
  if (chosen?.mediaType?.includes('index'))
    chosen = (await readBlob<{ manifests?: Descriptor[] }>(layout, chosen.digest)).manifests?.find(fits);
  if (!chosen) throw new Error(tag === '' ? 'the image holds nothing for this machine' : `the image holds no '${tag}'`);
  return chosen.digest;

  function fits({ platform }: Descriptor): boolean {
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    return !platform || ((platform.os ?? 'linux') === 'linux' && platform.architecture === architecture);
  }
}

function blobPath(layout: string, digest: string): string {
  const found = /^sha256:([0-9a-f]{64})$/.exec(digest);
  if (!found) throw new Error(`'${digest}' is not a SHA-256 digest`);
  return join(layout, 'blobs', 'sha256', found[1]!);
}

async function checkDigest(path: string, digest: string): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  if (`sha256:${hash.digest('hex')}` !== digest) throw new Error(`a layer of the image is not what its digest ${digest} says`);
}

async function readBlob<T>(layout: string, digest: string): Promise<T> {
  return readJson<T>(blobPath(layout, digest));
}

async function readJson<T>(path: string): Promise<T> {
  const { size } = await lstat(path);
  if (size > maximumDocumentBytes) throw new Error('a document of the image is too large');
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (typeof value !== 'object' || value === null) throw new Error('a document of the image is no object');
  return value as T;
}

async function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
