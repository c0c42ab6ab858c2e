// Words that people bring from `yarn`, `mapred`, `nomad` and their like, for what is called otherwise here.

const listed = '"heddle --help" lists the commands';
const ofHadoop = `${listed}, docs/operate/commands.md has them beside those of yarn and mapred, which themselves work with the files of "heddle config client DIR".`;
const noFiles =
  'Heddle keeps no files: HDFS goes on beside it with its own commands, and "heddle run --file" brings files of folders and of http, webhdfs and s3a addresses.';

/** The programs themselves, for who types a whole line behind `heddle`, and what leads on where nothing is known of that line. */
const programs: Readonly<Record<string, string>> = {
  yarn: ofHadoop,
  mapred: ofHadoop,
  hadoop: noFiles,
  hdfs: noFiles,
  nomad: `${listed}, docs/operate/commands.md has them beside those of nomad.`,
  kubectl: `${listed}.`,
  docker: `${listed}.`,
};

/** What stands behind `heddle` here, by the words there: a command, or a command and its verb with as many dashes as it has there. */
const here: Readonly<Record<string, string>> = {
  // yarn
  application: 'app list',
  'application -list': 'app list',
  'application -status': 'app show ID',
  'application -kill': 'app kill ID',
  'application -movetoqueue': 'app move ID QUEUE',
  'application -changeQueue': 'app move ID QUEUE',
  'application -updatePriority': 'app priority ID NUMBER',
  'application -updateLifetime': 'app lifetime ID TIME',
  'application -flex': 'app scale ID INSTANCES',
  applicationattempt: 'app show ID',
  'container -list': 'container list',
  'container -status': 'container show ID',
  'container -signal': 'container signal ID',
  'container -shell': 'container exec ID',
  logs: 'app logs ID',
  'node -list': 'node list',
  'node -status': 'node show ID',
  'queue -list': 'queue list',
  'queue -status': 'queue show QUEUE',
  'queue -info': 'queue show QUEUE',
  'cluster --list-node-labels': 'label list',
  'cluster -list-node-labels': 'label list',
  'cluster -lnl': 'label list',
  rmadmin: 'admin --help',
  'rmadmin -refreshQueues': 'admin refresh-queues',
  'rmadmin -refreshNodes': 'admin refresh-nodes',
  'rmadmin -refreshNodesResources': 'admin refresh-nodes-resources',
  'rmadmin -refreshAdminAcls': 'admin refresh-access',
  'rmadmin -refreshServiceAcl': 'admin refresh-access',
  'rmadmin -refreshUserToGroupsMappings': 'admin refresh-access',
  'rmadmin -refreshSuperUserGroupsConfiguration': 'admin refresh-access',
  'rmadmin -getServiceState': 'cluster status',
  'rmadmin -getAllServiceState': 'cluster status',
  'rmadmin -checkHealth': 'cluster status',
  'rmadmin -addToClusterNodeLabels': 'label add NAME',
  'rmadmin -removeFromClusterNodeLabels': 'label remove NAME',
  'rmadmin -replaceLabelsOnNode': 'node labels NODE LABEL',
  'rmadmin -updateNodeResource': 'node resource NODE --memory 8g',
  'rmadmin -getGroups': 'user groups NAME',
  daemonlog: 'server log-level',
  'daemonlog -getlevel': 'server log-level',
  'daemonlog -setlevel': 'server log-level LEVEL',
  nodeattributes: 'node attributes',
  schedulerconf: 'queue set QUEUE KEY=VALUE',
  jar: 'batch streaming INPUT OUTPUT MAPPER REDUCER',
  streaming: 'batch streaming INPUT OUTPUT MAPPER REDUCER',
  resourcemanager: 'start resource-manager',
  nodemanager: 'start node-manager',
  timelineserver: 'start timeline',
  proxyserver: 'start proxy',
  sls: 'simulate FILE',
  historyserver: 'start history',
  // mapred
  'job -list': 'job list',
  'job -status': 'job show ID',
  'job -kill': 'job kill ID',
  'job -counter': 'job counters ID',
  'job -history': 'job history ID',
  'job -events': 'job events ID',
  'job -logs': 'job logs ID',
  'job -list-attempt-ids': 'job attempts ID',
  'job -kill-task': 'job kill ID',
  'job -fail-task': 'job fail ID',
  'job -set-priority': 'app priority ID NUMBER',
  'job -list-active-trackers': 'node list',
  // nomad
  agent: 'up',
  alloc: 'container list',
  'alloc status': 'container show ID',
  'alloc logs': 'container logs ID',
  'alloc exec': 'container exec ID -- COMMAND',
  'alloc signal': 'container signal ID',
  'alloc stop': 'container signal ID',
  'alloc fs': 'container files ID',
  'job run': 'run FILE.yaml',
  'job plan': 'run FILE.yaml --plan',
  'job status': 'app show ID',
  'job scale': 'app scale ID INSTANCES',
  'job stop': 'app kill ID',
  'job inspect': 'app show ID',
  'job periodic': 'schedule run NAME',
  'job allocs': 'app containers ID',
  'job validate': 'run FILE.yaml --dry-run',
  'job dispatch': 'schedule run NAME',
  'node status': 'node show ID',
  'node eligibility': 'node drain ID',
  acl: 'token create NAME',
  'server members': 'cluster status',
  eval: 'app explain ID',
  event: 'events',
  plan: 'run FILE.yaml --plan',
  monitor: 'server log --follow',
  namespace: 'queue list',
  operator: 'backup DIR',
  ui: 'status',
  // of everybody
  apps: 'app list',
  applications: 'app list',
  ps: 'app list',
  ls: 'app list',
  kill: 'app kill ID',
  scale: 'app scale ID INSTANCES',
  exec: 'container exec ID -- COMMAND',
  submit: 'run -- COMMAND',
  stop: 'down',
  jobs: 'job list',
  nodes: 'node list',
  queues: 'queue list',
  containers: 'container list',
  labels: 'label list',
  schedules: 'schedule list',
  version: '--version',
  get: 'app list',
  'get pods': 'app containers ID',
  'get nodes': 'node list',
  'get jobs': 'app list',
  'get cronjobs': 'schedule list',
  describe: 'app show ID',
  'describe node': 'node show ID',
  'describe pod': 'container show ID',
  delete: 'app kill ID',
  apply: 'run FILE.yaml',
  create: 'run FILE.yaml',
  attach: 'app logs ID --follow',
  list: 'app list',
  info: 'cluster status',
  login: 'context add NAME --cluster URL --token-file FILE',
  serve: 'up',
  init: 'up',
  history: 'job list',
  sbatch: 'run --detach -- COMMAND',
  srun: 'run -- COMMAND',
  squeue: 'app list',
  scancel: 'app kill ID',
  sinfo: 'node list',
};

/** Which words there are, so that a test can hold each to a command. */
export const wordsOfOthers: readonly (readonly [there: string, here: string])[] = Object.entries(here);

/** How the command that somebody typed in another tool's words is called here; undefined where nobody knows. */
export function calledHere([first = '', ...rest]: readonly string[]): string | undefined {
  if (Object.hasOwn(programs, first)) return calledHere(rest);
  const [second = ''] = rest;
  // `yarn app` is the newer name of `yarn application`; a noun that there is here, too, says nothing by itself.
  for (const words of [`${first === 'app' ? 'application' : first} ${second}`, first]) if (Object.hasOwn(here, words)) return here[words];
  return undefined;
}

/** What leads on who typed a line of another program of which nobody knows what it is here. */
export function leadOn([first = '']: readonly string[]): string | undefined {
  return Object.hasOwn(programs, first) ? programs[first] : undefined;
}
