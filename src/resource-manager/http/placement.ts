// `/api/v1/placement`: which applications fill which nodes, for pages that show the whole cluster.
import { json } from '../../http/answers.ts';
import { readCount } from '../../http/query-number.ts';
import type { Call, Route } from '../../http/service.ts';
import { compareTexts } from '../../lib/text-order.ts';
import type { Placement } from '../../wire/cluster/own-answers.ts';
import type { Application } from '../applications/application.ts';
import type { Node } from '../nodes/node.ts';
import type { Parts } from '../views/parts.ts';

/** How many nodes are told of, and at most. */
const [usualNodes, mostNodes] = [100, 1000];

type Share = Placement['nodes'][number]['shares'][number];
const nothing = () => ({ containers: 0, memoryMiB: 0, vcores: 0 });

/** What each application has on a node, the largest first; that of applications which the caller may not view in one sum. */
function sharesOn({ containers }: Node, { view }: Parts['cluster'], isShown: (application: Application) => boolean) {
  const shares = new Map<string, Share>();
  const hidden = nothing();
  for (const id of containers) {
    const container = view.container(id);
    const application = container && view.application(container.applicationId);
    if (!container || !application) continue;
    let into: ReturnType<typeof nothing> | undefined = shares.get(application.id);
    if (!into && isShown(application)) {
      const share = { applicationId: application.id, ...nothing() };
      shares.set(application.id, share);
      into = share;
    }
    into ??= hidden;
    into.containers += 1;
    into.memoryMiB += container.resource[0] ?? 0;
    into.vcores += container.resource[1] ?? 0;
  }
  return {
    shares: [...shares.values()].sort((a, b) => b.memoryMiB - a.memoryMiB || compareTexts(a.applicationId, b.applicationId)),
    hidden,
  };
}

/** `GET /api/v1/placement`. */
function placementOf({ cluster, access }: Parts, { query, user }: Call): Placement {
  const most = readCount(query, 'limit', { usual: usualNodes, most: mostNodes });
  const sorted = [...cluster.view.nodes()].sort((a, b) => compareTexts(a.id, b.id));
  const shown = new Map<Application, boolean>();
  const isShown = (application: Application): boolean => {
    const known = shown.get(application) ?? access.mayView(application, user);
    shown.set(application, known);
    return known;
  };
  const nodes = sorted.slice(0, most).map((node) => ({ id: node.id, ...sharesOn(node, cluster, isShown) }));
  const applications = [...shown].flatMap(([{ id, submission, user: owner, queue }, isVisible]) =>
    isVisible ? [{ id, name: submission.name, user: owner, queue }] : [],
  );
  return { nodes, applications: applications.sort((a, b) => compareTexts(a.id, b.id)), more: sorted.length > most };
}

/** The routes of this file. */
export const placementRoutes = (parts: Parts): Route<never>[] => [
  {
    method: 'GET',
    path: '/api/v1/placement',
    produces: ['json'],
    about:
      'What each application has on each node, nodes in the order of their ids; of applications that the caller may not view the sum alone.',
    access: 'overview',
    handle: (call) => json(placementOf(parts, call)),
  },
];
