// Timeline v1 without its protocol: which callers may put and read what (TimelineDataManager), with puts accepted at once, committed in
// groups and held back when the store falls behind.
import type { Clock } from '../../lib/clock.ts';
import { type Failure, failure } from '../../model/errors.ts';
import { applicationIdOfAttempt, applicationIdOfContainer, InvalidId } from '../../model/ids.ts';
import type { Database } from '../../storage/sqlite.ts';
import { putErrorCodes, type TimelineDomain, type TimelineEntity, type TimelinePutError } from '../../wire/timeline/entity.ts';
import { applicationNames, attemptNames, containerNames, isSystemType } from '../../wire/timeline/system-names.ts';
import { type DomainStore, defaultDomainId, type StoredDomain } from '../store/domain-store.ts';
import type { EntityEvents } from '../store/entity-lists.ts';
import { type EntityField, type EntityHead, type EntityQuery, type EventQuery, entityFields } from '../store/entity-query.ts';
import type { EntityPut, EntityStore } from '../store/entity-store.ts';
import type { Gradually } from '../store/gradually.ts';
import { type AccessRules, mayAccess, mayManage } from './access.ts';
import { type PostedEntity, portionsOf } from './portions.ts';

/** How many entities may wait for the store before puts are answered with 429. */
const maximumWaiting = 20_000;
/** How many entities of a type are looked at for one that a caller may see. */
const lookedAtOfType = 100;

export interface TimelineParts {
  readonly database: Database;
  readonly entities: EntityStore;
  readonly domains: DomainStore;
  readonly rules: AccessRules;
  /** Whether a user may view an application: decides who sees what the resource manager wrote. */
  readonly mayView: (applicationId: string, user: string | undefined) => boolean;
  readonly clock: Clock;
  readonly maximumWaiting?: number;
}

const idReaders: Readonly<Record<string, (id: string) => string>> = {
  [applicationNames.type]: (id) => id,
  [attemptNames.type]: applicationIdOfAttempt,
  [containerNames.type]: applicationIdOfContainer,
};

/** The application that an entity of the resource manager is about; '' where its id names none, undefined for other entities. */
function applicationOf(type: string, id: string): string | undefined {
  const read = Object.hasOwn(idReaders, type) ? idReaders[type] : undefined;
  if (!read) return undefined;
  try {
    return read(id);
  } catch (error) {
    if (error instanceof InvalidId) return '';
    throw error;
  }
}

const allFields: ReadonlySet<EntityField> = new Set(entityFields);

export class Timeline {
  readonly #parts: TimelineParts;
  #waiting = 0;

  constructor(parts: TimelineParts) {
    this.#parts = parts;
  }

  /** Creates the DEFAULT domain, owned by `owner`, where it is missing. */
  async ensureDefaultDomain(owner: string): Promise<void> {
    const { database, domains, clock } = this.#parts;
    if (domains.get(defaultDomainId)) return;
    const domain = { id: defaultDomainId, description: 'System Default Domain', owner, readers: '*', writers: '*' };
    await database.write(() => domains.put(domain, clock.now()));
  }

  /**
   * Puts entities as `user`; resolves, with the errors of single entities, once everything else is durable. What the resource manager alone
   * writes is taken from callers who are `isSystem`.
   * @throws TIMELINE_OWNER_MISSING for a caller without a name, TIMELINE_ENTITY_INCOMPLETE and TIMELINE_ENTITY_TOO_LARGE (nothing is stored), OVERLOADED when the store is behind.
   */
  async putEntities(posted: readonly PostedEntity[], user: string | undefined, isSystem = false): Promise<TimelinePutError[]> {
    if (user === undefined) throw failure('TIMELINE_OWNER_MISSING', { what: 'entities' });
    for (const { entity, entitytype } of posted) {
      if (entity === undefined || entitytype === undefined) throw failure('TIMELINE_ENTITY_INCOMPLETE');
    }
    const portions = portionsOf(posted);
    if (posted.length === 0) return [];
    const { database, entities, clock } = this.#parts;
    if (this.#waiting > 0 && this.#waiting + posted.length > (this.#parts.maximumWaiting ?? maximumWaiting)) {
      throw failure('OVERLOADED', { what: 'The timeline store', seconds: 1 });
    }
    this.#waiting += posted.length;
    const errors: TimelinePutError[] = [];
    const refusals: TimelinePutError[] = [];
    try {
      for (const { entities: some, isRest } of portions) {
        await database.write(() => {
          const given = some.map((one): EntityPut => ({ ...one, domain: one.domain || defaultDomainId }));
          const found = entities.put(given, clock.now(), (entity, head) =>
            this.#mayPut(entity, head, user, isSystem) ? undefined : putErrorCodes.ACCESS_DENIED,
          );
          for (const error of found)
            if (!isRest || error.errorcode === putErrorCodes.FORBIDDEN_RELATION)
              (error.errorcode === putErrorCodes.ACCESS_DENIED ? refusals : errors).push(error);
        });
      }
    } finally {
      this.#waiting -= posted.length;
    }
    return [...errors, ...refusals];
  }

