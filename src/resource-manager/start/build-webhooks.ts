// The webhooks, where they may go, and what they go on with.
import { webhookTargets } from '../../config/allowed-targets.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import type { Random } from '../../lib/random.ts';
import type { Access } from '../security/access.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import { TargetRefused, WebhookTargets } from '../webhooks/webhook-targets.ts';
import { Webhooks } from '../webhooks/webhooks.ts';
import type { Starting } from './starting.ts';

/** What was built. */
export interface BuiltWebhooks {
  readonly hooks: Webhooks;
  /** Why a hook may not go there; undefined: it may, or its name cannot be looked up now. */
  readonly refusalOf: (url: URL) => Promise<string | undefined>;
  readonly random: Pick<Random, 'bytes'>;
}

/** Builds them; deliveries that an earlier process owed begin. @throws ConfigurationError for allowed hosts that cannot be read */
export function buildWebhooks(
  { configuration, clock, random, logger, closer }: Starting,
  store: WebhookStore,
  access: Access,
): BuiltWebhooks {
  const allowed = webhookTargets(configuration);
  const targets = new WebhookTargets(allowed);
  const { believesNames } = authenticationRules(configuration, false);
  const hooks = new Webhooks({ store, access, targets, clock, random, logger, believesNames });
  closer.add('webhooks', () => hooks.close());
  return {
    hooks,
    random,
    async refusalOf(url) {
      try {
        await targets.addressesOf(url);
        return undefined;
      } catch (error) {
        return error instanceof TargetRefused ? error.message : undefined;
      }
    },
  };
}
