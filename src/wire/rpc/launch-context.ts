// What a container runs, of Hadoop's messages as Heddle knows it: for masters that are submitted and for containers that masters start.
import { failure } from '../../model/errors.ts';
import type { LaunchContext, LocalResource } from '../cluster/launch-context.ts';
import type { Decoded } from './message.ts';
import type { ContainerLaunchContextProto, LocalResourceProto, StringLocalResourceMapProto } from './tables/containers.ts';

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** What a container runs. @throws Failure LOCAL_RESOURCE_WITHOUT_URI */
export function readLaunch(spec: Decoded<typeof ContainerLaunchContextProto> | undefined): LaunchContext {
  if (!spec) return { commands: [], environment: {}, localResources: {}, serviceData: {} };
  const { container_retry_context: retry } = spec;
  return {
    commands: spec.command,
    environment: Object.fromEntries(spec.environment.map(({ key = '', value = '' }) => [key, value])),
    localResources: readLocalResources(spec.localResources),
    serviceData: Object.fromEntries(spec.service_data.map(({ key = '', value }) => [key, base64(value ?? new Uint8Array(0))])),
    ...(spec.tokens && spec.tokens.length > 0 ? { tokens: base64(spec.tokens) } : {}),
    ...(retry
      ? {
          retry: {
            policy: retry.retry_policy,
            errorCodes: retry.error_codes,
            maximumRetries: retry.max_retries,
            intervalMs: retry.retry_interval,
            failuresValidityIntervalMs: retry.failures_validity_interval,
          },
        }
      : {}),
  };
}

/** Files by their names in the container's folder. @throws Failure LOCAL_RESOURCE_WITHOUT_URI */
export const readLocalResources = (files: readonly Decoded<typeof StringLocalResourceMapProto>[]): Record<string, LocalResource> =>
  Object.fromEntries(files.map(({ key = '', value }) => [key, readLocalResource(key, value)]));

type File = Decoded<typeof LocalResourceProto>;

function readLocalResource(name: string, file: File | undefined): LocalResource {
  const url = file?.resource;
  if (!file || !url?.file) throw failure('LOCAL_RESOURCE_WITHOUT_URI', { name });
  return {
    resource: addressOf(url),
    type: file.type ?? 'FILE',
    visibility: file.visibility ?? 'APPLICATION',
    size: file.size ?? -1,
    timestamp: file.timestamp ?? -1,
    ...(file.pattern === undefined ? {} : { pattern: file.pattern }),
  };
}

/** `scheme://user@host:port/path`, what is absent left out (URLPBImpl; URL.toPath). */
function addressOf({ scheme, host, port, file, userInfo }: NonNullable<File['resource']>): string {
  const path = (file ?? '').split('/').map(encodeURIComponent).join('/');
  if (!scheme) return path;
  const authority = host ? `${userInfo ? `${userInfo}@` : ''}${host}${port !== undefined && port > 0 ? `:${port}` : ''}` : '';
  return authority === '' ? `${scheme}:${path}` : `${scheme}://${authority}${path}`;
}
