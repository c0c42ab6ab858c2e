// Beans of the process itself that monitors of Java daemons read, with what Node.js and the system tell of it.
import { readdirSync } from 'node:fs';
import { availableParallelism, freemem, loadavg, release, totalmem } from 'node:os';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { groupReads } from '../auth/groups.ts';
import { fileText } from '../lib/file-text.ts';
import { type Collections, ProcessWatch } from '../lib/process-watch.ts';
import { type Bean, Float, rateOf } from './jmx.ts';

const watch = new ProcessWatch();

/** Files that this process has open; -1 where the system does not tell. */
function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return -1;
  }
}

/** A number of a line `NAME: 12 kB`, in bytes; 0 where there is none. */
const bytesIn = (text: string, name: string): number => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

/** How many files this process may open; -1 without a limit, or where the system does not tell. */
const mostFiles = (): number => Number(/^Max open files\s+(\d+)/m.exec(fileText('/proc/self/limits'))?.[1] ?? -1);

/** UgiMetrics: the process is one user from its start on, and reads groups of the system where it needs them. It renews no tickets. */
const identityBean = (service: string, host: string): Bean => ({
  name: `Hadoop:service=${service},name=UgiMetrics`,
  modelerType: 'UgiMetrics',
  attributes: {
    'tag.Context': 'ugi',
    'tag.Hostname': host,
    ...rateOf('GetGroups', groupReads),
    ...rateOf('LoginFailure', { count: 0, averageMs: 0 }),
    ...rateOf('LoginSuccess', { count: 1, averageMs: 0 }),
    RenewalFailures: 0,
    RenewalFailuresTotal: 0,
  },
});

function virtualMachineBean(service: string, host: string, threads: ReturnType<ProcessWatch['threads']>): Bean {
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  const { minor, major } = watch;
  const mib = (bytes: number) => new Float(Math.round((bytes / 1048576) * 100) / 100);
  const most = mib(getHeapStatistics().heap_size_limit);
  return {
    name: `Hadoop:service=${service},name=JvmMetrics`,
    modelerType: 'JvmMetrics',
    attributes: {
      'tag.Context': 'jvm',
      'tag.ProcessName': service,
      'tag.SessionId': null,
      'tag.Hostname': host,
      MemNonHeapUsedM: mib(external),
      MemNonHeapCommittedM: mib(external),
      MemNonHeapMaxM: new Float(-1),
      MemHeapUsedM: mib(heapUsed),
      MemHeapCommittedM: mib(heapTotal),
      MemHeapMaxM: most,
      MemMaxM: most,
      GcCount: minor.count + major.count,
      GcTimeMillis: Math.round(minor.totalMs + major.totalMs),
      GcNumWarnThresholdExceeded: 0,
      GcNumInfoThresholdExceeded: 0,
      GcTotalExtraSleepTime: 0,
      ThreadsNew: 0,
      ThreadsRunnable: threads.running,
      ThreadsBlocked: threads.blocked,
      ThreadsWaiting: threads.waiting,
      ThreadsTimedWaiting: 0,
      ThreadsTerminated: 0,
    },
  };
}

const collectorBean = (name: string, { count, totalMs }: Collections, pools: readonly string[]): Bean => ({
  name: `java.lang:name=${name},type=GarbageCollector`,
  modelerType: 'sun.management.GarbageCollectorImpl',
  attributes: {
    CollectionCount: count,
    CollectionTime: Math.round(totalMs),
    MemoryPoolNames: pools,
    Name: name,
    Valid: true,
    ObjectName: `java.lang:type=GarbageCollector,name=${name}`,
  },
});

