// Writing to HDFS over REST: files lie in a hidden folder until a renaming makes them part of the output (FileOutputCommitter).
import { open } from 'node:fs/promises';
import { basename, dirname } from 'node:path/posix';
import { Readable } from 'node:stream';
import { patienceOf, persist } from './calls.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteReader } from './remote-store.ts';
import { webHdfsServer } from './webhdfs-store.ts';
import type { RemoteWriter } from './writer.ts';

const pendingName = '_temporary';

/** Writes below `folder` (a path) of the name node of `webhdfs://host:port`. */
export function webHdfsWriter(root: string, folder: string, reader: RemoteReader): RemoteWriter {
  const server = webHdfsServer(root, reader);
  const pending = `${folder}/${pendingName}`;
  const exists = async (path: string) => {
    try {
      await server.status(path);
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure && error.name === 'java.io.FileNotFoundException') return false;
      throw error;
    }
  };
  return {
    async upload(file, path, signal) {
      const token = `${pending}/${crypto.randomUUID()}-${basename(path)}`;
      const handle = await open(file);
      try {
        const { size } = await handle.stat();
        const content = size === 0 ? undefined : handle.createReadStream({ end: size - 1, autoClose: false });
        await server.create(token, size, content, signal);
      } finally {
        await handle.close();
      }
      return { path, token, parts: [] };
    },
    async complete({ path, token }) {
      await server.makeFolders(dirname(path));
      if (await server.rename(token, path)) return;
      const isThere = await exists(path);
      if (await exists(token)) {
        // Something else has its place: what is committed now counts.
        if (isThere) await server.remove(path);
        if (await server.rename(token, path)) return;
      } else if (isThere) return;
      throw new RemoteFailure(`${server.text(token)} could not be renamed to ${server.text(path)}`);
    },
    abort: async ({ token }) => void (await server.remove(token)),
    put: (path, bytes) =>
      persist(patienceOf(reader), () => server.create(path, bytes.length, bytes.length === 0 ? undefined : Readable.from([bytes]))),
    clear: async () => void (await server.remove(pending)),
  };
}
