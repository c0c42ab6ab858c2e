// Priorities of applications in capacity queues: who may use which, and what changes when one is given.

import type { ApplicationPriorities, Priority, WantedPriority } from '../../abilities.ts';
import type { SchedulerSettings } from '../../policy.ts';
import type { CapacityApplication } from '../application.ts';
import type { QueueTree } from '../queues/tree.ts';
import { refusesPriority } from '../settings/permissions.ts';
import { addWaiting } from './activation.ts';

/** `changed` is called after an application's priority became another. */
export function capacityPriorities(
  tree: QueueTree,
  applications: ReadonlyMap<string, CapacityApplication>,
  settings: SchedulerSettings,
  changed: (application: CapacityApplication) => void,
): ApplicationPriorities {
  const check = (wanted: WantedPriority): Priority => {
    const refused = refusesPriority(tree, settings, wanted);
    return refused === undefined ? { priority: wanted.priority } : { refused };
  };
  return {
    check: (wanted) => check({ ...wanted, priority: wanted.priority ?? tree.get(wanted.queue)?.settings.defaultPriority ?? 0 }),
    checkChange: check,
    highest: () => settings.maximumPriority,
    set(applicationId, priority) {
      const application = applications.get(applicationId);
      const capped = Math.min(priority, settings.maximumPriority);
      if (!application || application.priority === capped) return capped;
      application.priority = capped;
      const leaf = application.queue.leaf!;
      const place = leaf.waiting.indexOf(application);
      if (place >= 0) {
        leaf.waiting.splice(place, 1);
        addWaiting(application.queue, application);
      }
      changed(application);
      return capped;
    },
  };
}
