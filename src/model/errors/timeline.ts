// Errors of the timeline interfaces. Sentences: TimelineWebServices, TimelineDataManager, TimelineACLsManager of Hadoop 3.4.
import { badRequestClass, exceptionPrefix, forbiddenClass, notFoundClass } from './common.ts';
import type { ErrorEntry } from './entry.ts';

const yarnPrefix = 'org.apache.hadoop.yarn.exceptions.YarnException: ';
const badRequest = (message: string): ErrorEntry => ({ status: 400, javaClass: badRequestClass, prefix: exceptionPrefix, message });
const notFound = (message: string): ErrorEntry => ({ status: 404, javaClass: notFoundClass, prefix: exceptionPrefix, message });
const jackson = (name: string, message: string): ErrorEntry => ({ status: 404, javaClass: `com.fasterxml.jackson.${name}`, message });
const unknownEntity = (exception: string, what: string): ErrorEntry => ({
  status: 404,
  javaClass: notFoundClass,
  prefix: `org.apache.hadoop.yarn.exceptions.${exception}: `,
  message: `The entity for ${what} {id} doesn't exist in the timeline store`,
});

export const timelineErrors = {
  TIMELINE_OWNER_MISSING: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'The owner of the posted timeline {what} is not set',
    remedy: 'Say who you are: user.name, a cookie or a token.',
  },
  TIMELINE_ENTITY_INCOMPLETE: badRequest('Incomplete entity without entity id/type'),
  TIMELINE_ENTITY_TOO_LARGE: badRequest(
    'The entity { id: {id}, type: {type} } brings too much: an entity has at most {filters} values of primary filters, each of which keeps all that is put with it, and one put at most {parts} parts in all of them: put it in smaller pieces',
  ),
  TIMELINE_EVENT_INCOMPLETE: badRequest('Incomplete event without event type'),
  TIMELINE_ENTITY_NOT_FOUND: notFound('Timeline entity { id: {id}, type: {type} } is not found'),
  TIMELINE_ENTITY_HIDDEN: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: yarnPrefix,
    message: '{user} is not allowed to get the timeline entity { id: {id}, type: {type} }.',
  },
  TIMELINE_DOMAIN_MISSING: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: yarnPrefix,
    message: "Domain information of the timeline entity { id: {id}, type: {type} } doesn't exist.",
  },
  TIMELINE_DOMAIN_ID_MISSING: badRequest('Domain ID is not specified.'),
  TIMELINE_DOMAIN_LISTS_MISSING: {
    ...badRequest('Domain {id} exists: give both its readers and its writers.'),
    remedy: 'Send the complete lists; an update replaces them.',
  },
  TIMELINE_DOMAIN_FOREIGN: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: yarnPrefix,
    message: '{user} is not allowed to override an existing domain {id}',
  },
  TIMELINE_DOMAIN_NOT_FOUND: notFound('Timeline domain [{id}] is not found'),
  TIMELINE_DOMAIN_OWNER_MISSING: badRequest('Domain owner is not specified.'),
  TIMELINE_BAD_NUMBER: badRequest(
    'windowStart, windowEnd, fromTs or limit is not a numeric value: java.lang.NumberFormatException: For input string: "{value}"',
  ),
  TIMELINE_BAD_LIST_FIELD: badRequest('requested invalid field: java.lang.IllegalArgumentException: Requested nonexistent field {field}'),
  TIMELINE_BAD_FIELD: {
    status: 400,
    javaClass: badRequestClass,
    prefix: 'java.lang.IllegalArgumentException: ',
    message: 'Requested nonexistent field {field}',
  },
  TIMELINE_BAD_FILTER: {
    ...badRequest('The filter {filter} is not of the form name:value'),
    remedy: 'Write name:value; several secondary filters are separated by commas.',
  },
  TIMELINE_SEARCH_TOO_LONG: {
    ...badRequest('Nothing more was found in {seconds} s; the search was ended.'),
    remedy:
      'Narrow it: a primary filter, windowStart and windowEnd (createdtimestart and createdtimeend in version 2), or a smaller limit.',
  },
  JSON_SYNTAX: jackson('core.JsonParseException', '{detail}'),
  JSON_END: jackson('core.io.JsonEOFException', '{detail}'),
  JSON_MAPPING: jackson('databind.JsonMappingException', '{detail}'),
  JSON_UNKNOWN_MEMBER: jackson(
    'databind.exc.UnrecognizedPropertyException',
    'Unrecognized field "{member}" (class {class}), not marked as ignorable ({known})',
  ),
  JSON_INVALID_FORMAT: jackson(
    'databind.exc.InvalidFormatException',
    'Cannot deserialize value of type `{type}` from String "{value}": not a valid `{type}` value',
  ),
  JSON_MAP_KEY: jackson(
    'databind.exc.InvalidFormatException',
    'Cannot deserialize Map key of type `java.lang.Long` from String "{value}": not a valid representation, problem: (java.lang.NumberFormatException) For input string: "{value}"',
  ),
  JSON_LONG_NOT_KEPT: {
    ...badRequest('The number {value} is not kept: numbers of times lie between -9007199254740991 and 9007199254740991.'),
    remedy: 'Give times in milliseconds since 1970.',
  },
  JSON_MISMATCH: jackson('databind.exc.MismatchedInputException', 'Cannot deserialize value of type `{type}` from {given}'),
  HISTORY_ID_EMPTY: notFound('{word}, {text}, is empty or null'),
  HISTORY_ID_MALFORMED: { status: 400, javaClass: badRequestClass, prefix: 'java.lang.IllegalArgumentException: ', message: '{reason}' },
  HISTORY_ID_MISMATCH: notFound("{outer} and {inner} don't match"),
  HISTORY_APPLICATION_UNKNOWN: unknownEntity('ApplicationNotFoundException', 'application'),
  HISTORY_ATTEMPT_UNKNOWN: unknownEntity('ApplicationAttemptNotFoundException', 'application attempt'),
  HISTORY_CONTAINER_UNKNOWN: unknownEntity('ContainerNotFoundException', 'container'),
  HISTORY_HIDDEN: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: 'org.apache.hadoop.security.authorize.AuthorizationException: ',
    message: 'User {user} does not have privilege to see this application {id}',
  },
  HISTORY_CONTAINER_ID_INVALID: badRequest('Invalid container id: {id}'),
  HISTORY_NOT_STARTED: notFound('The application is not at Running or Finished State.'),
  HISTORY_NO_LOGS: notFound('Can not get log meta for request.'),
  TIMELINE_V2_BAD_REQUEST: badRequest('{reason}'),
  TIMELINE_V2_NOT_FOUND: notFound('{what}'),
  TIMELINE_V2_READ_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} is not allowed to read TimelineService V2 data.',
  },
  COLLECTOR_APPLICATION_MALFORMED: {
    status: 400,
    javaClass: badRequestClass,
    prefix: 'java.lang.IllegalArgumentException: ',
    message: '{reason}',
  },
  COLLECTOR_APPLICATION_UNKNOWN: notFound('Application: {id} is not found'),
  COLLECTOR_WRITE_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'User {user} may not write for {id}: it is of another user.',
  },
  COLLECTOR_SYSTEM_TYPE: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'The resource manager alone writes this of entities of the type {type}.',
  },
  COLLECTOR_BODY_MISSING: badRequest('The request has no entities.'),
  SYSTEM_WRITE_MALFORMED: badRequest('Write {index} cannot be read: {fault}'),
  SYSTEM_WRITE_REFUSED: {
    status: 403,
    javaClass: forbiddenClass,
    prefix: exceptionPrefix,
    message: 'Only the resource manager may write here, not {user}.',
  },
} as const satisfies Record<string, ErrorEntry>;
