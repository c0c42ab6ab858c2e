// Copies files and folders of this machine with the rights of the containers that ask for them, where the node manager has more: a user who may
// not read a file, or a container from which it is hidden, cannot have the node manager read it either.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { LocalizationFailure } from './errors.ts';
import type { FetchOptions, UserProcess } from './fetch-options.ts';
import { UnpackBudget } from './limits.ts';
import { checkSize, checkTime } from './source-facts.ts';
import { untar } from './tar.ts';

/** What is opened is what is looked at and read. One line of facts (kind, time in seconds, length), then the content, a folder as tar. */
const script = `export LC_ALL=C
if [ -d "$1" ]; then cd -- "$1" && stat -L -c 'folder %.3Y 0' . && exec tar --dereference -cf - .; exit 1; fi
if [ -e "$1" ] && [ ! -f "$1" ]; then echo 'special 0 0'; exit 0; fi
exec 3< "$1" && stat -L -c 'file %.3Y %s' /proc/self/fd/3 && exec cat <&3`;

const longestFacts = 200;

/** Copies the absolute path `source`; `text` names it in failures. @throws LocalizationFailure */
export async function fetchAsUser(
  resource: LocalResource,
  { source, text }: { readonly source: string; readonly text: string },
  target: string,
  options: FetchOptions & { readonly actAs: NonNullable<FetchOptions['sources']['actAs']> },
): Promise<void> {
  const { limits, clock, owner, signal } = options;
  const reading = await options.actAs(owner.user, script, [source], signal);
  const budget = new UnpackBudget(limits, undefined, text);
  let failed: unknown;
  try {
    const { facts, content } = await opened(reading);
    const [kind, seconds, length] = facts.split(' ');
    if (kind === 'special') throw new LocalizationFailure(`${text} is neither a file nor a folder`);
    if (kind === 'file' || kind === 'folder') checkTime(text, resource.timestamp, Math.floor(Number(seconds) * 1000), clock.now());
    if (kind === 'file') checkSize(text, resource.size, Number(length));
    if (kind === 'folder') {
      await mkdir(target);
      await untar(content, target, text, budget);
    } else if (kind === 'file') {
      const counted = async function* () {
        for await (const chunk of content) {
          budget.bytes(chunk.length);
          yield chunk;
        }
      };
      await pipeline(counted, createWriteStream(target), { signal });
    }
  } catch (error) {
    failed = error;
  } finally {
    reading.output.destroy();
  }
  signal.throwIfAborted();
  if (failed instanceof LocalizationFailure && !/cut off/.test(failed.message)) throw failed;
  const { code, problem } = await reading.ended;
  if (code !== 0) throw problemOf(problem, text, source);
  if (failed) throw failed;
}

async function opened({ output }: UserProcess): Promise<{ facts: string; content: AsyncIterable<Uint8Array> }> {
  const chunks = output[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  for (let end = -1; ; ) {
    const { value, done } = await chunks.next();
    if (done) return { facts: '', content: (async function* () {})() };
    head = Buffer.concat([head, value]);
    end = head.indexOf('\n');
    if (end < 0 && head.length < longestFacts) continue;
    const rest = head.subarray(end + 1);
    const content = async function* (): AsyncGenerator<Uint8Array> {
      if (rest.length > 0) yield rest;
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
    };
    return { facts: head.toString('latin1', 0, end), content: content() };
  }
}

function problemOf(problem: string, text: string, source: string): LocalizationFailure {
  if (/Permission denied/.test(problem)) return new LocalizationFailure(`${source} (Permission denied)`, 'java.io.FileNotFoundException');
  if (/No such file|Not a directory/.test(problem))
    return new LocalizationFailure(`File ${text} does not exist`, 'java.io.FileNotFoundException');
  return new LocalizationFailure(`${text} could not be read: ${problem.trim().slice(0, 500) || 'nobody says why'}`);
}
