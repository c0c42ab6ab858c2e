// `/openapi.json`: everything a service answers, from its routes and the descriptions of what they read. It is made when a client asks for
// it first, and what it is made of is loaded then: most servers are never asked.
import type { Answer } from './answers.ts';
import type { InterfaceDescription } from './described.ts';
import { forwardedPrefix } from './forwarded-prefix.ts';
import type { Profile } from './profiles.ts';
import type { Service } from './service.ts';

/** What a service says of itself. */
export interface OpenApiOptions {
  /** `Heddle resource manager`. */
  readonly title: string;
  readonly profile: Pick<Profile, 'errorRoot'>;
  /** Loads the table of what its routes read and answer. */
  readonly described: () => Promise<InterfaceDescription>;
}

/** Mounts `/openapi.json` on a service; routes added later are described too. */
export function mountOpenApi(service: Service, options: OpenApiOptions): void {
  service.describe(options.described);
  let made: { readonly routes: number; readonly text: Promise<string> } | undefined;
  service.route<never>({
    method: 'GET',
    path: '/openapi.json',
    produces: 'any',
    about: 'Describes this interface.',
    access: 'facts',
    async handle({ headers }): Promise<Answer> {
      const { length } = service.declared;
      if (made?.routes !== length) made = { routes: length, text: write(service, options) };
      const text = await made.text;
      const prefix = forwardedPrefix(headers);
      const body = prefix === '' ? text : text.replace('"servers":[{"url":"/"}]', `"servers":[{"url":"${prefix}"}]`);
      return { kind: 'rendered', status: 200, body, contentType: 'application/json;charset=utf-8' };
    },
  });
}

async function write(service: Service, { title, profile, described }: OpenApiOptions): Promise<string> {
  const [{ openApiDocument }, table] = await Promise.all([import('./open-api-document.ts'), described()]);
  const { routes, declared } = service;
  return JSON.stringify(
    openApiDocument({ title, version: '1', routes, declared, described: table, wrappedErrors: profile.errorRoot !== undefined }),
  );
}
