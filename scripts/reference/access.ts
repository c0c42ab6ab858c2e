import type { RouteAccess } from '../../src/auth/route-access.ts';
import { code, pageHead, table } from './markdown.ts';
import { linesOf } from './routes.ts';
import { servers } from './servers.ts';

/** Kinds of callers, the columns of the table. */
export const callerKinds = ['owner', 'listed', 'stranger', 'nobody', 'admin', 'expired', 'wrong scope'] as const;
export type CallerKind = (typeof callerKinds)[number];

/** What a caller gets: the thing, what of it is for everybody, or a refusal; `-`: there is no such caller; `ticket`: by Kerberos alone; `master`: its master decides. */
export type Access = 'yes' | 'part' | 'no' | '-' | 'ticket' | 'master';

/** What each kind of caller gets of a route. */
export const accessOf: Readonly<Record<RouteAccess, Readonly<Record<CallerKind, Access>>>> = {
  open: row('yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes'),
  'own-credentials': row('no', 'no', 'no', 'no', 'no', 'no', 'no'),
  facts: row('yes', 'yes', 'yes', 'yes', 'yes', 'no', '-'),
  overview: row('yes', 'yes', 'part', 'part', 'yes', 'no', '-'),
  view: row('yes', 'yes', 'no', 'no', 'yes', 'no', '-'),
  named: row('yes', 'yes', 'yes', 'no', 'yes', 'no', 'no'),
  submit: row('-', 'yes', 'no', 'no', 'yes', 'no', 'no'),
  modify: row('yes', 'yes', 'no', 'no', 'yes', 'no', 'no'),
  owner: row('yes', 'no', 'no', 'no', 'yes', 'no', 'no'),
  proven: row('ticket', '-', 'ticket', 'no', 'ticket', 'no', 'no'),
  relayed: row('master', 'master', 'master', 'master', 'master', 'no', '-'),
  admin: row('no', 'no', 'no', 'no', 'yes', 'no', 'no'),
};

function row(...cells: [Access, Access, Access, Access, Access, Access, Access]): Record<CallerKind, Access> {
  return Object.fromEntries(callerKinds.map((kind, index) => [kind, cells[index]!])) as Record<CallerKind, Access>;
}

const head = `Each route declares what it asks of its caller; this page is written from the declarations, and a test tries its cells against running
servers. It holds where access lists are on: \`yarn.acl.enable\`, for jobs \`mapreduce.cluster.acls.enabled\`, for reservations
\`yarn.acl.reservation-enable\` in queues that have lists of their own for them, and for the reader of timeline version 2
\`yarn.webapp.filter-entity-list-by-user\` (\`yarn.timeline-service.read.allowed.users\` are its list). Where they are off, every caller that authentication
lets in may do everything but what needs credentials of its own, and what is for an \`owner\` alone.

- **owner**: whose application, job, container, domain or reservation it is. **listed**: on the list of its viewers or modifiers, of the domain, or, at the
  resource manager alone, on the queue's list of administrators. **stranger**: any other user. **nobody**: a caller without a name; where the static user stands in (\`dr.who\`), a stranger of that name.
  **admin**: in \`yarn.admin.acl\` or \`mapreduce.cluster.administrators\`, for what goes into a queue and for reservations in the queue's list of
  administrators of that alone (\`acl_administer_queue\`, \`acl_administer_reservations\`), and the user who runs the
  server. **expired**: with a token that ended. **wrong scope**: with a bearer token of a scope that does not reach.
- **yes**; **part**: answered without what belongs to the owner, or without the entry; **no**: refused; **ticket**: only who proved the name by
  Kerberos; **master**: passed on with the caller's name to the master of the application, which decides; **-**: there is no such caller.
- A cookie that ended counts as none. \`own-credentials\` asks for the token of an attempt, of a container or of a job, or the cluster's secret: no name
  gets in without. An attempt's token, a domain, and what is told of an application in version 2 are for their owner alone: no list extends them.`;

/** Who may use which route. */
export async function accessPage(): Promise<string> {
  const parts = [pageHead('Access', head)];
  const needs = Object.entries(accessOf).map(([need, cells]) => [code(need), ...callerKinds.map((kind) => cells[kind])]);
  parts.push('## What routes need\n', table(['need', ...callerKinds], needs));
  for (const { title, service } of await servers()) {
    const rows = linesOf(service.declared).map(({ methods, path, access = 'admin' }) => [
      methods,
      code(path),
      code(access),
      ...callerKinds.map((kind) => accessOf[access][kind]),
    ]);
    parts.push(`## ${title}\n`, table(['method', 'path', 'need', ...callerKinds], rows));
  }
  return parts.join('\n');
}
