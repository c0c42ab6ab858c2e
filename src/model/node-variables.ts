/** Variables that a node sets for each container, whatever its order says of them (ContainerLaunch.sanitizeEnv of Hadoop); in the order in which it does. */
export const nodeVariables = [
  'HADOOP_TOKEN_FILE_LOCATION',
  'CONTAINER_ID',
  'NM_PORT',
  'NM_HOST',
  'NM_HTTP_PORT',
  'LOCAL_DIRS',
  'LOCAL_USER_DIRS',
  'LOG_DIRS',
  'USER',
  'LOGNAME',
  'HOME',
  'PWD',
  'LOCALIZATION_COUNTERS',
] as const;

/** The name of one of them. */
export type NodeVariable = (typeof nodeVariables)[number];
