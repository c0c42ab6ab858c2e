// Errors that every server knows. Classes: org.apache.hadoop.yarn.webapp.* and GenericExceptionHandler of Hadoop 3.4.
import type { ErrorEntry } from './entry.ts';

/** Answers of the token filter: the servlet container's page, without a body for PUT. */
const tokenCall = (status: number, message: string): ErrorEntry => ({
  status,
  javaClass: 'org.apache.hadoop.security.authentication.client.AuthenticationException',
  message,
  form: 'page',
});

export const notFoundClass = 'org.apache.hadoop.yarn.webapp.NotFoundException';
export const badRequestClass = 'org.apache.hadoop.yarn.webapp.BadRequestException';
export const forbiddenClass = 'org.apache.hadoop.yarn.webapp.ForbiddenException';
export const authorizationClass = 'org.apache.hadoop.security.authorize.AuthorizationException';
export const webApplicationClass = 'javax.ws.rs.WebApplicationException';
export const exceptionPrefix = 'java.lang.Exception: ';

export const commonErrors = {
  INSTRUMENTATION_REFUSED: {
    status: 403,
    javaClass: 'org.apache.hadoop.security.authorize.AuthorizationException',
    message: 'User {user} is unauthorized to access this page.',
    form: 'page',
    remedy: 'Call as a user of yarn.admin.acl, or open these pages with hadoop.security.instrumentation.requires.admin=false.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    javaClass: webApplicationClass,
    message: 'Method {method} is not allowed here; allowed: {allow}.',
    remedy: 'Use one of the methods in the Allow header.',
  },
  UNSUPPORTED_CONTENT_TYPE: {
    status: 415,
    javaClass: webApplicationClass,
    message: 'A body of type {contentType} is not accepted here; send {accepted}.',
    remedy: 'Set Content-Type to an accepted type.',
  },
  NOT_ACCEPTABLE: {
    status: 406,
    javaClass: webApplicationClass,
    message: 'None of the accepted types can be produced here; available: {available}.',
    remedy: 'Send an Accept header with an available type, or none.',
  },
  BODY_MISSING: { status: 400, javaClass: webApplicationClass, message: 'The request needs a body of type {accepted}.' },
  BODY_TOO_LARGE: { status: 413, javaClass: webApplicationClass, message: 'The body is larger than {limitBytes} bytes.' },
  BODY_NOT_PARSABLE: { status: 400, javaClass: webApplicationClass, message: 'javax.xml.bind.UnmarshalException{detail}' },
  BAD_REQUEST: { status: 400, javaClass: badRequestClass, prefix: exceptionPrefix, message: '{reason}' },
  BAD_ENCODING: { status: 400, javaClass: 'java.lang.IllegalArgumentException', message: 'The request cannot be decoded: {reason}' },
  HEADER_CHARACTER: {
    status: 400,
    javaClass: 'java.lang.IllegalArgumentException',
    message: 'The header {name} of the answer would hold a character that no header may.',
    remedy: 'Leave control characters out of the address.',
  },
  BAD_NUMBER: { status: 400, javaClass: 'java.lang.NumberFormatException', message: 'For input string: "{value}"' },
  BAD_USER_NAME: { status: 400, javaClass: 'java.lang.IllegalArgumentException', message: "userName is NULL, empty or contains a '&'" },
  ILLEGAL_ARGUMENT: { status: 400, javaClass: 'java.lang.IllegalArgumentException', message: '{reason}' },
  CROSS_SITE_REFUSED: {
    status: 400,
    javaClass: badRequestClass,
    message: 'Missing Required Header for CSRF Vulnerability Protection',
    remedy: 'Send the header that the setting rest-csrf.custom-header names.',
  },
  HOST_NOT_SINGLE: {
    status: 400,
    javaClass: badRequestClass,
    message: 'The request names its host {count} times in the header Host; it must once.',
    remedy: 'Send the header Host once, with the name or the address of the server.',
  },
  HOST_REFUSED: {
    status: 400,
    javaClass: badRequestClass,
    message: '"{host}" is no name of this server.',
    remedy:
      'Address the server by a name of its own; where a gateway passes on the name that it was asked for, add that to heddle.http.allowed-hosts.',
  },
  ORIGIN_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: 'Pages of {origin} may not change anything here.',
    remedy: 'Allow the origin in hadoop.http.cross-origin.allowed-origins if its pages are to be trusted.',
  },
  CHANGE_BY_LINK: {
    status: 403,
    javaClass: authorizationClass,
    message: 'This changes something, so a browser does not do it by a link or a form.',
    remedy: 'Use a program such as curl, or send the header X-Requested-By.',
  },
  UNAUTHENTICATED: { status: 401, javaClass: authorizationClass, message: 'Unable to obtain user name, user not authenticated' },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    javaClass: 'org.apache.hadoop.security.authentication.client.AuthenticationException',
    message: '{reason}',
    form: 'page',
    remedy:
      'Say who you are: by a Kerberos ticket where WWW-Authenticate says Negotiate, else by ?user.name=; or send the cookie of an earlier answer.',
  },
  KERBEROS_TICKET_REFUSED: {
    status: 403,
    javaClass: 'org.apache.hadoop.security.authentication.client.AuthenticationException',
    message: 'The Kerberos ticket was refused: {reason}',
    form: 'page',
    remedy: 'Get a new ticket with kinit, and look at the clocks, the name of the host and the keytab of the server.',
  },
  KERBEROS_UNAVAILABLE: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'Kerberos tickets cannot be looked at now: {reason}.',
    remedy: 'Try again.',
  },
  LOCAL_USER_UNTRUSTED: {
    status: 401,
    javaClass: authorizationClass,
    message:
      'Callers need not prove their names here, so on loopback only the unix user who runs this server, root and containers are served; this connection is that of {who}. Use a token, or have authentication configured, this user named in heddle.security.trusted-local-users, or all let in with --open.',
    remedy: 'Send a token, or ask who runs the cluster to configure authentication or to trust this unix user.',
  },
  BEARER_REFUSED: { status: 401, javaClass: authorizationClass, message: 'The bearer token is missing, expired or of another caller.' },
  CONNECTION_UNPROVEN: {
    status: 401,
    javaClass: authorizationClass,
    message: 'Only nodes of this cluster may call this, on a connection that they have proven.',
    remedy: "Let the node manager read the cluster's secret: heddle.cluster.secret-file.",
  },
  BEARER_REQUIRED: {
    status: 401,
    javaClass: authorizationClass,
    message: 'Callers of this cluster prove who they are with a bearer token{how}.',
    remedy:
      'Send a token as "Authorization: Bearer TOKEN"; the command line takes it from --token-file FILE. "heddle token create" makes one.',
  },
  BEARER_INVALID: {
    status: 401,
    javaClass: authorizationClass,
    message: 'The bearer token does not count: {reason}.',
    remedy: 'Make a new one with "heddle token create", or get a new one from its issuer.',
  },
  BEARER_IN_ADDRESS: {
    status: 400,
    javaClass: badRequestClass,
    message: 'Tokens do not belong into addresses, which are logged on the way.',
    remedy: 'Send it as "Authorization: Bearer TOKEN", and revoke the one that was in the address.',
  },
  BEARER_SCOPE: {
    status: 403,
    javaClass: authorizationClass,
    message: 'The token of {user} has the scope {scope}; this needs {needed}.',
    remedy: 'Use a token with a wider scope ("heddle token create --scope").',
  },
  ISSUER_AWAY: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The issuer {issuer} cannot be asked now for its keys.',
    remedy: 'Try again; whether it can be reached from this server, its administrator can see in the log.',
  },
  BEARER_UNEXAMINED: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The resource manager cannot be asked now whether the token counts.',
    remedy: 'Try again when the resource manager is back.',
  },
  CERTIFICATE_REFUSED: {
    status: 401,
    javaClass: authorizationClass,
    message: 'Nodes have to show a certificate of an authority that this server believes.',
    remedy: 'Give the node a certificate of the authority in heddle.tls.ca-file.',
  },
  IMPERSONATION_REFUSED: {
    status: 403,
    javaClass: authorizationClass,
    message: 'User: {user} is not allowed to impersonate {target}',
    form: 'filter',
  },
  TOKEN_REFUSED: {
    status: 403,
    javaClass: 'org.apache.hadoop.security.authentication.client.AuthenticationException',
    message: '{reason}',
    form: 'filter',
    remedy: 'Get a new token, or name yourself another way.',
  },
  TOKEN_CALL_WRONG_METHOD: tokenCall(400, 'Wrong HTTP method [{method}] for operation [{operation}], it should be [{expected}]'),
  TOKEN_CALL_PARAMETER_MISSING: tokenCall(400, 'Operation [{operation}] requires the parameter [{parameter}]'),
  TOKEN_CALL_REFUSED: tokenCall(403, '{reason}'),
  TOKEN_CALL_UNKNOWN: tokenCall(404, 'Invalid delegation token, cannot cancel'),
  NOT_FOUND: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: '{what} not found' },
  PATH_UNKNOWN: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: 'There is nothing at {path}.' },
  OVERLOADED: { status: 429, javaClass: 'org.apache.hadoop.ipc.RetriableException', message: '{what} is busy; try again in {seconds} s.' },
  CONNECTIONS_FULL: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'This server has as many connections as it takes; try again in {seconds} s.',
    remedy: 'Keep fewer connections, or raise heddle.http.maximum-connections.',
  },
  CONNECTIONS_OF_ADDRESS_FULL: {
    status: 429,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: '{address} has as many connections as one address may; try again in {seconds} s.',
    remedy: 'Keep fewer connections, or raise heddle.http.maximum-connections-per-address.',
  },
  CONNECTIONS_OF_USER_FULL: {
    status: 429,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: '{who} has as many connections as one user of this machine may; try again in {seconds} s.',
    remedy: 'Keep fewer connections, or raise heddle.http.maximum-connections-per-address, which counts for users of this machine, too.',
  },
  CONNECTIONS_OF_STRANGERS_FULL: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message:
      'Users of this machine have as many connections as this server takes of them; the rest is kept for the user who runs it; try again in {seconds} s.',
    remedy: 'Keep fewer connections, raise heddle.http.maximum-connections, or name the user in heddle.security.trusted-local-users.',
  },
  BODIES_FULL: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'This server holds as many bodies of requests as it takes; try again in {seconds} s.',
    remedy: 'Send less at once, or raise heddle.http.maximum-body-memory.',
  },
  BODIES_OF_ADDRESS_FULL: {
    status: 429,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: '{address} sends as many bodies at once as one address may; try again in {seconds} s.',
    remedy: 'Send less at once, or raise heddle.http.maximum-body-memory-per-address.',
  },
  UNAVAILABLE: { status: 503, javaClass: 'org.apache.hadoop.ipc.RetriableException', message: '{what} is not available now.' },
  STORE_BUSY: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The store {file} is locked by another program. Nothing was changed.',
    remedy: 'Try again. Who holds the lock, "lsof" on the file says.',
  },
  STORE_DISK_FULL: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The disk of {folder} is full: nothing can be kept in {file}.',
    remedy: 'Make room on that disk, then try again; nothing needs to be started again.',
  },
  STORE_DISK_FAILED: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The disk of {folder} cannot be used: nothing can be kept in {file} ({reason}).',
    remedy: 'Look at that disk, then try again.',
  },
  STORE_GONE: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The store {file} was removed or replaced while it was in use: nothing can be kept.',
    remedy: 'Stop the server, put the store back where it was (or a copy of it), and start again.',
  },
  STORE_DAMAGED: {
    status: 503,
    javaClass: 'org.apache.hadoop.ipc.RetriableException',
    message: 'The store {file} is damaged ({reason}).',
    remedy: 'Stop the server; "heddle doctor --store" says what can be saved, with --repair it is saved; or put a copy back.',
  },
  INTERNAL: {
    status: 500,
    javaClass: 'org.apache.hadoop.yarn.webapp.WebAppException',
    message: 'The server failed; its log says more (reference {reference}).',
  },
} as const satisfies Record<string, ErrorEntry>;
