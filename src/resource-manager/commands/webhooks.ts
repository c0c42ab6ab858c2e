// Webhooks: made by their user; seen, redelivered and removed by their user, and by administrators for everybody. What reaches them, and what
// they may reach, is in `webhooks/`.
import type { Audit, AuditedOperation } from '../../auth/audit-log.ts';
import type { Random } from '../../lib/random.ts';
import { failure } from '../../model/errors.ts';
import { type Caller, isProved } from './caller.ts';
import { mustNotBeNarrow } from './token-limits.ts';

/** What a hook is asked for. Names are full and checked. */
export interface WebhookRequest {
  readonly url: string;
  /** Absent: it is made. */
  readonly secret?: string | undefined;
  readonly applications?: readonly string[] | undefined;
  readonly users?: readonly string[] | undefined;
  readonly queues?: readonly string[] | undefined;
  readonly kinds?: readonly string[] | undefined;
}

/** A hook as it is kept. */
export interface KnownWebhook extends WebhookRequest {
  readonly id: string;
  readonly user: string;
  readonly secret: string;
  readonly createdMs: number;
  readonly proved: boolean;
}

/** How a hook fares. */
export interface WebhookFigures {
  readonly waiting: number;
  /** In this process. */
  readonly delivered: number;
  readonly failures: number;
  /** Events that its user may not see any more when they were to be sent. */
  readonly withheld: number;
  readonly deadLetters: number;
  readonly dropped: number;
  readonly lastDeliveredMs: number | undefined;
  readonly failingSinceMs: number | undefined;
  readonly lastFailure: string | undefined;
}

interface Standing {
  readonly hook: KnownWebhook;
  readonly figures: WebhookFigures;
}

/** An event that was given up. Times are ms since the epoch. */
export interface ShownLetter {
  readonly delivery: number;
  readonly kind: string;
  readonly madeMs: number;
  readonly tries: number;
  readonly deadMs: number;
  readonly reason: string;
}

export interface WebhookCommandPorts {
  readonly hooks: {
    list(): readonly Standing[];
    create(hook: Omit<KnownWebhook, 'id' | 'createdMs'>): Promise<Standing>;
    remove(id: string): Promise<void>;
    redeliver(id: string, deliveries: readonly number[] | undefined): Promise<number>;
    deadLetters(id: string): readonly (Omit<ShownLetter, 'delivery'> & { readonly number: number })[];
  };
  /** Why a hook may not go there; undefined: it may, or its name cannot be looked up now, and each delivery looks again. */
  readonly refusalOf: (url: URL) => Promise<string | undefined>;
  readonly access: { isAdministrator(user: string): boolean };
  readonly audit: Audit;
  readonly random: Pick<Random, 'bytes'>;
}

/** Most hooks of one user, and of all. */
const mostOfUser = 10;
const mostOfAll = 100;
/** The letters of a secret. */
const printable = /^[\x21-\x7e]+$/;

/** A hook as it is shown: without its secret. */
export type ShownWebhook = Omit<KnownWebhook, 'secret'> & WebhookFigures;
const shown = ({ hook: { secret: _, ...hook }, figures }: Standing): ShownWebhook => ({ ...hook, ...figures });

/**
 * Makes a hook of the caller's; its secret is told this once. Resolves when it is durable.
 * @throws Failure BAD_REQUEST, WEBHOOK_TARGET_REFUSED, WEBHOOK_TOO_MANY, WEBHOOK_BY_NARROW_TOKEN
 */
export async function createWebhook(
  ports: WebhookCommandPorts,
  caller: Caller,
  { url: address, secret, ...names }: WebhookRequest,
): Promise<ShownWebhook & { readonly secret: string }> {
  const { hooks, refusalOf, audit, random } = ports;
  const { user } = caller;
  const url = URL.parse(address);
  const operation = { operation: 'create webhook', target: url?.host ?? '' };
  mustNotBeNarrow(ports.audit, caller, operation, 'WEBHOOK_BY_NARROW_TOKEN');
  if (url === null || !/^https?:$/.test(url.protocol))
    throw failure('BAD_REQUEST', { reason: 'url must be an address with http or https' });
  if (url.username !== '' || url.password !== '') throw failure('BAD_REQUEST', { reason: 'url must have no user and no password' });
  if (secret !== undefined && !printable.test(secret))
    throw failure('BAD_REQUEST', { reason: 'secret must be of printable ASCII letters without blanks' });
  mustBeRoom(ports, user);
  const refusal = await refusalOf(url);
  if (refusal !== undefined)
    throw audit.refused(caller, operation, failure('WEBHOOK_TARGET_REFUSED', { target: url.host, reason: refusal }));
  // Others may have been made meanwhile.
  mustBeRoom(ports, user);
  const made = secret ?? `whsec_${random.bytes(32).toString('base64url')}`;
  const standing = await hooks.create({ ...names, url: url.href, user, secret: made, proved: isProved(caller) });
  audit.changed(caller, { ...operation, webhook: standing.hook.id });
  return { ...shown(standing), secret: made };
}

