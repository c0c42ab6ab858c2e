// Files of running containers: who may look at them, as whom they are read, and how much at once. Each look is a command in the container, as a
// shell is, so that nothing is read that the container itself could not read.
import type { Audit } from '../../auth/audit-log.ts';
import type { Caller } from '../../auth/authenticator.ts';
import type { ContainerEngine, ShellProcess } from '../../engines/engine.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ErrorCode, type Failure, failure } from '../../model/errors.ts';
import type { FileEntry, FileKind, FolderListing } from '../../wire/node/files.ts';
import type { Container } from '../containers/container.ts';
import { secretsFolder } from '../containers/steps/make-folders.ts';
import type { NodeFolders } from '../folders.ts';
import type { NodeAccess } from '../http/access.ts';
import type { NodeUsers } from '../users.ts';
import { escaped, type FileRefusal, listScript, readScript } from './file-programs.ts';

/** What files are looked at with. */
export interface ContainerFilesOptions {
  readonly engine: Pick<ContainerEngine, 'enter'>;
  readonly access: Pick<NodeAccess, 'mayActFor'>;
  /** Absent where containers run as this process' own user. */
  readonly users: Pick<NodeUsers, 'identityOf'> | undefined;
  readonly folders: NodeFolders;
  readonly audit: Pick<Audit, 'changed'>;
  readonly clock: Clock;
  /** Whether shells may be opened: who may not have one, may not have this. */
  readonly enabled: boolean;
}

/** A part of a file. */
export interface FilePart {
  /** The first byte; below 0 counted from the end. */
  readonly offset: number;
  readonly length: number;
  /** It goes on as the file grows, until the container has ended, `length` is reached, or ten minutes are over. */
  readonly follow: boolean;
}

/** A file that is being read. `close` is harmless once it has ended. */
export interface ReadFile {
  readonly bytes: number;
  readonly modifiedTime: number;
  readonly start: number;
  readonly contents: AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Looks that are open, on the node and of one user. */
const mostLooks = 16;
const mostLooksOfUser = 8;
/** How long it may take until there is something to show, and a list altogether. */
const firstAnswerMs = 10_000;
/** How long a file may be read, or followed. */
const longestReadMs = 600_000;
/** Entries of a folder that are told, and bytes that are read for them. */
const mostEntries = 10_000;
const mostListBytes = 8 * 1024 * 1024;
/** A path, in bytes, as Linux has it. */
const longestPath = 4096;
const longestHead = 200;

/** By the letters of `find` and of `test`. */
const kinds: Readonly<Record<string, FileKind>> = {
  ...{ f: 'file', d: 'folder', l: 'link', p: 'pipe', s: 'socket', S: 'socket', b: 'device', c: 'device' },
};

/** What is answered where a script says that nothing is shown. */
const refusals: Readonly<Record<FileRefusal, ErrorCode>> = {
  absent: 'NODE_FILE_NOT_FOUND',
  denied: 'NODE_FILE_DENIED',
  outside: 'NODE_FILE_OUTSIDE',
  credentials: 'NODE_FILE_CREDENTIALS',
  folder: 'NODE_FILE_IS_FOLDER',
  'no-folder': 'NODE_FILE_NO_FOLDER',
  special: 'NODE_FILE_SPECIAL',
  'no-tools': 'NODE_FILES_NO_TOOLS',
};

/** What of bytes can be read as UTF-8. */
const readable = (bytes: Buffer): string => bytes.toString('utf8');
const isUtf8 = (bytes: Buffer): boolean => Buffer.from(readable(bytes), 'utf8').equals(bytes);

/** A path below a container's folder, without empty parts. @throws Failure NODE_NAME_ESCAPES for one that leads out of it */
export function pathInside(path: Buffer): Buffer {
  const text = path.toString('latin1');
  const parts = text.split('/').filter((part) => part !== '' && part !== '.');
  if (text.includes('\0') || text.startsWith('/') || parts.includes('..') || path.length > longestPath)
    throw failure('NODE_NAME_ESCAPES', { what: 'path', name: readable(path) });
  return Buffer.from(parts.join('/'), 'latin1');
}

/** The files of one node's containers. */
export class ContainerFiles {
  readonly #options: ContainerFilesOptions;
  /** Whose each look is that is open. */
  readonly #looks = new Map<symbol, string | undefined>();