  #mayPut(entity: EntityPut, existing: EntityHead | undefined, user: string, isSystem: boolean): boolean {
    if (isSystemType(entity.entitytype)) return isSystem;
    if (existing && existing.domain !== entity.domain) return false;
    if (!this.#parts.rules.enabled) return true;
    const domain = this.#parts.domains.get(entity.domain);
    return domain !== undefined && mayAccess(this.#parts.rules, domain, 'write', user);
  }

  /** One entity as it is read. @throws TIMELINE_ENTITY_NOT_FOUND, TIMELINE_ENTITY_HIDDEN, TIMELINE_DOMAIN_MISSING */
  entity(type: string, id: string, fields: ReadonlySet<EntityField> | undefined, user: string | undefined): Gradually<TimelineEntity> {
    const { entities, domains, rules } = this.#parts;
    const head = entities.head(type, id);
    if (!head) throw failure('TIMELINE_ENTITY_NOT_FOUND', { id, type });
    if (rules.enabled) {
      const domain = domains.get(head.domain);
      if (!domain) throw failure('TIMELINE_DOMAIN_MISSING', { id, type });
      if (!mayAccess(rules, domain, 'read', user) || !this.#maySee(head, user))
        throw failure('TIMELINE_ENTITY_HIDDEN', { user: user ?? 'null', id, type });
    }
    return entities.read(head, fields ?? allFields);
  }

  /** The entities of a query that `user` may see; undefined for each that was looked at and is not among them. */
  search(
    query: Omit<EntityQuery, 'visible' | 'fields'> & { fields?: ReadonlySet<EntityField> | undefined },
    user: string | undefined,
  ): Iterable<TimelineEntity | undefined> {
    return this.#parts.entities.search({ ...query, fields: query.fields ?? allFields, visible: this.#visibleTo(user) });
  }

  /** The types of entities that `user` may see: those of which one of the newest may be seen. Undefined for each other that was looked at. */
  *types(user: string | undefined): Generator<string | undefined, undefined> {
    const { entities } = this.#parts;
    const query = { limit: 1, fields: new Set<EntityField>(), visible: this.#visibleTo(user) };
    for (const type of entities.types()) {
      const newest = Iterator.from(entities.search({ ...query, type })).take(lookedAtOfType);
      yield newest.some((entity) => entity !== undefined) ? type : undefined;
    }
  }

  /** Events of the entities of a query that `user` may see; those of an entity with many come in several parts. */
  events(query: EventQuery, user: string | undefined): Iterable<EntityEvents | undefined> {
    return this.#parts.entities.events(query, this.#visibleTo(user));
  }

  #visibleTo(user: string | undefined): (head: EntityHead) => boolean {
    const { domains, rules } = this.#parts;
    if (!rules.enabled) return () => true;
    const known = new Map<string, boolean>();
    return (head) => {
      const { domain: id } = head;
      let visible = known.get(id);
      if (visible === undefined) {
        const domain = domains.get(id);
        visible = domain !== undefined && mayAccess(rules, domain, 'read', user);
        known.set(id, visible);
      }
      return visible && this.#maySee(head, user);
    };
  }

  /** Whether the user may view the application that an entity of the resource manager is about; true of other entities. */
  #maySee({ type, id }: Pick<EntityHead, 'type' | 'id'>, user: string | undefined): boolean {
    const applicationId = applicationOf(type, id);
    return applicationId === undefined || this.#parts.mayView(applicationId, user);
  }

  /**
   * Creates or replaces a domain as `user`; resolves once it is durable. The owner of an existing one stays.
   * @throws TIMELINE_OWNER_MISSING, TIMELINE_DOMAIN_ID_MISSING, TIMELINE_DOMAIN_LISTS_MISSING, TIMELINE_DOMAIN_FOREIGN
   */
  async putDomain(domain: TimelineDomain, user: string | undefined): Promise<void> {
    if (user === undefined) throw failure('TIMELINE_OWNER_MISSING', { what: 'domain' });
    if (!domain.id) throw failure('TIMELINE_DOMAIN_ID_MISSING');
    const { database, domains, rules, clock } = this.#parts;
    const write = database.write(() => {
      const existing = domains.get(domain.id);
      if (existing && !mayManage(rules, existing, user)) throw failure('TIMELINE_DOMAIN_FOREIGN', { user, id: domain.id });
      // Hadoop fails here with a NullPointerException after having cleared the missing list.
      if (existing && (domain.readers === undefined || domain.writers === undefined))
        throw failure('TIMELINE_DOMAIN_LISTS_MISSING', { id: domain.id });
      domains.put({ ...domain, owner: existing?.owner ?? user }, clock.now());
    });
    try {
      await write;
    } catch (error) {
      domains.forget(domain.id);
      throw error;
    }
  }

  /**
   * A domain, for its owner and administrators; others are answered as if there were none, with what `hidden` makes of that.
   * @throws TIMELINE_DOMAIN_NOT_FOUND
   */
  domain(id: string, user: string | undefined, hidden: (notFound: Failure) => Failure = (notFound) => notFound): StoredDomain {
    const domain = this.#parts.domains.get(id);
    if (!domain) throw failure('TIMELINE_DOMAIN_NOT_FOUND', { id });
    if (!mayManage(this.#parts.rules, domain, user)) throw hidden(failure('TIMELINE_DOMAIN_NOT_FOUND', { id }));
    return domain;
  }

  /** The domains of `owner` that `user` may see. @throws TIMELINE_DOMAIN_OWNER_MISSING */
  domainsOf(owner: string | undefined, user: string | undefined): StoredDomain[] {
    const whose = owner || user;
    if (whose === undefined) throw failure('TIMELINE_DOMAIN_OWNER_MISSING');
    return this.#parts.domains.ofOwner(whose).filter((domain) => mayManage(this.#parts.rules, domain, user));
  }
}
