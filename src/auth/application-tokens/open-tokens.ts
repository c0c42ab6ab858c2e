// The tokens of applications as a server's settings want them.
import type { Configuration } from '../../config/load.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { rpcSettings } from '../../config/settings/rpc.ts';
import type { Clock } from '../../lib/clock.ts';
import { ContainerTokens, MasterTokens, NodeTokens, tokenKinds } from './application-tokens.ts';
import { ClientTokens } from './client-tokens.ts';
import { TokenKeys } from './token-keys.ts';

/** Tokens that the resource manager issues for nodes and that nodes check; `root` is the cluster's key of container tokens. */
export interface TokensOfNodes {
  readonly nodes: NodeTokens;
  readonly containers: ContainerTokens;
}

export function tokensOfNodes(configuration: Configuration, clock: Clock, root: Buffer): TokensOfNodes {
  const { nodeKeySeconds, containerKeySeconds } = configuration.values(rpcSettings);
  const keys = (kind: string, seconds: number) => new TokenKeys({ root, kind, rollingMs: seconds * 1000, sinceMs: clock.now(), clock });
  return {
    nodes: new NodeTokens(keys(tokenKinds.node, nodeKeySeconds)),
    containers: new ContainerTokens(keys(tokenKinds.container, containerKeySeconds)),
  };
}

/** All tokens of applications, as the resource manager issues them. */
export interface ApplicationTokens extends TokensOfNodes {
  readonly masters: MasterTokens;
  /** Absent where callers need no proof: masters believe names there, as Hadoop's do. */
  readonly clients?: ClientTokens | undefined;
}

/** `masterTokenKey` is the root of the keys of masters' tokens, which no node knows. */
export function applicationTokens(
  configuration: Configuration,
  clock: Clock,
  { containerTokenKey, masterTokenKey }: { readonly containerTokenKey: Buffer; readonly masterTokenKey: Buffer },
): ApplicationTokens {
  const rollingMs = configuration.values(rpcSettings).masterKeySeconds * 1000;
  const masters = new MasterTokens(
    new TokenKeys({ root: masterTokenKey, kind: tokenKinds.master, rollingMs, sinceMs: clock.now(), clock }),
  );
  const isSecure = configuration.values(commonSettings).securityAuthentication !== 'simple';
  const clients = isSecure ? new ClientTokens(masterTokenKey) : undefined;
  return { ...tokensOfNodes(configuration, clock, containerTokenKey), masters, clients };
}
