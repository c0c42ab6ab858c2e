// Settings of who is believed to be whom, beside Hadoop's own: bearer tokens.
import { defineSettings } from '../table.ts';

/** Bearer tokens. */
export const securitySettings = defineSettings({
  authentication: {
    key: 'heddle.security.authentication',
    type: 'list',
    about:
      "Ways in which callers must prove who they are: bearer (tokens of `heddle token`), simple (a name is believed, too). Empty: as Hadoop's settings say, with tokens of `heddle token` counting beside.",
  },
  tokenFile: {
    key: 'heddle.security.token-file',
    type: 'path',
    about: 'File with the bearer token by which commands prove who calls; its owner alone may read it.',
  },
  serviceSecretFile: {
    key: 'heddle.security.service-secret-file',
    type: 'path',
    default: '${heddle.data}/secrets/services',
    about:
      'File with the secret by which servers, and commands of who may read it, prove to each other that they belong to the cluster; the same for all servers but node managers, which need none.',
  },
  tokenLifetimeMs: {
    key: 'heddle.security.tokens.lifetime',
    type: 'durationMs',
    default: '90d',
    minimum: 1000,
    about: 'How long a bearer token lasts that was asked for without a time.',
  },
  tokenMaximumLifetimeMs: {
    key: 'heddle.security.tokens.maximum-lifetime',
    type: 'durationMs',
    default: '366d',
    minimum: 1000,
    about: 'Longest time for which a bearer token may be asked for.',
  },
});

/** The words that `heddle.security.authentication` may hold. */
export const authenticationWays = ['bearer', 'simple'] as const;
