import type { DeclaredPath } from '../../src/http/route.ts';
import { cell, code, pageHead, table } from './markdown.ts';
import { servers } from './servers.ts';

/** The paths of a service in their order; methods with the same meaning share a line. */
export function linesOf(declared: readonly DeclaredPath[]): (Omit<DeclaredPath, 'method'> & { methods: string })[] {
  const lines = new Map<string, DeclaredPath & { names: string[] }>();
  for (const one of declared) {
    if (one.refuses) continue;
    const key = `${one.path} ${one.about ?? ''} ${one.access}`;
    const line = lines.get(key) ?? { ...one, names: [] };
    lines.set(key, line);
    line.names.push(one.method);
  }
  return [...lines.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { names, ...line }]) => ({ ...line, methods: names.sort().join(', ') }));
}

/** Every path of every server with its methods. */
export async function routesPage(): Promise<string> {
  const parts = [
    pageHead(
      'Routes',
      '`:name` stands for one part of a path, `*` for the rest. Every path also answers OPTIONS, and HEAD where it answers GET. What lies under\n`/ws/v1`, `/ws/v2` and `/proxy` is what YARN has there; what Heddle adds lies under `/api/v1`. Who may use what: [access](access.md).',
    ),
  ];
  for (const { title, service } of await servers()) {
    const rows = linesOf(service.declared).map(({ methods, path, about }) => [methods, code(path), cell(about)]);
    parts.push(`## ${title}\n`, table(['method', 'path', 'meaning'], rows));
  }
  return parts.join('\n');
}
