// What an unmodified timeline server told over RPC of the applications that were put into it: the entities, questions and answers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RefusedCall, RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import { applicationHistoryProtocol as protocol } from '../../src/wire/rpc/protocols/application-history.ts';
import type { TimelineEntity } from '../../src/wire/timeline/entity.ts';

/** What was put. */
export interface RecordedEntities {
  readonly entities: readonly TimelineEntity[];
}

/** Who asked what, and what it was answered; the address of the web server stands in braces. */
export interface RecordedAnswer {
  readonly user: string;
  readonly method: keyof (typeof protocol)['methods'];
  readonly request: object;
  readonly answer?: unknown;
  /** Class and first line of an exception. */
  readonly refused?: { readonly class: string | undefined; readonly message: string | undefined };
}

const file = join(import.meta.dirname, '../compatibility/rpc/application-history.jsonl');

/** The recording. */
export function recordingOf(): { readonly entities: RecordedEntities; readonly recorded: readonly RecordedAnswer[] } {
  const [entities = '', ...recorded] = readFileSync(file, 'utf8').trim().split('\n');
  return { entities: JSON.parse(entities) as RecordedEntities, recorded: recorded.map((line) => JSON.parse(line) as RecordedAnswer) };
}
recordingOf.file = file;

/** What a server says to a question now; `web`: the base URL of its web server. */
export async function asked(address: string, web: string, { user, method, request }: RecordedAnswer): Promise<RecordedAnswer> {
  using client = RpcTestClient.named(address, user, protocol.name);
  try {
    const answer = await client.call(protocol, method, readRequest(request) as never);
    return { user, method, request, answer: JSON.parse(asText(answer).replaceAll(web, '{web}')) as unknown };
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    const { exceptionClassName, errorMsg } = error.header;
    return { user, method, request, refused: { class: exceptionClassName, message: errorMsg?.split('\n')[0] } };
  }
}

const asText = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value));

/** The request of a line: ids of containers have 64 bits, tokens bytes. */
const readRequest = (request: object): unknown =>
  JSON.parse(JSON.stringify(request), (key, value: unknown) => {
    if (key === 'container_id') return { ...(value as object), id: BigInt((value as { id: number }).id) };
    return key === 'identifier' || key === 'password' ? Buffer.from(value as string, 'base64') : value;
  });
