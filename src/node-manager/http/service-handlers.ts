// Auxiliary services of a manifest: their list, and PUT of another manifest (NMWebServices.getAuxiliaryServices, putAuxiliaryServices).

import type { Audit } from '../../auth/audit-log.ts';
import { type Answer, ok, text } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { parseJson, RefusedJson } from '../../lib/json-text.ts';
import { failure } from '../../model/errors.ts';
import { auxiliaryServices } from '../../wire/node/auxiliary-services.ts';
import { readManifest } from '../auxiliary/manifest.ts';
import type { AuxiliaryServices, ManifestRequest } from '../auxiliary/services.ts';
import type { NodeAccess } from './access.ts';

/** What the services' routes work on. */
export interface ServiceSources {
  readonly auxiliary: AuxiliaryServices;
  readonly access: NodeAccess;
  /** Services may come by manifest (yarn.nodemanager.aux-services.manifest.enabled). */
  readonly manifestEnabled: boolean;
  readonly audit: Audit;
}

/** `2025-10-13 09:14:05` in local time. */
function secondsText(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** `GET /auxiliaryservices`. */
export function listServices(sources: ServiceSources): Answer {
  if (!sources.manifestEnabled) throw failure('NODE_MANIFEST_DISABLED');
  return ok(auxiliaryServices, {
    service: sources.auxiliary.manifest.map(({ name, version, startTimeMs }) => ({ name, version, startTime: secondsText(startTimeMs) })),
  });
}

/** `PUT /auxiliaryservices`: a manifest, for administrators. */
export function putServices(sources: ServiceSources, call: Call<Buffer>): Answer {
  if (!sources.manifestEnabled) throw failure('NODE_MANIFEST_DISABLED');
  const operation = { operation: 'replace auxiliary services', target: 'manifest' };
  if (call.user === undefined || call.caller.anonymous || !sources.access.isAdministrator(call.user)) {
    sources.audit.refused(call.caller, operation, failure('ONLY_ADMINISTRATORS'));
    return text(403, '');
  }
  const manifest = manifestOf(call);
  // What says nothing at all gets no words, as Jackson's provider has it.
  if (manifest === undefined) return text(400, '');
  sources.auxiliary.loadManifest(manifest);
  sources.audit.changed(call.caller, operation);
  return text(200, '');
}

/** Undefined: the body is there and says nothing. @throws Failure */
function manifestOf(call: Call<Buffer>): ManifestRequest[] | undefined {
  const contentType = call.headers['content-type'];
  if (contentType !== undefined && !/^[\w.+-]+\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType))
    throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType, accepted: 'application/json' });
  const isEmpty = !call.body || call.body.length === 0;
  if (isEmpty && contentType === undefined) throw failure('BODY_MISSING', { accepted: 'application/json' });
  if (isEmpty) return undefined;
  const body = call.body.toString('utf8');
  let manifest: unknown;
  try {
    manifest = parseJson(body);
  } catch (error) {
    if (error instanceof RefusedJson) throw failure('BAD_REQUEST', { reason: error.message });
    throw jacksonFault(body);
  }
  return manifest === null ? undefined : readManifest(manifest);
}

/** Jackson's words for text that ends too early, which Hadoop answers with 404; anything else is a plain 400. */
function jacksonFault(body: string): Error {
  const trimmed = body.trim();
  const opened = trimmed[0];
  if ((opened === '{' || opened === '[') && trimmed.length === 1) {
    const source = (column: number) => `[Source: (org.eclipse.jetty.server.HttpInputOverHTTP); line: 1, column: ${column}]`;
    return failure('NODE_MANIFEST_ENDS', {
      kind: opened === '{' ? 'Object' : 'Array',
      start: source(body.indexOf(opened) + 1),
      end: source(body.length + 1),
    });
  }
  return failure('BAD_REQUEST', { reason: 'The body is not JSON.' });
}
