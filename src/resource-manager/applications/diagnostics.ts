// The texts clients and people look for in diagnostics. Templates: RMAppImpl, RMAppAttemptImpl, AMState of Hadoop 3.4.

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number) => String(value).padStart(2, '0');

/** `EEE MMM dd HH:mm:ss Z yyyy` in the machine's zone. */
export function javaDate(ms: number): string {
  const date = new Date(ms);
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${days[date.getDay()]} ${months[date.getMonth()]} ${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone} ${date.getFullYear()}`;
}

export const masterAssigned = 'Scheduler has assigned a container for AM, waiting for AM container to be launched';
export const masterLaunched = 'AM container is launched, waiting for AM container to Register with RM';
export const lifetimeOver = 'Application is killed by ResourceManager as it has exceeded the lifetime period.';
export const preempted = 'Container preempted by scheduler';
export const unused = 'Container expired since it was unused';
export const lostNode = 'Container released on a *lost* node';
export const releasedByMaster = 'Container released by application';
export const unknownContainer = 'Container is not known (any more): it is over';

/** A text of the scheduler with its date in front. */
export const dated = (ms: number, text: string): string => `[${javaDate(ms)}] ${text}`;

/** Who killed it, from which address where that is told (ClientRMService.forceKillApplication tells it of callers by RPC alone), and why. */
export function killedByUser(applicationId: string, user: string | undefined, reason: string | undefined, address?: string): string {
  const where = address === undefined ? '' : ` at ${address}`;
  const why = reason !== undefined && reason.trim() !== '' ? ` with diagnostic message: ${reason}` : '';
  return `Application ${applicationId} was killed by user ${user ?? 'UNKNOWN'}${where}${why}`;
}

/** The attempt's text when its master's container ended. */
export function masterContainerExited(attemptId: string, exitCode: number, diagnostics: string, page: string): string {
  return `AM Container for ${attemptId} exited with  exitCode: ${exitCode}\nFailing this attempt.Diagnostics: ${diagnostics}For more detailed output, check the application tracking page: ${page} Then click on links to logs of each attempt.\n`;
}

/** RMAppAttemptImpl's word for an attempt that a user has failed. */
export const failedByUser = 'Attempt failed by user.';

export const masterExpired = (attemptId: string): string => `ApplicationMaster for attempt ${attemptId} timed out`;

/** The application's text when no attempt is left. */
export function outOfAttempts(
  applicationId: string,
  failures: number,
  limits: { own: number; global: number; intervalMs: number },
  attemptText: string,
): string {
  const own = limits.own === limits.global ? '' : ` (global limit =${limits.global}; local limit is =${limits.own})`;
  const interval = limits.intervalMs > 0 ? ` in previous ${limits.intervalMs} milliseconds` : '';
  return `Application ${applicationId} failed ${failures} times${own}${interval} due to ${attemptText}. Failing the application.`;
}

/** The same for an application whose master runs outside the cluster. */
export const unmanagedFailed = (applicationId: string, attemptText: string): string =>
  `Unmanaged application ${applicationId} failed due to ${attemptText}. Failing the application.`;
