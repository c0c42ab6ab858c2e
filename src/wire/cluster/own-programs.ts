// Heddle's own programs in containers (masters, tasks): a command names them by variables, and each node puts in where Heddle is installed
// there. So machines need no common path for it.

/** Variables that a node sets for containers whose commands name them. */
export const ownProgramVariables = { runtime: 'HEDDLE_NODE', code: 'HEDDLE_CODE', suffix: 'HEDDLE_CODE_SUFFIX' } as const;

/** The words of a container's command that run `module`, a path below the sources without its ending; `runtimeOptions` are those of Node.js. */
export const ownProgram = (module: string, runtimeOptions: readonly string[] = []): string =>
  `'{{${ownProgramVariables.runtime}}}' ${runtimeOptions.map((option) => `${option} `).join('')}'{{${ownProgramVariables.code}}}/${module}{{${ownProgramVariables.suffix}}}'`;

/** Whether commands run one of Heddle's own programs. */
export const runsOwnProgram = (commands: readonly string[]): boolean =>
  commands.some((command) => command.includes(`{{${ownProgramVariables.runtime}}}`));
