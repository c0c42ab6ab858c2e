// Jobs of Hadoop's MapReduce, submitted with a ticket: master and tasks speak by tokens, the client asks the master by the token of its report.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { writeSettings } from '../support/processes.ts';
import {
  classPath,
  javaOpens,
  nativeHome,
  type RealmCluster,
  rpcAddresses,
  rpcKeytabs,
  rpcPrincipals,
  startRealmCluster,
  withTickets,
} from './cluster.ts';

const missing = !(classPath && nativeHome) && "it needs java, mvn and Hadoop's native library (scripts/install-kerberos-clients.sh)";

describe("a job of Hadoop's MapReduce by ticket", { skip: missing }, () => {
  let stand: RealmCluster;
  let clientConfiguration: string;
  let cache: string;
  before(async () => {
    // With callers that prove who they are, Hadoop's tasks open what they spilled by the native library alone, which nodes hand on by this name.
    process.env['HADOOP_COMMON_HOME'] = nativeHome;
    const addresses = await rpcAddresses();
    stand = await startRealmCluster((realm) => ({ ...addresses, ...rpcPrincipals(realm), ...rpcKeytabs(realm) }));
    const { realm } = stand;
    cache = realm.login('root').replace('FILE:', '');
    clientConfiguration = join(realm.home, 'client');
    mkdirSync(clientConfiguration);
    const opens = [...javaOpens, `-Djava.security.krb5.conf=${realm.configuration}`].join(' ');
    writeFileSync(
      join(clientConfiguration, 'log4j.properties'),
      [
        'rootLogger=INFO,console',
        'appender.console=org.apache.log4j.ConsoleAppender',
        'appender.console.layout=org.apache.log4j.SimpleLayout',
      ]
        .map((line) => `log4j.${line}\n`)
        .join(''),
    );
    writeSettings(join(clientConfiguration, 'core-site.xml'), {
      'fs.defaultFS': 'file:///',
      'hadoop.security.authentication': 'kerberos',
      'hadoop.tmp.dir': join(realm.home, 'tmp'),
    });
    writeSettings(join(clientConfiguration, 'yarn-site.xml'), { ...addresses, ...rpcPrincipals(realm) });
    writeSettings(join(clientConfiguration, 'mapred-site.xml'), {
      'mapreduce.framework.name': 'yarn',
      'mapreduce.application.classpath': (classPath ?? '').replaceAll(':', ','),
      'yarn.app.mapreduce.am.command-opts': `-Xmx512m ${opens}`,
      'mapreduce.map.java.opts': `-Xmx256m ${opens}`,
      'mapreduce.reduce.java.opts': `-Xmx256m ${opens}`,
      'yarn.app.mapreduce.am.staging-dir': join(realm.home, 'staging'),
      'yarn.app.mapreduce.am.resource.mb': '1024',
      'mapreduce.map.memory.mb': '512',
      'mapreduce.reduce.memory.mb': '512',
    });
  });
  after(() => stand?.[Symbol.asyncDispose]());

  /** What the example that estimates pi prints. */
  async function pi(...settings: string[]): Promise<string> {
    const words = [...javaOpens, '-XX:TieredStopAtLevel=1', `-Djava.security.krb5.conf=${stand.realm.configuration}`];
    const program = ['org.apache.hadoop.examples.ExampleDriver', 'pi', ...settings, '2', '10'];
    const { output } = await withTickets(
      cache,
      'env',
      '-C',
      stand.realm.home,
      'java',
      ...words,
      '-cp',
      `${clientConfiguration}:${classPath}`,
      ...program,
    );
    return output;
  }

  it('ends well in containers of its own', async () => {
    const output = await pi();
    assert.match(output, /running in uber mode : false/);
    assert.match(output, /Estimated value of Pi is 3\.8/);
  });

  it('ends well inside its master', async () => {
    const output = await pi('-Dmapreduce.job.ubertask.enable=true');
    assert.match(output, /running in uber mode : true/);
    assert.match(output, /Estimated value of Pi is 3\.8/);
  });
});
