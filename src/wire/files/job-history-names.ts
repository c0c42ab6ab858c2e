// The name of a finished job's history file carries what the list of jobs shows (Hadoop's FileNameIndexUtils and JobHistoryUtils).

/** What a history file's name says of its job. Times in ms since the epoch; maps and reduces count succeeded tasks. */
export interface JobIndex {
  readonly jobId: string;
  readonly submitTime: number;
  readonly user: string;
  readonly jobName: string;
  readonly finishTime: number;
  readonly maps: number;
  readonly reduces: number;
  readonly status: string;
  readonly queue: string;
  readonly startTime: number;
}

/** The ending of history files. */
export const historyFileExtension = '.jhist';
/** Default of `mapreduce.jobhistory.jobname.limit`. */
export const defaultJobNameLimit = 50;

/** java.net.URLEncoder in UTF-8. */
function formEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** java.net.URLDecoder in UTF-8; a text with a `%` that two digits do not follow stays as it is. */
function formDecoded(text: string): string {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return text;
  const bytes = Buffer.from(text.replace(/\+/g, ' '), 'utf8');
  if (!text.includes('%')) return bytes.toString('utf8');
  const decoded: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0x25) {
      decoded.push(Number.parseInt(bytes.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else decoded.push(bytes[at]!);
  }
  return Buffer.from(decoded).toString('utf8');
}

/** One part of the name: `-` becomes `%2D`, and a `%2D` that was there before stays. */
function encodedPart(text: string): string {
  return (text === '' ? 'NA' : text).replaceAll('-', '%2D').split('%2D').map(formEncoded).join('%2D');
}

/** Cuts an encoded text to `limit` characters, never inside one character's `%XX` sequences. */
function trimmed(encoded: string, limit: number): string {
  if (encoded.length <= limit) return encoded;
  let length = 0;
  for (let at = 0; at < encoded.length; ) {
    let width = 1;
    if (encoded[at] === '%') {
      const lead = Number.parseInt(encoded.slice(at + 1, at + 3), 16);
      width = 3 * (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1);
    }
    if (length + width > limit) break;
    length += width;
    at += width;
  }
  return encoded.slice(0, length);
}

/** The longest name most file systems take, in bytes. */
const maximumNameBytes = 255;

/** The name of a finished job's file, ending included. `jobNameLimit` counts characters of the encoded name. */
export function historyFileName(index: JobIndex, jobNameLimit = defaultJobNameLimit): string {
  const name = (limit: number) =>
    [
      encodedPart(index.jobId),
      index.submitTime,
      encodedPart(index.user),
      trimmed(encodedPart(index.jobName), limit),
      index.finishTime,
      index.maps,
      index.reduces,
      encodedPart(index.status),
      encodedPart(index.queue),
      index.startTime,
    ].join('-') + historyFileExtension;
  const full = name(jobNameLimit);
  if (full.length <= maximumNameBytes) return full;
  // Deep queue paths: the job name gives way first; the real history server then shows a shorter name.
  return name(Math.max(0, jobNameLimit - (full.length - maximumNameBytes)));
}

const numeric = (text: string | undefined): number => {
  const decoded = formDecoded(text ?? '');
  return /^[+-]?\d{1,18}$/.test(decoded) ? Number(decoded) : 0;
};

const knownStates = new Set(['NEW', 'INITED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'KILLED', 'ERROR']);

/**
 * What a file's name says; undefined when it is no history file of a job.
 * Numbers that make no sense are 0, an unknown state is KILLED, a missing start is the submission, as in Hadoop.
 */
export function parseHistoryFileName(fileName: string): JobIndex | undefined {
  const end = fileName.indexOf(historyFileExtension);
  if (end < 0) return undefined;
  const parts = fileName.slice(0, end).split('-');
  const jobId = formDecoded(parts[0]!);
  if (!/^job_\d+_\d+$/.test(jobId)) return undefined;
  const submitTime = numeric(parts[1]);
  const status = formDecoded(parts[7] ?? '');
  return {
    jobId,
    submitTime,
    user: formDecoded(parts[2] ?? ''),
    jobName: formDecoded(parts[3] ?? ''),
    finishTime: numeric(parts[4]),
    maps: numeric(parts[5]),
    reduces: numeric(parts[6]),
    status: knownStates.has(status) ? status : 'KILLED',
    queue: formDecoded(parts[8] ?? ''),
    startTime: parts.length > 9 ? numeric(parts[9]) : submitTime,
  };
}

/** `<job id>_conf.xml`, the name of the configuration beside a history file. */
export const configurationFileName = (jobId: string): string => `${jobId}_conf.xml`;
/** `<job id>.summary`, the name of the summary in the intermediate folder. */
export const summaryFileName = (jobId: string): string => `${jobId}.summary`;

/**
 * Where a finished job's files lie below the done folder: `YYYY/MM/DD/SSSSSS` of the finish time in the server's time zone
 * (now for a finish time of 0); SSSSSS are the first six of nine digits of the job's number.
 */
export function doneFolder(index: Pick<JobIndex, 'jobId' | 'finishTime'>, nowMs: number): string {
  const date = new Date(index.finishTime > 0 ? index.finishTime : nowMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const number = index.jobId.slice(index.jobId.lastIndexOf('_') + 1);
  const serial = number.padStart(9, '0').slice(0, 6);
  return `${date.getFullYear()}/${two(date.getMonth() + 1)}/${two(date.getDate())}/${serial}`;
}
