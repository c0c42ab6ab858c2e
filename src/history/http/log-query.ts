// The search through aggregated logs (`/extended-log-query`): ExtendedLogMetaRequest of Hadoop 3.4. It goes through the logs of the
// user the server runs as; ids are compared as texts, so that one which is no id finds nothing.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Query } from '../../http/query.ts';
import { type BoundedPattern, boundedPattern, PatternTooSlow } from '../../lib/bounded-pattern.ts';
import { parseLong } from '../../lib/java-number.ts';
import { failure } from '../../model/errors.ts';
import { type AggregatedLogTree, listContainerLogs, userLogFolder } from '../../wire/files/aggregated-log-folder.ts';
import { aggregatedLogsView, type ContainerLogsInfo } from '../../wire/history/container-logs.ts';

/** Most containers that one search gives. */
const maximumFound = 10_000;

type Comparison = (value: number) => boolean;

/** `>n`, `<n` and `n`, all of which must hold; of exact ones there may be only one. */
function comparison(texts: readonly string[]): Comparison {
  const number = (text: string) => {
    const value = parseLong(text);
    if (value === undefined) throw failure('BAD_NUMBER', { value: text });
    return value;
  };
  const exact = texts.filter((text) => !/^[<>]/.test(text));
  if (exact.length > 1) throw failure('LOGS_TWO_EXACT', { values: exact.join(' ') });
  const all = texts.map((text): Comparison => {
    const bound = number(text.replace(/^[<>]/, ''));
    if (text.startsWith('>')) return (value) => value > bound;
    if (text.startsWith('<')) return (value) => value < bound;
    return (value) => value === bound;
  });
  return (value) => all.every((one) => one(value));
}

function pattern(text: string | undefined, what: string): BoundedPattern['matches'] {
  if (text === undefined) return () => true;
  const bad = () => failure('LOGS_PATTERN_BAD', { what });
  let made: BoundedPattern;
  try {
    made = boundedPattern(text);
  } catch {
    throw bad();
  }
  return (candidate) => {
    try {
      return made.matches(candidate);
    } catch (error) {
      throw error instanceof PatternTooSlow ? bad() : error;
    }
  };
}

/** Searches. @throws Failure LOGS_PATTERN_BAD, LOGS_TWO_EXACT, BAD_NUMBER */
export async function searchLogs(tree: AggregatedLogTree, user: string, query: Query): Promise<ContainerLogsInfo[]> {
  const file = pattern(query.first('filename'), 'Filename');
  const node = pattern(query.first('nm.id'), 'Node Id');
  const size = comparison(query.all('file_size'));
  const modified = comparison(query.all('modification_time'));
  const applicationId = query.first('appid');
  const containerId = query.first('containerid');
  const found: ContainerLogsInfo[] = [];
  const root = userLogFolder(tree, user);
  for (const bucket of await readdir(root).catch(() => [])) {
    for (const application of await readdir(join(root, bucket)).catch(() => [])) {
      if (applicationId !== undefined && application !== applicationId) continue;
      const filter = { node, ...(containerId === undefined ? {} : { containerId }) };
      for (const logs of await listContainerLogs(join(root, bucket, application), filter)) {
        if (!modified(Math.trunc(logs.nodeFile.modifiedMs))) continue;
        const files = logs.files.filter(({ name, sizeBytes }) => size(sizeBytes) && file(name));
        if (files.length > 0) found.push(aggregatedLogsView({ ...logs, files }, 'number'));
        if (found.length >= maximumFound) return found;
      }
    }
  }
  return found;
}
