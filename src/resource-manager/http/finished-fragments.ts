// The texts an ended application is stored with.
import type { Application } from '../applications/application.ts';
import type { ResourceManagerContext } from '../context.ts';
import type { Fragments } from '../store/resource-manager-store.ts';
import { partsOf } from './parts.ts';

/** The texts an ended application is stored with, for lists. `context` is the resource manager's. */
export function renderFinished(context: ResourceManagerContext, application: Application): Fragments {
  const { fragments, scheme } = partsOf(context);
  return { json: fragments.fresh(application, 'json', scheme), xml: fragments.fresh(application, 'xml', scheme) };
}