/** Heap, its spaces, what is beside it, and who collects garbage there. */
function memoryBeans(): Bean[] {
  const { heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  const heap = { committed: heapTotal, init: 0, max: getHeapStatistics().heap_size_limit, used: heapUsed };
  const spaces = getHeapSpaceStatistics();
  const names = spaces.map(({ space_name: name }) => name);
  const young = names.filter((name) => name.startsWith('new'));
  return [
    {
      name: 'java.lang:type=Memory',
      modelerType: 'sun.management.MemoryImpl',
      attributes: {
        Verbose: false,
        HeapMemoryUsage: heap,
        NonHeapMemoryUsage: { committed: external, init: 0, max: -1, used: external },
        ObjectPendingFinalizationCount: 0,
        ObjectName: 'java.lang:type=Memory',
      },
    },
    collectorBean('V8 Scavenger', watch.minor, young),
    collectorBean('V8 Mark-Compact', watch.major, names),
    ...spaces.map(({ space_name: name, space_size: committed, space_used_size: used }) => ({
      name: `java.lang:name=${name},type=MemoryPool`,
      modelerType: 'sun.management.MemoryPoolImpl',
      attributes: {
        Usage: { committed, init: 0, max: -1, used },
        MemoryManagerNames: young.includes(name) ? ['V8 Scavenger', 'V8 Mark-Compact'] : ['V8 Mark-Compact'],
        Name: name,
        Type: 'HEAP',
        Valid: true,
        ObjectName: `java.lang:type=MemoryPool,name=${name}`,
      },
    })),
    {
      name: 'java.nio:name=direct,type=BufferPool',
      modelerType: 'sun.management.ManagementFactoryHelper$1',
      attributes: {
        Name: 'direct',
        TotalCapacity: arrayBuffers,
        MemoryUsed: arrayBuffers,
        ObjectName: 'java.nio:type=BufferPool,name=direct',
      },
    },
  ];
}

const runtimeBean = (host: string): Bean => ({
  name: 'java.lang:type=Runtime',
  modelerType: 'sun.management.RuntimeImpl',
  attributes: {
    Uptime: Math.round(process.uptime() * 1000),
    StartTime: Math.round(performance.timeOrigin),
    InputArguments: process.execArgv,
    Pid: process.pid,
    VmName: 'Node.js',
    VmVendor: 'OpenJS Foundation',
    VmVersion: process.version,
    Name: `${process.pid}@${host}`,
    BootClassPathSupported: false,
    ObjectName: 'java.lang:type=Runtime',
  },
});

function threadingBean({ ids }: ReturnType<ProcessWatch['threads']>): Bean {
  const { user, system } = process.threadCpuUsage();
  return {
    name: 'java.lang:type=Threading',
    modelerType: 'sun.management.ThreadImpl',
    attributes: {
      AllThreadIds: ids,
      ThreadCount: ids.length,
      PeakThreadCount: watch.mostThreads,
      // All but the one that runs the program.
      DaemonThreadCount: ids.length - 1,
      CurrentThreadCpuTime: (user + system) * 1000,
      CurrentThreadUserTime: user * 1000,
      CurrentThreadCpuTimeSupported: true,
      ObjectName: 'java.lang:type=Threading',
    },
  };
}

function systemBean(): Bean {
  const { user, system } = process.cpuUsage();
  const load = watch.load();
  const machine = fileText('/proc/meminfo');
  return {
    name: 'java.lang:type=OperatingSystem',
    modelerType: 'sun.management.OperatingSystemImpl',
    attributes: {
      OpenFileDescriptorCount: openFiles(),
      MaxFileDescriptorCount: mostFiles(),
      CommittedVirtualMemorySize: bytesIn(fileText('/proc/self/status'), 'VmSize'),
      TotalSwapSpaceSize: bytesIn(machine, 'SwapTotal'),
      FreeSwapSpaceSize: bytesIn(machine, 'SwapFree'),
      FreePhysicalMemorySize: freemem(),
      TotalPhysicalMemorySize: totalmem(),
      FreeMemorySize: freemem(),
      TotalMemorySize: totalmem(),
      ProcessCpuTime: (user + system) * 1000,
      ProcessCpuLoad: new Float(load.process),
      SystemCpuLoad: new Float(load.machine),
      CpuLoad: new Float(load.machine),
      Arch: process.arch,
      SystemLoadAverage: new Float(loadavg()[0] ?? -1),
      AvailableProcessors: availableParallelism(),
      Version: release(),
      Name: process.platform === 'linux' ? 'Linux' : process.platform,
      ObjectName: 'java.lang:type=OperatingSystem',
    },
  };
}

/** Beans of the process itself that monitors of Java daemons read. `service` is the daemon's name in its beans. */
export function processBeans(service: string, hostname: string): Bean[] {
  const threads = watch.threads();
  return [
    identityBean(service, hostname),
    virtualMachineBean(service, hostname, threads),
    ...memoryBeans(),
    runtimeBean(hostname),
    threadingBean(threads),
    systemBean(),
  ];
}
