// Files of HDFS, over the REST interface of its name node.
import { type FileStatus, WebHdfs } from '../../../client/webhdfs.ts';
import { systemClock } from '../../../lib/clock.ts';
import { answerOf, bodyOf, checkPart, patienceOf } from './calls.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { RemoteEntry, RemoteReader, RemoteStore } from './remote-store.ts';

const notFound = 'java.io.FileNotFoundException';

/** @throws RemoteFailure where a name node does not say what something is: it would be taken for an empty file */
function entryOf(path: string, text: string, { type, length }: FileStatus): RemoteEntry {
  if (type === 'DIRECTORY') return { path, isFolder: true, length: 0 };
  if (type !== 'FILE' || !Number.isSafeInteger(length) || length! < 0)
    throw new RemoteFailure(`${text}: the name node does not say whether it is a file, and how long`);
  return { path, isFolder: false, length: length! };
}

/** What asks the name node of `webhdfs://host:port`. @throws RemoteFailure */
export function webHdfsServer(root: string, reader: RemoteReader, signal?: AbortSignal): WebHdfs {
  const address = URL.parse(root);
  if (!address?.hostname) throw new RemoteFailure(`${root} names no host`, 'java.lang.IllegalArgumentException');
  const patience = patienceOf(reader);
  return new WebHdfs(address, {
    who: ['user.name', reader.user],
    ask: (url, what, init) =>
      answerOf(what, { patience, signal, nowMs: () => systemClock.now() }, (limited) =>
        fetch(url, { redirect: 'follow', ...init, signal: limited }),
      ),
    failure: (message, javaClass) => new RemoteFailure(message, javaClass),
  });
}

/** The name node of `webhdfs://host:port`. */
export function webHdfsStore(root: string, reader: RemoteReader): RemoteStore {
  const one = webHdfsServer(root, reader);
  return {
    async status(path) {
      try {
        return entryOf(path, one.text(path), await one.status(path));
      } catch (error) {
        if (error instanceof RemoteFailure && error.name === notFound) return undefined;
        throw error;
      }
    },
    entries: async (path) =>
      (await one.list(path)).map((status) => {
        const inner = `${path === '/' ? '' : path}/${status.pathSuffix}`;
        return entryOf(inner, one.text(inner), status);
      }),
    async *read(path, start, seen, signal) {
      const response = await webHdfsServer(root, reader, signal).open(path, start);
      // The place is asked for in the address here: the answer is the whole of what it names.
      checkPart(response, 0, one.text(path), seen);
      yield* bodyOf(response, one.text(path), patienceOf(reader));
    },
  };
}