  constructor(options: ContainerFilesOptions) {
    this.#options = options;
  }

  /** What lies in a folder of a container. @throws Failure */
  async list(caller: Caller, container: Container, path: Buffer): Promise<FolderListing> {
    const inside = pathInside(path);
    const look = await this.#look(caller, container, ['sh', '-c', listScript, 'sh', escaped(inside)], inside);
    try {
      const fields: Buffer[] = [];
      let rest: Buffer = Buffer.alloc(0);
      let bytes = 0;
      for await (const piece of look.contents) {
        bytes += piece.length;
        if (bytes > mostListBytes || fields.length / fieldsOfEntry > mostEntries) break;
        let from = 0;
        const all = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
        for (let end = all.indexOf(0); end >= 0; end = all.indexOf(0, from)) {
          fields.push(all.subarray(from, end));
          from = end + 1;
        }
        rest = all.subarray(from);
      }
      const isCut = bytes > mostListBytes || fields.length / fieldsOfEntry > mostEntries;
      // What is told after the entries: how it ended.
      const code = fields.length % fieldsOfEntry === 1 ? fields.pop() : undefined;
      if (look.isLate() || (code === undefined && !isCut))
        throw failure('NODE_FILES_SLOW', { id: container.id, seconds: firstAnswerMs / 1000 });
      const entries: FileEntry[] = [];
      for (let at = 0; at + fieldsOfEntry <= fields.length && entries.length < mostEntries; at += fieldsOfEntry)
        entries.push(entryOf(fields.slice(at, at + fieldsOfEntry)));
      entries.sort((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || (a.name < b.name ? -1 : 1));
      return { containerId: container.id, path: readable(inside), entries, more: isCut || String(code) === 'more' };
    } finally {
      await look.close();
    }
  }

  /** A file of a container, or a part of it. Whoever has it reads it, or closes it. @throws Failure */
  async read(caller: Caller, container: Container, path: Buffer, { offset, length, follow }: FilePart): Promise<ReadFile> {
    const inside = pathInside(path);
    const words = [String(offset), String(length), follow ? 'yes' : 'no', escaped(inside)];
    const look = await this.#look(caller, container, ['sh', '-c', readScript, 'sh', ...words], inside);
    const [bytes = 0, seconds = 0, start = 0] = look.facts;
    const { user, realUser, remoteAddress, requestId } = caller;
    const what = { operation: 'read container file', target: container.id, path: readable(inside), start };
    this.#options.audit.changed({ user, realUser, remoteAddress, requestId }, what);
    const contents = async function* (): AsyncGenerator<Buffer> {
      let left = length;
      try {
        for await (const piece of look.contents) {
          if (piece.length > 0) yield piece.length <= left ? piece : piece.subarray(0, left);
          left -= piece.length;
          if (left <= 0) return;
        }
        // What was cut short is not whole: its reader has to see that.
        if (look.isLate() && !follow) throw new Error('it was read for too long');
      } finally {
        await look.close();
      }
    };
    return { bytes, modifiedTime: seconds * 1000, start, contents: contents(), close: look.close };
  }

  /** Begins a look: counts it, and reads the first line of what it says. */
  async #look(caller: Caller, container: Container, command: readonly string[], path: Buffer) {
    const key = Symbol('look');
    this.#admit(caller, container);
    this.#looks.set(key, caller.user);
    try {
      const { engine, users, clock } = this.#options;
      const identity = await users?.identityOf(container.order.user);
      const order = {
        containerId: container.id,
        command: [...command, ...(await this.#rootsOf(container))],
        ...(identity && { identity }),
      };
      const process = await engine.enter!(order).catch((error: Error) => {
        throw failure('NODE_FILES_UNREACHABLE', { id: container.id, reason: error.message });
      });
      process.input.end();
      process.errors.resume();
      let late = false;
      const end = () => {
        late = true;
        void process.end();
      };
      const first = clock.setTimer(firstAnswerMs, end);
      let last: ReturnType<Clock['setTimer']> | undefined;
      // Nobody waits until nothing of it is left: where the container begins process after process, that is not known for seconds.
      const close = async () => {
        first.cancel();
        last?.cancel();
        this.#looks.delete(key);
        void process.end();
        process.output.resume();
      };
      try {
        const { head, contents } = await firstLine(process);
        const [word = '', ...facts] = head.split(' ');
        if (late) throw failure('NODE_FILES_SLOW', { id: container.id, seconds: firstAnswerMs / 1000 });
        if (word !== 'ok') throw this.#refusal(word, container, path);
        if (facts.length > 0) {
          first.cancel();
          last = clock.setTimer(longestReadMs, end);
        }
        return { contents, facts: facts.map(Number), isLate: () => late, close };
      } catch (error) {
        await close();
        throw error;
      }
    } catch (error) {
      this.#looks.delete(key);
      throw error;
    }
  }

  #admit(caller: Caller, { id, order, state }: Container): void {
    const { enabled, engine, access } = this.#options;
    if (!access.mayActFor(caller, order)) throw failure('NODE_FILES_FORBIDDEN', { user: caller.user ?? 'nobody', id });
    if (!enabled || !engine.enter) throw failure('NODE_FILES_OFF');
    if (state !== 'RUNNING') throw failure('NODE_FILES_ENDED', { id, state });
    const own = [...this.#looks.values()].filter((user) => user === caller.user).length;
    if (this.#looks.size >= mostLooks || own >= mostLooksOfUser) throw failure('OVERLOADED', { what: 'The node', seconds: 1 });
  }

  /** The container's folder, and those in which what its links lead to may lie: as they are called, and where they really are. */
  async #rootsOf({ id, order: { user, applicationId } }: Container): Promise<string[]> {
    const { folders } = this.#options;
    const work = folders.work(user, applicationId, id);
    const others = [
      ...folders.local.flatMap((local) => [
        folders.publicCache(local),
        `${folders.userCache(local, user)}/filecache`,
        folders.applicationCache(local, user, applicationId),
      ]),
      ...folders.containerLogs(applicationId, id),
    ];
    const named = [work, ...others];
    const real = await Promise.all(named.map((folder) => folders.realOf(folder).catch(() => folder)));
    return [work, ...new Set([...named, ...real])];
  }

  #refusal(word: string, { id }: Container, path: Buffer): Failure {
    const told = { id, path: path.length === 0 ? '.' : readable(path) };
    return failure(Object.hasOwn(refusals, word) ? refusals[word as FileRefusal] : refusals['no-tools'], {
      ...told,
      folder: secretsFolder,
    });
  }
}

const fieldsOfEntry = 7;

function entryOf([kind, target, bytes, modified, mode, name, leadsTo]: readonly Buffer[]): FileEntry {
  const [own, there] = [kinds[String(kind)] ?? 'other', kinds[String(target)]];
  return {
    name: readable(name!),
    ...(!isUtf8(name!) && { nameBase64: name!.toString('base64') }),
    kind: own,
    ...(own === 'link' && { leadsTo: readable(leadsTo!), ...(there && { leadsToKind: there }) }),
    bytes: Number(bytes) || 0,
    modifiedTime: Math.round(Number(modified) * 1000) || 0,
    mode: String(mode),
  };
}

/** The first line of what a command writes, and what follows. */
async function firstLine({ output }: ShellProcess): Promise<{ head: string; contents: AsyncGenerator<Buffer> }> {
  const pieces = (output as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  let end = -1;
  while (end < 0 && read.length < longestHead) {
    const { value, done } = await pieces.next();
    if (done) break;
    read = Buffer.concat([read, value as Buffer]);
    end = read.indexOf('\n');
  }
  const rest = end < 0 ? Buffer.alloc(0) : read.subarray(end + 1);
  const contents = async function* (): AsyncGenerator<Buffer> {
    if (rest.length > 0) yield rest;
    for (;;) {
      const { value, done } = await pieces.next();
      if (done) return;
      yield value as Buffer;
    }
  };
  return { head: read.subarray(0, Math.max(0, end)).toString('latin1'), contents: contents() };
}
