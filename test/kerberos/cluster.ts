// A cluster whose callers need tickets, and callers with and without them.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '../support/ports.ts';
import { type ClusterProcesses, startProcesses } from '../support/processes.ts';
import { type Realm, startRealm } from '../support/realm.ts';

/** A realm and a cluster in it. */
export interface RealmCluster extends AsyncDisposable {
  readonly realm: Realm;
  readonly cluster: ClusterProcesses;
  /** The settings that ask for tickets. */
  readonly settings: Readonly<Record<string, string>>;
}

/** The settings that ask for tickets on every server, in Hadoop's words. */
export const ticketSettings = (keytab: string, realm: string): Record<string, string> => ({
  'hadoop.security.authentication': 'kerberos',
  'hadoop.http.filter.initializers': 'org.apache.hadoop.security.AuthenticationFilterInitializer',
  'hadoop.http.authentication.type': 'kerberos',
  'hadoop.http.authentication.kerberos.principal': `HTTP/localhost@${realm}`,
  'hadoop.http.authentication.kerberos.keytab': keytab,
  'yarn.timeline-service.http-authentication.type': 'kerberos',
  'yarn.acl.enable': 'true',
  'yarn.admin.acl': 'root',
});

/** Where Hadoop RPC is served, on free ports of a name that the realm knows: for servers and clients. */
export async function rpcAddresses(): Promise<Record<string, string>> {
  const [client, masters, administration, history, historyAdministration, timeline] = await freePorts(6);
  return {
    'yarn.resourcemanager.address': `localhost:${client}`,
    'yarn.resourcemanager.scheduler.address': `localhost:${masters}`,
    'yarn.resourcemanager.admin.address': `localhost:${administration}`,
    'mapreduce.jobhistory.address': `localhost:${history}`,
    'mapreduce.jobhistory.admin.address': `localhost:${historyAdministration}`,
    'yarn.timeline-service.address': `localhost:${timeline}`,
  };
}

/** Whose tickets those ports take, and the keys for them; clients need the principals alone. */
export const rpcPrincipals = (realm: Realm): Record<string, string> => ({
  'yarn.resourcemanager.principal': `rm/_HOST@${realm.name}`,
  'mapreduce.jobhistory.principal': `jhs/_HOST@${realm.name}`,
  'yarn.timeline-service.principal': `ats/_HOST@${realm.name}`,
});
export const rpcKeytabs = (realm: Realm): Record<string, string> => ({
  'yarn.resourcemanager.keytab': realm.keytab('rm.keytab', 'rm/localhost', 'other/localhost'),
  'mapreduce.jobhistory.keytab': realm.keytab('jhs.keytab', 'jhs/localhost'),
  'yarn.timeline-service.keytab': realm.keytab('ats.keytab', 'ats/localhost'),
});

/** Starts both; what the settings are may need keys of the realm. */
export async function startRealmCluster(
  settings: (realm: Realm) => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>> = () => ({}),
): Promise<RealmCluster> {
  const realm = await startRealm();
  process.env['KRB5_CONFIG'] = realm.configuration;
  try {
    const keytab = realm.keytab('service.keytab', 'HTTP/localhost', 'host/localhost');
    const all = { ...ticketSettings(keytab, realm.name), ...(await settings(realm)) };
    const cluster = await startProcesses({ settings: all });
    return {
      realm,
      cluster,
      settings: all,
      async [Symbol.asyncDispose]() {
        await cluster[Symbol.asyncDispose]();
        await realm[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await realm[Symbol.asyncDispose]();
    throw error;
  }
}

/** Each server by a name that the realm knows. */
export const serversOf = ({ urls }: ClusterProcesses): Record<string, string> =>
  Object.fromEntries(
    Object.entries({
      resourceManager: `${urls.resourceManager}/ws/v1/cluster/apps`,
      nodeManager: `${urls.nodeManager}/ws/v1/node/apps`,
      timeline: `${urls.timeline}/ws/v1/timeline/none`,
      history: `${urls.history}/ws/v1/history/mapreduce/jobs`,
    }).map(([name, url]) => [name, url.replace('127.0.0.1', 'localhost')]),
  );

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program with the tickets of a cache; without one there are none. */
export function withTickets(cache: string | undefined, program: string, ...args: string[]): Promise<Ended> {
  const env = { ...process.env, KRB5CCNAME: cache ?? 'FILE:/nonexistent/cache' };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((done, failed) => child.on('error', failed).on('close', (code) => done({ code, output })));
}

const clients = join(import.meta.dirname, '../../node_modules/.cache/kerberos-clients');

/** Python with requests-kerberos, where it is installed. */
export const python = existsSync(join(clients, 'python/ready')) ? join(clients, 'python/bin/python') : undefined;
/** The class path of Hadoop's Java client, where it is installed. */
export const classPath = existsSync(join(clients, 'hadoop.classpath'))
  ? readFileSync(join(clients, 'hadoop.classpath'), 'utf8').trim()
  : undefined;
/** A Hadoop home whose `lib/native` has Hadoop's native library for this processor, where it is installed. */
export const nativeHome = existsSync(join(clients, 'native/lib/native/libhadoop.so')) ? join(clients, 'native') : undefined;
/** What Java 17 has to be told to let Hadoop's programs look into. */
export const javaOpens = ['java.lang', 'java.util', 'java.net'].map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`);
