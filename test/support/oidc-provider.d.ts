// What tests use of oidc-provider, which comes without types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export default class Provider {
    constructor(issuer: string, options: object);
    callback(): RequestListener;
  }
}
