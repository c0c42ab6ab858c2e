// The log of the server whose pages these are, line by line as it is written.
import type { ServerLogLine } from '../../wire/cluster/server-log.ts';
import { queryText, request } from './http.ts';

/** Which lines are wanted. */
export interface WantedLines {
  readonly level: string;
  readonly text: string;
  readonly request: string;
  /** Lines beyond this number. */
  readonly after: number;
}

/**
 * Reads lines until the server ends the stream. `told` has what came together, and the number up to which everything was told.
 * @throws ApiFailure
 */
export async function readServerLog(
  wanted: WantedLines,
  signal: AbortSignal,
  told: (news: { readonly lines: readonly ServerLogLine[]; readonly upTo: number; readonly writtenFrom?: string }) => void,
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
    let writtenFrom: string | undefined;
    for (const block of blocks) {
      const [id, event, data] = ['id', 'event', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]);
      if (id !== undefined) upTo = Number(id);
      if (data === undefined) continue;
      if (event === 'begin') writtenFrom = (JSON.parse(data) as { writtenFrom: string }).writtenFrom;
      else lines.push(JSON.parse(data) as ServerLogLine);
    }
    told({ lines, upTo, ...(writtenFrom !== undefined && { writtenFrom }) });
  }
}
