// Errors of the node interfaces. Sources: NMWebServices, ContainerLogsUtils, AuxServices of Hadoop 3.4.
import { badRequestClass, exceptionPrefix, notFoundClass, webApplicationClass } from './common.ts';
import type { ErrorEntry } from './entry.ts';

const unknownContainer =
  "Unknown container. Container either has not started or has already completed or doesn't belong to this node at all.";

export const nodeErrors = {
  NODE_NAME_ESCAPES: { status: 400, javaClass: 'java.lang.IllegalArgumentException', message: '{what} {name} leaves its folder' },
  NODE_APPLICATION_STATE_UNKNOWN: {
    status: 400,
    javaClass: 'java.lang.IllegalArgumentException',
    message: 'No enum constant org.apache.hadoop.yarn.server.nodemanager.containermanager.application.ApplicationState.{state}',
  },
  NODE_USER_EMPTY: {
    status: 400,
    javaClass: badRequestClass,
    prefix: exceptionPrefix,
    message: 'Error: You must specify a non-empty string for the user',
  },
  NODE_APPLICATION_ID_INVALID: {
    status: 400,
    javaClass: badRequestClass,
    prefix: 'java.lang.IllegalArgumentException: ',
    message: '{reason}',
  },
  NODE_APPLICATION_NOT_FOUND: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: 'app with id {id} not found' },
  NODE_CONTAINER_ID_INVALID: { status: 400, javaClass: badRequestClass, prefix: exceptionPrefix, message: 'invalid container id, {id}' },
  NODE_CONTAINER_NOT_FOUND: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: 'container with id, {id}, not found',
  },
  NODE_FILES_FORBIDDEN: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'User {user} may not look at files of container {id}.',
    remedy: 'They are for the owner of the application, and where access lists are on for administrators, too, as shells in it are.',
  },
  NODE_FILES_OFF: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'This node shows no files of containers: it opens no shells in them.',
    remedy: 'Log files are shown all the same; heddle.node-manager.shell.enabled switches the others on.',
  },
  NODE_FILES_ENDED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} is {state}: its files can be looked at while it runs, and its folder goes with it.',
    remedy: 'Its logs stay: heddle container logs.',
  },
  NODE_FILES_UNREACHABLE: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} cannot be looked into: {reason}.',
    remedy: 'Ask again; where it has ended, its logs stay.',
  },
  NODE_FILES_NO_TOOLS: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} has no programs to look at its files: that takes sh, stat, readlink, head and tail in its image.',
    remedy: 'Add them to the image, or use heddle container exec with what it has.',
  },
  NODE_FILES_SLOW: {
    status: 503,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} did not show its files within {seconds} s.',
    remedy: 'Ask again: its node, or a file system, is busy.',
  },
  NODE_FILE_NOT_FOUND: {
    status: 404,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'There is no {path} in container {id}, or its user does not get there.',
  },
  NODE_FILE_DENIED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'The user of container {id} may not read {path}.',
  },
  NODE_FILE_OUTSIDE: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: '{path} leads out of the folders of container {id}.',
    remedy: 'What else the container can read, heddle container exec shows.',
  },
  NODE_FILE_CREDENTIALS: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: '{path} holds credentials of container {id} (container_tokens, appTokens, what lies in {folder}), which are not shown.',
    remedy: 'Programs in the container have them.',
  },
  NODE_FILE_IS_FOLDER: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: '{path} in container {id} is a folder.',
    remedy: 'Ask for its list.',
  },
  NODE_FILE_NO_FOLDER: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: '{path} in container {id} is no folder.',
    remedy: 'Ask for its content.',
  },
  NODE_FILE_SPECIAL: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: '{path} in container {id} is no file: pipes, sockets and devices are not read.',
  },
  NODE_CONTAINER_STARTED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} already is running on this node!!',
  },
  NODE_TOKEN_EXPIRED: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Unauthorized request to start container {id}. This token is expired.',
    remedy: 'Start containers soon after they were allocated, or ask for another one.',
  },
  NODE_MEMORY_LOST: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.InvalidContainerException',
    message: 'Container {id} was given before this node lost what it remembered: it is over, and is not started again.',
    remedy: 'Its end is in the answer to the next call to allocate; ask for another container.',
  },
  NODE_START_REFUSED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} cannot be started: its application has ended or this node is stopping.',
  },
  NODE_CONTAINER_NOT_HELD: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} is {state}: it cannot {what}.',
    remedy: 'Pause what runs and resume what is paused; not every engine can.',
  },
  NODE_UPDATE_OUTDATED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Container {id} has update version [{current}] >= requested version [{requested}]',
  },
  NODE_CONTAINER_NOT_CHANGED: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message:
      'Cannot perform {what} on [{id}]. Current state is [{state}, isReInitializing={changing}]. Container Execution Type is [{type}].',
    remedy: 'Wait until it runs; opportunistic containers have to be promoted first.',
  },
  NODE_NO_ROLLBACK: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Nothing to rollback to !!',
  },
  NODE_NO_COMMIT: {
    status: 409,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'Nothing to Commit !!',
  },
  NODE_LOGS_UNKNOWN: { status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message: unknownContainer },
  NODE_LOGS_NOT_YET: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: 'Container is not yet running. Current state is {state}',
  },
  NODE_LOGS_NOT_LOCALIZED: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: "Container wasn't started. Localization failed.",
  },
  NODE_LOG_NOT_FOUND: {
    status: 404,
    javaClass: notFoundClass,
    prefix: exceptionPrefix,
    message: 'Cannot find this log on the local disk.',
  },
  NODE_LOGS_FORBIDDEN: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'User [{user}] is not authorized to view the logs for application {application}',
  },
  NODE_USAGE_FORBIDDEN: {
    status: 403,
    javaClass: 'org.apache.hadoop.yarn.exceptions.YarnException',
    message: 'User [{user}] is not authorized to view what containers of application {application} use',
  },
  NODE_LOG_UNREADABLE: {
    status: 404,
    javaClass: notFoundClass,
    message: 'Exception reading log file. It might be because log file was aggregated : {file}',
  },
  NODE_LOG_FORMAT_UNKNOWN: {
    status: 400,
    javaClass: webApplicationClass,
    form: 'text',
    message: 'The valid values for the parameter : format are [text, octet-stream]',
  },
  NODE_SYSFS_UNAVAILABLE: {
    status: 400,
    javaClass: 'org.apache.hadoop.service.ServiceStateException',
    message: 'Implementation unavailable',
    remedy: 'Hand the file to the containers as a local resource.',
  },
  NODE_MANIFEST_DISABLED: {
    status: 400,
    javaClass: badRequestClass,
    prefix: exceptionPrefix,
    message: 'Auxiliary services manifest is not enabled',
  },
  NODE_MANIFEST_ENDS: {
    status: 404,
    javaClass: 'com.fasterxml.jackson.core.io.JsonEOFException',
    message: 'Unexpected end-of-input: expected close marker for {kind} (start marker at {start})\n at {end}',
  },
  NODE_SERVICE_CLASS_UNKNOWN: {
    status: 400,
    javaClass: 'java.lang.RuntimeException',
    message: 'java.lang.ClassNotFoundException: Class {className} not found',
    remedy: 'Name a service that this node has.',
  },
  NODE_SERVICE_NAME_INVALID: {
    status: 400,
    javaClass: 'java.lang.IllegalArgumentException',
    message:
      'The auxiliary service name: {name} is invalid. The valid service name should only contain a-zA-Z0-9_ and cannot start with numbers.',
  },
} as const satisfies Record<string, ErrorEntry>;
