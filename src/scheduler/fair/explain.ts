// Why an application of the fair policy waits, in Hadoop's words.

import { resourceText } from '../../model/resource.ts';
import type { OpenRequest } from '../state/model.ts';
import type { FairApplication } from './queue.ts';

/** The diagnostics of an application that waits for its master, without the date. */
export function waitingText(application: FairApplication, master: OpenRequest | undefined): string {
  const before = 'Application is added to the scheduler and is not yet activated. ';
  const request = ` (Resource request: ${resourceText(master?.resource ?? [])}`;
  switch (application.reason) {
    case 'am-share':
      return `${before}${request} exceeds maximum AM resource allowed).`;
    case 'queue-limit':
      return `${before}The queue "${application.queue.path}" has reached the maximum limit of runnable applications.`;
    case 'user-limit':
      return `${before}The user "${application.user}" has reached the maximum limit of runnable applications.`;
    case 'reserved':
      return `${before}${request} exceeds the available resources of the node and the request is reserved)`;
    case 'not-reserved':
      return `${before}${request} exceeds the available resources of the node and the request cannot be reserved)`;
    case 'maximum':
      return `${before}${request} exceeds current queue or its parents maximum resource allowed). Max share of queue: ${resourceText(application.queue.maximum())}`;
    default:
      return '';
  }
}
