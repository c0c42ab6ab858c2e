import type { ErrorEntry } from '../../src/model/errors/entry.ts';
import { errorCatalogue } from '../../src/model/errors.ts';
import { cell, code, pageHead, table } from './markdown.ts';

/** Every error of the catalogue. */
export function errorsPage(): string {
  const rows = Object.entries<ErrorEntry>(errorCatalogue)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, entry]) => [
      code(name),
      String(entry.status),
      code(entry.javaClass.split('.').at(-1)),
      cell(entry.message),
      cell(entry.remedy),
    ]);
  return [
    pageHead(
      'Errors',
      'Errors are answered in the format the caller asked for, as `RemoteException` documents with the name of the Java exception that clients of\nHadoop expect, unless Hadoop answers a text or a page there. `{…}` stands for what the call was about.',
    ),
    table(['code', 'status', 'exception', 'message', 'what to do'], rows),
  ].join('\n');
}
