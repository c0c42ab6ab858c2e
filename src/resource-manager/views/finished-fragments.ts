// The texts an ended application is stored with.
import type { Application } from '../applications/application.ts';
import type { Fragments } from '../store/resource-manager-store.ts';
import type { Shown } from './parts.ts';

/** The texts an ended application is stored with, for lists. */
export const renderFinished = ({ fragments, scheme }: Shown, application: Application): Fragments => ({
  json: fragments.fresh(application, 'json', scheme),
  xml: fragments.fresh(application, 'xml', scheme),
});
