/**
 * A mean time of the attempts of a job, ms, or undefined where it is none: Hadoop counts phases whose ends no attempt told from 1970 on, so
 * that their mean is longer than the job, or below nothing. A job that runs has a finish of 0, and its mean is believed.
 */
export function knownMeanMs(
  meanMs: number | undefined,
  { startTime, finishTime }: { readonly startTime: number; readonly finishTime: number },
): number | undefined {
  const isKnown = meanMs !== undefined && meanMs >= 0 && (finishTime <= 0 || meanMs <= Math.max(0, finishTime - startTime));
  return isKnown ? meanMs : undefined;
}
