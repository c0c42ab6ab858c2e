// Tokens by which masters are known to the resource manager and to nodes, as Hadoop's clients carry them: identifiers in its messages,
// passwords by HMAC (AMRMTokenSecretManager, NMTokenSecretManagerInRM, RMContainerTokenSecretManager).
import { BoundedMap } from '../../lib/bounded-map.ts';
import { checked } from '../../lib/json-shape.ts';
import { parseNodeId } from '../../model/ids.ts';
import { nodeResourceMessage } from '../../wire/rpc/amounts.ts';
import { decode, encode, MalformedMessage } from '../../wire/rpc/codec.ts';
import { attemptIdMessage, attemptIdText, containerIdMessage, containerIdText, nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { Decoded, Encodable, Message } from '../../wire/rpc/message.ts';
import { AMRMTokenIdentifierProto, ContainerTokenIdentifierProto, NMTokenIdentifierProto } from '../../wire/rpc/tables/tokens.ts';
import { type ContainerTokenContent, containerTokenContent } from '../container-token.ts';
import type { TokenText } from '../delegation/token-text.ts';
import { isSameSecret } from '../secrets.ts';
import type { TokenKeys } from './token-keys.ts';

/** Kinds of tokens, as Hadoop's selectors look for them. */
export const tokenKinds = { master: 'YARN_AM_RM_TOKEN', node: 'NMToken', container: 'ContainerToken' } as const;

function decoded<M extends Message>(message: M, bytes: Uint8Array): Decoded<M> | undefined {
  try {
    return decode(message, bytes);
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}

/** What a master shows to the resource manager. */
export interface MasterIdentity {
  readonly attemptId: string;
  /** The key that signed it. */
  readonly keyId: number;
}

/** How many tokens of masters are kept as they were issued. */
const mostIssued = 10_000;

/** Tokens of masters for the resource manager; its keys are known to the resource manager alone. */
export class MasterTokens {
  readonly #keys: TokenKeys;
  /** By attempt, those of one key: long lists ask for the same ones again and again. */
  readonly #issued = new BoundedMap<string, TokenText>(mostIssued);
  #issuedWith = Number.NaN;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  /** The id of the key that signs now: a master whose token is of another one is given a new token. */
  get currentKeyId(): number {
    return this.#keys.currentId;
  }

  /** The token of an attempt's master under the key of the moment; it is not to be changed. */
  issue(attemptId: string): TokenText {
    const keyId = this.#keys.currentId;
    if (this.#issuedWith !== keyId) this.#issued.clear();
    this.#issuedWith = keyId;
    const known = this.#issued.get(attemptId);
    if (known) return known;
    const token = this.#made(attemptId, keyId);
    this.#issued.set(attemptId, token);
    return token;
  }

  #made(attemptId: string, keyId: number): TokenText {
    const identifier = Buffer.from(encode(AMRMTokenIdentifierProto, { appAttemptId: attemptIdMessage(attemptId), keyId }));
    return { identifier, password: this.#keys.password(keyId, identifier), kind: tokenKinds.master, service: '' };
  }

  /** What an identifier says, proved or not; undefined where it is none. */
  read(identifier: Uint8Array): MasterIdentity | undefined {
    const content = decoded(AMRMTokenIdentifierProto, identifier);
    return content?.appAttemptId && { attemptId: attemptIdText(content.appAttemptId), keyId: content.keyId };
  }

  /** The password of an identifier; undefined where it is none, or its key counts no longer. */
  passwordOf(identifier: Uint8Array): Buffer | undefined {
    const keyId = this.read(identifier)?.keyId;
    return keyId !== undefined && this.#keys.counts(keyId) ? this.#keys.password(keyId, identifier) : undefined;
  }
}

/** What a master shows to a node. */
export interface NodeCallerIdentity {
  readonly attemptId: string;
  readonly nodeId: string;
  /** Whose application it is. */
  readonly user: string;
  readonly keyId: number;
}

/** Tokens of masters for nodes. */
export class NodeTokens {
  readonly #keys: TokenKeys;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  get currentKeyId(): number {
    return this.#keys.currentId;
  }

  issue({ attemptId, nodeId, user }: Omit<NodeCallerIdentity, 'keyId'>): TokenText {
    const keyId = this.#keys.currentId;
    const said = { appAttemptId: attemptIdMessage(attemptId), nodeId: nodeIdMessage(nodeId), appSubmitter: user, keyId };
    const identifier = Buffer.from(encode(NMTokenIdentifierProto, said));
    return { identifier, password: this.#keys.password(keyId, identifier), kind: tokenKinds.node, service: tokenService(nodeId) };
  }

  /** What an identifier says, proved or not; undefined where it is none. */
  read(identifier: Uint8Array): NodeCallerIdentity | undefined {
    const content = decoded(NMTokenIdentifierProto, identifier);
    if (!content?.appAttemptId || !content.nodeId) return undefined;
    const { host = '', port = 0 } = content.nodeId;
    return {
      attemptId: attemptIdText(content.appAttemptId),
      nodeId: `${host}:${port}`,
      user: content.appSubmitter ?? '',
      keyId: content.keyId,
    };
  }

  /**
   * The password of an identifier; undefined where it is none. One whose key has had its turn counts where `isKnown` says that the node
   * runs something of its attempt: a master gets one token for a node, however long it works there (NMTokenSecretManagerInNM).
   */
  passwordOf(identifier: Uint8Array, isKnown: (attemptId: string) => boolean): Buffer | undefined {
    const content = this.read(identifier);
    if (!content || !(this.#keys.counts(content.keyId) || isKnown(content.attemptId))) return undefined;
    return this.#keys.password(content.keyId, identifier);
  }
}

/** What a container's token says beside the order. */
export interface ContainerTokenFacts {
  /** When the resource manager that gave the container started, ms since the epoch. */
  readonly resourceManagerStartedMs: number;
  readonly createdMs: number;
  readonly labelExpression?: string | undefined;
  /** Grows with each change of size or kind. */
  readonly version: number;
  readonly allocationRequestId?: number | undefined;
}

/** What the token of a container says. */
export interface ReadContainerToken extends Pick<ContainerTokenFacts, 'version' | 'resourceManagerStartedMs'> {
  readonly content: ContainerTokenContent;
}

/** Tokens that let a master start a container on its node. */
export class ContainerTokens {
  readonly #keys: TokenKeys;

  constructor(keys: TokenKeys) {
    this.#keys = keys;
  }

  issue(content: ContainerTokenContent, facts: ContainerTokenFacts): TokenText {
    const keyId = this.#keys.currentId;
    const identifier = Buffer.from(encode(ContainerTokenIdentifierProto, identifierOf(content, facts, keyId)));
    const service = tokenService(content.nodeId);
    return { identifier, password: this.#keys.password(keyId, identifier), kind: tokenKinds.container, service };
  }

  /**
   * What a token says; undefined where it was not signed by the cluster. How long it may be used says `expiresMs`, which
   * the reader compares.
   */
  read(identifier: Uint8Array, password: Uint8Array): ReadContainerToken | undefined {
    const message = decoded(ContainerTokenIdentifierProto, identifier);
    if (message?.heddle_order === undefined) return undefined;
    if (!isSameSecret(Buffer.from(password), this.#keys.password(message.masterKeyId, identifier))) return undefined;
    const content = checked(containerTokenContent, JSON.parse(message.heddle_order)).value;
    return content && { content, version: message.version, resourceManagerStartedMs: message.rmIdentifier ?? 0 };
  }

  /** Of which container a token says to be, signed or not: for what its bearer is told. */
  claimedId(identifier: Uint8Array): string | undefined {
    const message = decoded(ContainerTokenIdentifierProto, identifier);
    return message?.containerId && containerIdText(message.containerId);
  }
}

function identifierOf(
  content: ContainerTokenContent,
  facts: ContainerTokenFacts,
  keyId: number,
): Encodable<typeof ContainerTokenIdentifierProto> {
  const { logAggregation } = content;
  return {
    containerId: containerIdMessage(content.containerId),
    nmHostAddr: content.nodeId,
    appSubmitter: content.user,
    resource: nodeResourceMessage(content.resource),
    expiryTimeStamp: content.expiresMs,
    masterKeyId: keyId,
    rmIdentifier: facts.resourceManagerStartedMs,
    priority: { priority: content.priority },
    creationTime: facts.createdMs,
    logAggregationContext: logAggregation && {
      include_pattern: logAggregation.includePattern,
      exclude_pattern: logAggregation.excludePattern,
      rolled_logs_include_pattern: logAggregation.rolledLogsIncludePattern,
      rolled_logs_exclude_pattern: logAggregation.rolledLogsExcludePattern,
      log_aggregation_policy_class_name: logAggregation.policyClassName,
      log_aggregation_policy_parameters: logAggregation.policyParameters,
    },
    nodeLabelExpression: facts.labelExpression,
    containerType: content.isMaster ? 'APPLICATION_MASTER' : 'TASK',
    executionType: content.executionType ?? 'GUARANTEED',
    version: facts.version,
    allocation_request_id: facts.allocationRequestId ?? -1,
    allocation_tags: content.allocationTags,
    heddle_order: JSON.stringify(content),
  };
}

/** Where a token of a node is shown, `address:port` (SecurityUtil.buildTokenService); clients put in what they connect to. */
function tokenService(nodeId: string): string {
  const { host, port } = parseNodeId(nodeId);
  return `${host === 'localhost' ? '127.0.0.1' : host}:${port}`;
}
