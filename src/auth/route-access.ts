// What a route asks of its caller. Every route of every server declares one; the table of `docs/reference/access.md` is written from these
// declarations.

/**
 * What a caller needs where access lists are on (`yarn.acl.enable`; for jobs `mapreduce.cluster.acls.enabled`), and the scope that a
 * bearer token needs always. A route without a declaration is taken as `admin`.
 *
 * | | who | scope of a bearer token |
 * | --- | --- | --- |
 * | `open` | everybody; no credentials are looked at | none |
 * | `own-credentials` | who has what the route itself asks for: the token of an attempt or a container, the cluster's secret | none counts |
 * | `facts` | every caller that authentication lets in: nothing here belongs to a user | read |
 * | `overview` | the same; of what a caller may not view, parts are left out or all of it | read |
 * | `view` | owner, those on the list of viewers, administrators | read |
 * | `named` | every caller with a name | submit |
 * | `submit` | those on the list of the queue or domain, administrators | submit |
 * | `modify` | owner, those on the list of modifiers, administrators | submit |
 * | `owner` | owner, administrators: what is done in the owner's name; where access lists are off, the owner alone | submit |
 * | `proven` | a caller who proved the name with a ticket, not with a token: makes, renews and ends tokens | no bearer token |
 * | `relayed` | passed on to the master of an application with the caller's name: the master decides | read for GET and HEAD, else submit; WebSockets submit |
 * | `admin` | administrators | admin |
 */
export type RouteAccess =
  | 'open'
  | 'own-credentials'
  | 'facts'
  | 'overview'
  | 'view'
  | 'named'
  | 'submit'
  | 'modify'
  | 'owner'
  | 'proven'
  | 'relayed'
  | 'admin';
