// Settings of who is believed to be whom, beside Hadoop's own: bearer tokens and an OpenID Connect issuer.
import { defineSettings } from '../table.ts';

/** Bearer tokens and sign-in. */
export const securitySettings = defineSettings({
  authentication: {
    key: 'heddle.security.authentication',
    type: 'list',
    about:
      "Ways in which callers must prove who they are: bearer (tokens of `heddle token`), oidc (those as well, and tokens and sign-in of heddle.security.oidc.issuer), simple (a name is believed, too). Empty: as Hadoop's settings say, with tokens of `heddle token` counting beside.",
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
  oidcIssuer: {
    key: 'heddle.security.oidc.issuer',
    type: 'string',
    about: 'Address of the OpenID Connect issuer that is believed, exactly as it names itself.',
  },
  oidcAudience: {
    key: 'heddle.security.oidc.audience',
    type: 'list',
    about: 'For whom its tokens have to be made out (claim aud), to be taken as bearer tokens; empty: none is, people sign in alone.',
  },
  oidcJwksUri: {
    key: 'heddle.security.oidc.jwks-uri',
    type: 'string',
    about: "Where the issuer's keys are; without it, where its own description says.",
  },
  oidcAlgorithms: {
    key: 'heddle.security.oidc.algorithms',
    type: 'list',
    default: 'RS256,PS256,ES256,ES384,EdDSA,Ed25519',
    about: 'Signatures that are taken. Those with a shared secret cannot be named.',
  },
  oidcUserClaim: {
    key: 'heddle.security.oidc.user-claim',
    type: 'string',
    default: 'sub',
    about:
      'Claim that is the name of the user; name another one, such as preferred_username, only where people cannot change it themselves.',
  },
  oidcUserDomain: {
    key: 'heddle.security.oidc.user-domain',
    type: 'string',
    about: 'Domain that is cut off from names of users like addresses; names with others are refused. Without it, names with an @ are.',
  },
  oidcGroupsClaim: {
    key: 'heddle.security.oidc.groups-claim',
    type: 'string',
    default: 'groups',
    about: 'Claim that lists groups of the user; they count in access lists beside those of the operating system. Empty: none.',
  },
  oidcScopeMapping: {
    key: 'heddle.security.oidc.scope-mapping',
    type: 'list',
    about: 'What scopes of the issuer (claim scope or scp) are here: THEIRS=read, THEIRS=submit or THEIRS=admin; the widest counts.',
  },
  oidcUsualScope: {
    key: 'heddle.security.oidc.default-scope',
    type: 'string',
    default: 'submit',
    oneOf: ['none', 'read', 'submit', 'admin'],
    about: 'Scope of tokens and sign-ins that have none of these; none: they are refused.',
  },
  oidcClockSkewMs: {
    key: 'heddle.security.oidc.clock-skew',
    type: 'durationMs',
    default: '60s',
    minimum: 0,
    maximum: 600_000,
    about: "How far the issuer's clock may be from this one.",
  },
  oidcKeysUsableMs: {
    key: 'heddle.security.oidc.keys-usable',
    type: 'durationMs',
    default: '24h',
    minimum: 0,
    about: "How long the issuer's keys count while it cannot be reached; otherwise they are read again every ten minutes.",
  },
  oidcClientId: {
    key: 'heddle.security.oidc.client-id',
    type: 'string',
    about: 'What the issuer knows this cluster as; with it people sign in to the pages.',
  },
  oidcClientSecretFile: {
    key: 'heddle.security.oidc.client-secret-file',
    type: 'path',
    about: 'File with the secret of that client; without it the client has none.',
  },
  oidcSignInScopes: {
    key: 'heddle.security.oidc.sign-in-scopes',
    type: 'list',
    default: 'openid,profile',
    about: 'What the issuer is asked for when a user signs in.',
  },
  oidcReturnUrl: {
    key: 'heddle.security.oidc.return-url',
    type: 'string',
    about:
      'Where the issuer sends people back to, for one server behind a gateway: …/heddle/sign-in/return. Without it, the address under which they called.',
  },
  oidcSessionMs: {
    key: 'heddle.security.oidc.session',
    type: 'durationMs',
    default: '8h',
    minimum: 60_000,
    about: 'How long a user stays signed in.',
  },
});

/** The words that `heddle.security.authentication` may hold. */
export const authenticationWays = ['bearer', 'oidc', 'simple'] as const;
