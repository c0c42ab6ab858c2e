// What an operator can do about the health report of a node, from Hadoop's words for bad folders.

const setting = 'yarn.nodemanager.disk-health-checker.';

/** A sentence for each thing that can be done; none for a report without complaints. */
export function healthRemedies(report: string): string[] {
  const remedies = new Set<string>();
  let rest = report;
  for (const [whole, kind = '', list = ''] of report.matchAll(
    /\d+\/\d+ (local|log)-dirs (?:have errors:|usable space)[^[]*\[ (.*?) \] ?/g,
  )) {
    rest = rest.replace(whole, '');
    for (const [, folder = '', text = ''] of list.matchAll(/(\/.*?) : (.*?)(?=, \/|$)/g)) remedies.add(remedyOf(kind, folder, text));
  }
  for (const [whole, folder = ''] of report.matchAll(
    /The state of the node cannot be written to (.*?): .*?\. Until it can, nothing new is started here\./g,
  )) {
    rest = rest.replace(whole, '');
    remedies.add(`Make room on the disk of ${folder}, or mount it again; the node goes on by itself.`);
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
