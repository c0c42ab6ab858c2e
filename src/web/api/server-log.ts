// The log of the server whose pages these are, line by line as it is written.
import type { ServerLog, ServerLogLine } from '../../wire/cluster/server-log.ts';
import { queryText, request } from './http.ts';

/** Which lines are wanted. */
export interface WantedLines {
  readonly level: string;
  readonly text: string;
  readonly request: string;
  /** Lines beyond this number. */
  readonly after: number;
}

/** How much the server writes: from which level on, and until when where that was changed for a time. */
export type WrittenLevel = Pick<ServerLog, 'writtenFrom' | 'change'>;

/**
 * Reads lines until the server ends the stream. `told` has what came together, and the number up to which everything was told.
 * @throws ApiFailure
 */
export async function readServerLog(
  wanted: WantedLines,
  signal: AbortSignal,
  told: (news: { readonly lines: readonly ServerLogLine[]; readonly upTo: number; readonly written?: WrittenLevel }) => void,
): Promise<void> {
  const answer = await request(`api/v1/server-log${queryText({ ...wanted })}`, { accept: 'text/event-stream', signal });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let upTo = wanted.after;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    const blocks = (rest + value).split('\n\n');
    rest = blocks.pop() ?? '';
    const lines: ServerLogLine[] = [];
    let written: WrittenLevel | undefined;
    for (const block of blocks) {
      const [id, event, data] = ['id', 'event', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]);
      if (id !== undefined) upTo = Number(id);
      if (data === undefined) continue;
      if (event === 'begin') written = JSON.parse(data) as WrittenLevel;
      else lines.push(JSON.parse(data) as ServerLogLine);
    }
    told({ lines, upTo, ...(written !== undefined && { written }) });
  }
}
