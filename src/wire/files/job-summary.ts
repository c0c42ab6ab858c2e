// The summary of a finished job (`<job id>.summary`): one line for the summary log, as Hadoop's JobSummary writes it.

/** What the summary says; times in ms since the epoch, resources in MiB, numbers of tasks. */
export interface JobSummary {
  readonly jobId: string;
  readonly submitTime: number;
  readonly launchTime: number;
  readonly firstMapTaskLaunchTime: number;
  readonly firstReduceTaskLaunchTime: number;
  readonly finishTime: number;
  readonly resourcesPerMap: number;
  readonly resourcesPerReduce: number;
  readonly succeededMaps: number;
  readonly succeededReduces: number;
  readonly failedMaps: number;
  readonly failedReduces: number;
  readonly killedMaps: number;
  readonly killedReduces: number;
  readonly user: string;
  readonly queue: string;
  readonly status: string;
  readonly mapSlotSeconds: number;
  readonly reduceSlotSeconds: number;
  readonly jobName: string;
}

/** `,`, `=` and `\\` behind a backslash, line ends as `\\n` and `\\r`. */
const escapeValue = (text: string): string =>
  text
    .replace(/[\\,=]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r');

/** The summary's line. */
export function summaryLine(summary: JobSummary): string {
  const { succeededMaps, succeededReduces, ...rest } = summary;
  const pairs: [string, string | number][] = [
    ['jobId', rest.jobId],
    ['submitTime', rest.submitTime],
    ['launchTime', rest.launchTime],
    ['firstMapTaskLaunchTime', rest.firstMapTaskLaunchTime],
    ['firstReduceTaskLaunchTime', rest.firstReduceTaskLaunchTime],
    ['finishTime', rest.finishTime],
    ['resourcesPerMap', rest.resourcesPerMap],
    ['resourcesPerReduce', rest.resourcesPerReduce],
    ['numMaps', succeededMaps + rest.failedMaps + rest.killedMaps],
    ['numReduces', succeededReduces + rest.failedReduces + rest.killedReduces],
    // Hadoop's own spelling.
    ['succededMaps', succeededMaps],
    ['succeededReduces', succeededReduces],
    ['failedMaps', rest.failedMaps],
    ['failedReduces', rest.failedReduces],
    ['killedMaps', rest.killedMaps],
    ['killedReduces', rest.killedReduces],
    ['user', rest.user],
    ['queue', rest.queue],
    ['status', rest.status],
    ['mapSlotSeconds', rest.mapSlotSeconds],
    ['reduceSlotSeconds', rest.reduceSlotSeconds],
    ['jobName', rest.jobName],
  ];
  return pairs.map(([key, value]) => `${key}=${escapeValue(String(value))}`).join(',');
}
