// What Node.js and OpenSSL say of a server that is not believed.

/** Whether an error's code says that a certificate was not believed, or that there is none because what answers does not speak TLS. */
export const isUnbelieved = (code: string): boolean =>
  /CERT|UNABLE_TO_|SELF_SIGNED|ALTNAME|^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)/.test(code);
