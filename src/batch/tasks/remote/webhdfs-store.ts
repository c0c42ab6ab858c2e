// Files of HDFS, over the REST interface of its name node.
import { type FileStatus, WebHdfs } from '../../../client/webhdfs.ts';
import { answerOf, bodyOf, type RemoteEntry, RemoteFailure, type RemoteReader, type RemoteStore } from './store.ts';

const notFound = 'java.io.FileNotFoundException';
const entryOf = (path: string, { type, length }: FileStatus): RemoteEntry => ({
  path,
  isFolder: type === 'DIRECTORY',
  length: type === 'DIRECTORY' ? 0 : (length ?? 0),
});

/** What asks the name node of `webhdfs://host:port`. @throws RemoteFailure */
export function webHdfsServer(root: string, { user }: RemoteReader, signal?: AbortSignal): WebHdfs {
  const address = URL.parse(root);
  if (!address?.hostname) throw new RemoteFailure(`${root} names no host`, 'java.lang.IllegalArgumentException');
  return new WebHdfs(address, {
    who: ['user.name', user],
    ask: (url, what, init) => answerOf(what, signal, (limited) => fetch(url, { redirect: 'follow', ...init, signal: limited })),
    failure: (message, javaClass) => new RemoteFailure(message, javaClass),
  });
}

/** The name node of `webhdfs://host:port`. */
export function webHdfsStore(root: string, reader: RemoteReader): RemoteStore {
  const one = webHdfsServer(root, reader);
  return {
    async status(path) {
      try {
        return entryOf(path, await one.status(path));
      } catch (error) {
        if (error instanceof RemoteFailure && error.name === notFound) return undefined;
        throw error;
      }
    },
    entries: async (path) => (await one.list(path)).map((status) => entryOf(`${path === '/' ? '' : path}/${status.pathSuffix}`, status)),
    async *read(path, start, signal) {
      yield* bodyOf(await webHdfsServer(root, reader, signal).open(path, start), one.text(path));
    },
  };
}