function mustBeRoom({ hooks }: WebhookCommandPorts, user: string): void {
  const all = hooks.list();
  const own = all.filter(({ hook }) => hook.user === user);
  if (own.length >= mostOfUser) throw failure('WEBHOOK_TOO_MANY', { whose: user, most: mostOfUser });
  if (all.length >= mostOfAll) throw failure('WEBHOOK_TOO_MANY', { whose: 'the cluster', most: mostOfAll });
}

/** The caller's hooks, or with `all` those of everybody. @throws Failure WEBHOOK_BY_NARROW_TOKEN, ONLY_ADMINISTRATORS */
export function listWebhooks(ports: WebhookCommandPorts, caller: Caller, all: boolean): readonly ShownWebhook[] {
  const operation = { operation: 'list webhooks', target: all ? 'all' : caller.user };
  mustNotBeNarrow(ports.audit, caller, operation, 'WEBHOOK_BY_NARROW_TOKEN');
  if (all && !ports.access.isAdministrator(caller.user)) throw ports.audit.refused(caller, operation, failure('ONLY_ADMINISTRATORS'));
  const wanted = ports.hooks.list().filter(({ hook }) => all || hook.user === caller.user);
  return wanted.map(shown);
}

/** One hook with the events that were given up for it. @throws Failure WEBHOOK_UNKNOWN, WEBHOOK_BY_NARROW_TOKEN */
export function showWebhook(
  ports: WebhookCommandPorts,
  caller: Caller,
  id: string,
): ShownWebhook & { readonly letters: readonly ShownLetter[] } {
  const standing = found(ports, caller, { operation: 'show webhook', target: id });
  const letters = ports.hooks.deadLetters(id).map(({ number, ...letter }) => ({ delivery: number, ...letter }));
  return { ...shown(standing), letters };
}

/** Removes a hook and all that it is owed; resolves when that is durable. @throws Failure WEBHOOK_UNKNOWN, WEBHOOK_BY_NARROW_TOKEN */
export async function removeWebhook(ports: WebhookCommandPorts, caller: Caller, id: string): Promise<{ readonly removed: string }> {
  const operation = { operation: 'remove webhook', target: id };
  const { hook } = found(ports, caller, operation);
  await ports.hooks.remove(id);
  ports.audit.changed(caller, { ...operation, for: hook.user });
  return { removed: id };
}

/** Dead letters (absent: all) are sent again; resolves when that is durable. @throws Failure WEBHOOK_UNKNOWN, WEBHOOK_BY_NARROW_TOKEN */
export async function redeliver(
  ports: WebhookCommandPorts,
  caller: Caller,
  id: string,
  deliveries: readonly number[] | undefined,
): Promise<{ readonly redelivered: number }> {
  const operation = { operation: 'redeliver to webhook', target: id };
  const { hook } = found(ports, caller, operation);
  const redelivered = await ports.hooks.redeliver(id, deliveries);
  ports.audit.changed(caller, { ...operation, for: hook.user });
  return { redelivered };
}

/** The hook, if it is the caller's or the caller administers: whose others are is not told. */
function found(ports: WebhookCommandPorts, caller: Caller, operation: AuditedOperation): Standing {
  mustNotBeNarrow(ports.audit, caller, operation, 'WEBHOOK_BY_NARROW_TOKEN');
  const { hooks, access, audit } = ports;
  const standing = hooks.list().find(({ hook }) => hook.id === operation.target);
  if (standing && (standing.hook.user === caller.user || access.isAdministrator(caller.user))) return standing;
  throw audit.refused(caller, operation, failure('WEBHOOK_UNKNOWN', { id: operation.target }));
}
