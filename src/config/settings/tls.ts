// TLS of the web interfaces: Heddle's own settings for PEM files, and where Hadoop's lie.
import { defineSettings } from '../table.ts';

/** Settings of TLS. Keystores and trust stores of Hadoop's form stand in the two files that are named here. */
export const tlsSettings = defineSettings({
  certificateFile: {
    key: 'heddle.tls.certificate-file',
    type: 'path',
    about:
      'PEM file with the certificate of the servers of this machine, and those between it and the authority; instead of the keystore of ssl-server.xml.',
  },
  keyFile: { key: 'heddle.tls.key-file', type: 'path', about: 'PEM file with the key of that certificate, readable by its owner only.' },
  keyPassphraseFile: {
    key: 'heddle.tls.key-passphrase-file',
    type: 'path',
    about: 'File with the passphrase of that key, readable by its owner only; absent: it has none.',
  },
  authorityFile: {
    key: 'heddle.tls.ca-file',
    type: 'path',
    about:
      "PEM file with the authorities that servers, commands and Heddle's programs in containers believe besides those of Node.js; instead of the trust store of ssl-client.xml.",
  },
  reloadIntervalMs: {
    key: 'heddle.tls.reload-interval',
    type: 'durationMs',
    default: '10s',
    minimum: 100,
    about: 'How often is looked whether certificates, keys and authorities changed; new connections take the new ones.',
  },
  nodeCertificates: {
    key: 'heddle.tls.node-certificates',
    type: 'boolean',
    default: false,
    about:
      'Nodes show a certificate of the authorities of heddle.tls.ca-file for the host of their id when they connect, besides the cluster secret.',
  },
  serverFile: {
    key: 'hadoop.ssl.server.conf',
    type: 'string',
    default: 'ssl-server.xml',
    about: 'File in --conf with ssl.server.keystore.* (PEM or PKCS12).',
  },
  clientFile: {
    key: 'hadoop.ssl.client.conf',
    type: 'string',
    default: 'ssl-client.xml',
    about: 'File in --conf with ssl.client.truststore.location (PEM).',
  },
  requireClientCertificate: {
    key: 'hadoop.ssl.require.client.cert',
    type: 'boolean',
    default: false,
    about: "Whether clients of Hadoop's encrypted shuffle (mapreduce.shuffle.ssl.enabled) have to show a certificate of the authority.",
  },
});
