import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './ports.ts';
import { until } from './processes.ts';

/** A Kerberos realm of its own on loopback, with MIT's servers. */
export interface Realm extends AsyncDisposable {
  readonly name: string;
  readonly home: string;
  /** `KRB5_CONFIG` of clients and servers. */
  readonly configuration: string;
  /** Writes the keys of these principals, which are made where they are missing, and gives the file. */
  keytab(file: string, ...principals: string[]): string;
  /** Takes a principal away. */
  forget(principal: string): void;
  /** Gets a ticket of the principal; gives the credential cache for `KRB5CCNAME`. */
  login(principal: string): string;
}

const path = `${process.env['PATH']}:/usr/sbin`;

/** Starts a realm. Its state is below a folder of its own; nothing of this machine's own realm is used. */
export async function startRealm(name = 'HEDDLE.TEST'): Promise<Realm> {
  const home = mkdtempSync(join(tmpdir(), 'heddle-realm-'));
  const [port] = await freePorts(1);
  const configuration = join(home, 'krb5.conf');
  writeFileSync(
    configuration,
    `[libdefaults]
 default_realm = ${name}
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
[realms]
 ${name} = {
  kdc = 127.0.0.1:${port}
 }
[domain_realm]
 localhost = ${name}
 127.0.0.1 = ${name}
`,
  );
  writeFileSync(
    join(home, 'kdc.conf'),
    `[kdcdefaults]
 kdc_listen = 127.0.0.1:${port}
 kdc_tcp_listen = 127.0.0.1:${port}
[realms]
 ${name} = {
  database_name = ${home}/principal
  key_stash_file = ${home}/stash
  acl_file = ${home}/acl
  max_life = 24h
 }
`,
  );
  const env = { ...process.env, PATH: path, KRB5_CONFIG: configuration, KRB5_KDC_PROFILE: join(home, 'kdc.conf') };
  const run = (program: string, ...args: string[]): string => {
    const { status, stdout, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
    return stdout;
  };
  const admin = (query: string) => run('kadmin.local', '-r', name, '-q', query);
  run('kdb5_util', 'create', '-r', name, '-s', '-P', 'of no use beyond this test');
  const server: ChildProcess = spawn('krb5kdc', ['-r', name, '-n'], { env, stdio: 'ignore' });
  await until('the realm to answer', () => reachable(port!), 20_000);

  const known = new Set<string>();
  const keytabs = join(home, 'keytabs');
  mkdirSync(keytabs);
  const realm: Realm = {
    name,
    home,
    configuration,
    keytab(file, ...principals) {
      const target = join(keytabs, file);
      for (const principal of principals) {
        if (!known.has(principal)) admin(`addprinc -randkey ${principal}`);
        known.add(principal);
        // The key stays as it is, so that several files can hold it.
        admin(`ktadd -norandkey -k ${target} ${principal}`);
      }
      return target;
    },
    forget(principal) {
      admin(`delprinc -force ${principal}`);
      known.delete(principal);
    },
    login(principal) {
      const cache = `FILE:${join(home, `${principal.replaceAll('/', '_')}.cache`)}`;
      run('kinit', '-c', cache, '-k', '-t', realm.keytab(`${principal.replaceAll('/', '_')}.keytab`, principal), principal);
      return cache;
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => server.on('exit', done));
      server.kill();
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
  return realm;
}

const reachable = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    });
    socket.on('error', () => done(false));
  });
