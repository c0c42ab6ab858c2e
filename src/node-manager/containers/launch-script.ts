// The text of launch_container.sh as Hadoop's ContainerLaunch writes it: programs, logs and people rely on it. Debugging information
// is collected by the node (debug-information.ts): nothing but the shell itself stands between the start and the command.

/** What the script needs. */
export interface ScriptFacts {
  /** In the order of their export. */
  readonly environment: readonly (readonly [string, string])[];
  /** Variables kept when the process has them already (yarn.nodemanager.env-whitelist), with the node's value. */
  readonly inherited: readonly (readonly [string, string])[];
  /** Name in the working folder → absolute path; a name may end in `*` (all files of the folder). */
  readonly links: ReadonlyMap<string, string>;
  /** Already expanded. */
  readonly commands: readonly string[];
  /** Where prelaunch.out and prelaunch.err go. */
  readonly logFolder: string;
  /** Whether the node keeps directory.info and a copy of the script (yarn.nodemanager.log-container-debug-info.enabled). */
  readonly debug: boolean;
}

const quoted = (path: string) => `"${path.replace(/[\\"$`]/g, '\\$&')}"`;
/** Every group of commands whose failure ends the script is followed by this. */
const stopOnError = [
  'hadoop_shell_errorcode=$?',
  'if [[ "$hadoop_shell_errorcode" -ne 0 ]]',
  'then',
  '  exit $hadoop_shell_errorcode',
  'fi',
];

/** The script. */
export function launchScript(facts: ScriptFacts): string {
  const log = (name: string) => quoted(`${facts.logFolder}/${name}`);
  const lines = [
    '#!/bin/bash',
    '',
    'set -o pipefail -e',
    `export PRELAUNCH_OUT=${log('prelaunch.out')}`,
    'exec >"${PRELAUNCH_OUT}"',
    `export PRELAUNCH_ERR=${log('prelaunch.err')}`,
    'exec 2>"${PRELAUNCH_ERR}"',
    'echo "Setting up env variables"',
  ];
  for (const [name, value] of facts.inherited) lines.push(`export ${name}=\${${name}:-"${value}"}`);
  for (const [name, value] of facts.environment) lines.push(`export ${name}="${value}"`);
  lines.push('echo "Setting up job resources"');
  for (const [name, target] of facts.links) {
    const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/')) : '';
    if (folder) lines.push(`mkdir -p -- ${quoted(folder)}`, ...stopOnError);
    lines.push(`ln -sf -- ${quoted(target)} ${quoted(name)}`, ...stopOnError);
  }
  if (facts.debug) lines.push('echo "Copying debugging information"');
  lines.push('echo "Launching container"', `exec /bin/bash -c "${facts.commands.join(' ')}"`, ...stopOnError, '');
  return lines.join('\n');
}
