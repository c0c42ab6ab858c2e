// Files of HDFS, over the REST interface of its name node.
import { type FileStatus, WebHdfs } from '../../../client/webhdfs.ts';
import { answerOf, bodyOf, type RemoteEntry, RemoteFailure, type RemoteReader, type RemoteStore } from './store.ts';

const notFound = 'java.io.FileNotFoundException';
const entryOf = (path: string, { type, length }: FileStatus): RemoteEntry => ({
  path,
  isFolder: type === 'DIRECTORY',
  length: type === 'DIRECTORY' ? 0 : (length ?? 0),
});

/** The name node of `webhdfs://host:port`. */
export function webHdfsStore(root: string, { user }: RemoteReader): RemoteStore {
  const address = URL.parse(root);
  if (!address?.hostname) throw new RemoteFailure(`${root} names no host`, 'java.lang.IllegalArgumentException');
  const server = (signal?: AbortSignal) =>
    new WebHdfs(address, {
      who: ['user.name', user],
      ask: (url, what) => answerOf(what, signal, (limited) => fetch(url, { redirect: 'follow', signal: limited })),
      failure: (message, javaClass) => new RemoteFailure(message, javaClass),
    });
  const one = server();
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
      yield* bodyOf(await server(signal).open(path, start), one.text(path));
    },
  };
}
