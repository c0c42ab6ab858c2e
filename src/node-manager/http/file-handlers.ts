// Files of running containers: lists of folders, and files as they are.
import type { Caller } from '../../auth/authenticator.ts';
import { type Answer, json, stream } from '../../http/answers.ts';
import { readFlag } from '../../http/query-flag.ts';
import { readNumber } from '../../http/query-number.ts';
import type { Call } from '../../http/service.ts';
import { withoutTrailing } from '../../lib/trailing.ts';
import { failure } from '../../model/errors.ts';
import { fileHeaders, mostFileBytes } from '../../wire/node/files.ts';
import type { ContainerManager } from '../containers/container-manager.ts';
import type { ContainerFiles } from '../files/container-files.ts';
import { keptContainerId } from './container-ids.ts';

/** What the routes work on. */
export interface FileSources {
  readonly manager: Pick<ContainerManager, 'containers'>;
  readonly files: ContainerFiles;
}

function containerOf({ manager }: FileSources, call: Call) {
  const id = keptContainerId(call.params['containerid'] ?? '');
  const container = manager.containers.get(id);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  return container;
}

/** The path that is asked for, as bytes. @throws Failure BAD_REQUEST for a path that is said twice, or is no base64 */
function pathOf({ query }: Call): Buffer {
  const [path, base64] = [query.first('path'), query.first('pathBase64')];
  if (base64 === undefined) return Buffer.from(path ?? '', 'utf8');
  const bytes = Buffer.from(base64, 'base64');
  if (path !== undefined) throw failure('BAD_REQUEST', { reason: 'path and pathBase64 cannot both be given' });
  if (withoutTrailing(bytes.toString('base64'), '=') !== withoutTrailing(base64, '='))
    throw failure('BAD_REQUEST', { reason: 'pathBase64 is no base64' });
  return bytes;
}

/** `GET /api/v1/containers/{containerid}/files`. */
export async function listContainerFiles(sources: FileSources, call: Call): Promise<Answer> {
  return json(await sources.files.list(call.caller as Caller, containerOf(sources, call), pathOf(call)), 200, noStore);
}

const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** `GET /api/v1/containers/{containerid}/files/content`: bytes that no browser shows as anything but a download. */
export async function readContainerFile(sources: FileSources, call: Call): Promise<Answer> {
  const path = pathOf(call);
  const length = Math.min(mostFileBytes, readNumber(call.query, 'length', { usual: mostFileBytes }));
  const follow = readFlag(call.query, 'follow');
  const part = { offset: readNumber(call.query, 'offset', { usual: 0, least: Number.MIN_SAFE_INTEGER }), length, follow };
  const file = await sources.files.read(call.caller as Caller, containerOf(sources, call), path, part);
  const name = encodeURIComponent(path.toString('utf8').split('/').at(-1) ?? '').replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16)}`,
  );
  const headers = {
    ...noStore,
    'content-disposition': `attachment; filename*=UTF-8''${name}`,
    [fileHeaders.bytes]: String(file.bytes),
    [fileHeaders.start]: String(file.start),
    [fileHeaders.modifiedTime]: String(file.modifiedTime),
  };
  // One that is followed says nothing by which it would be seen that nobody reads it any more.
  if (call.signal.aborted) void file.close();
  call.signal.addEventListener('abort', () => void file.close(), { once: true });
  return stream(200, 'application/octet-stream', file.contents, headers, file.close);
}
