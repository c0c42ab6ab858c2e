// The webhooks, where they may go, and what they go on with.
import { commonSettings } from '../../config/settings/common.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { ConfigurationError } from '../../config/table.ts';
import type { Random } from '../../lib/random.ts';
import type { Access } from '../security/access.ts';
import type { WebhookStore } from '../webhooks/webhook-store.ts';
import { TargetRefused, unreadableHosts, WebhookTargets } from '../webhooks/webhook-targets.ts';
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
  const { webhookAllowedHosts: allowed } = configuration.values(heddleSettings);
  const { key } = heddleSettings.webhookAllowedHosts;
  const [unreadable] = unreadableHosts(allowed);
  if (unreadable !== undefined)
    throw new ConfigurationError(
      configuration.origin(key)?.source ?? 'defaults',
      key,
      `'${unreadable}' is neither a host nor a network`,
      'Name hosts such as hooks.example.org or 10.0.0.5:8080, and networks such as 10.0.0.0/8.',
    );
  const targets = new WebhookTargets(allowed);
  const believesNames = configuration.values(commonSettings).securityAuthentication === 'simple';
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
