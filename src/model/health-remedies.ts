// What an operator can do about the health report of a node, from Hadoop's words for bad folders.

const setting = 'yarn.nodemanager.disk-health-checker.';

const stateUnwritten = 'The state of the node cannot be written to ';
const untilWritten = '. Until it can, nothing new is started here.';
/** Where Hadoop's sentence about folders begins, and where Heddle's about its state does. */
const beginsComplaint = /(?=(?<!\d)\d{1,9}\/\d{1,9} (?:local|log)-dirs )|(?=The state of the node cannot be written to )/;

/** A sentence for each thing that can be done; none for a report without complaints. */
export function healthRemedies(report: string): string[] {
  const remedies = new Set<string>();
  let rest = '';
  for (const part of report.split(beginsComplaint)) {
    const [, kind = '', before = ''] = /^\d+\/\d+ (local|log)-dirs (?:have errors:|usable space)([^[]*)\[ /.exec(part) ?? [];
    const end = part.indexOf(' ]');
    const unwritten = part.startsWith(stateUnwritten) ? part.indexOf(untilWritten) : -1;
    if (kind !== '' && end >= 0) {
      for (const one of part.slice(part.indexOf('[ ', before.length) + 2, end).split(/, (?=\/)/)) {
        const colon = one.indexOf(' : ');
        if (one.startsWith('/') && colon > 0) remedies.add(remedyOf(kind, one.slice(0, colon), one.slice(colon + 3)));
      }
      rest += part.slice(end + 2);
    } else if (unwritten >= 0) {
      const folder = part.slice(stateUnwritten.length, unwritten).split(': ', 1)[0];
      remedies.add(`Make room on the disk of ${folder}, or mount it again; the node goes on by itself.`);
      rest += part.slice(unwritten + untilWritten.length);
    } else rest += part;
  }
  if (/[^\s;]/.test(rest)) remedies.add('A health script says so (yarn.nodemanager.health-checker.scripts): mend what it complains about.');
  return [...remedies];
}

function remedyOf(kind: string, folder: string, text: string): string {
  const others = `name other folders in yarn.nodemanager.${kind}-dirs`;
  if (text.startsWith('used space'))
    return `Make room on the disk of ${folder}, or raise ${setting}max-disk-utilization-per-disk-percentage.`;
  if (text.startsWith('free space')) return `Make room on the disk of ${folder}, or lower ${setting}min-free-space-per-disk-mb.`;
  if (text.startsWith('Not a directory')) return `Move the file ${folder} away, or ${others}.`;
  if (text.startsWith('Directory is not'))
    return `Let the user of the node manager read, write and enter ${folder} (chown, chmod; mount a disk that became read-only again), or ${others}.`;
  return `Let the user of the node manager make folders in ${folder} (a disk may be full of files, read-only or gone), or ${others}.`;
}
