// The long answers of timeline v1 as text, piece by piece: entities, and events of entities.
import type { Format } from '../../http/negotiate.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { writeXmlElement, xmlPrologue } from '../../wire/codec/xml.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import { timelineEntity, timelineEventsOfEntity } from '../../wire/timeline/v1-records.ts';
import type { EntityEvents } from '../store/entity-lists.ts';
import { listPieces } from './long-answer.ts';

/** A list of entities as text. */
export function entitiesText(format: Format, found: Iterable<TimelineEntity | undefined>): Iterator<string> {
  if (format === 'json')
    return listPieces(found, { open: '{"entities":[', separator: ',', close: ']}', write: (entity) => writeJson(timelineEntity, entity) });
  const write = (entity: TimelineEntity) => writeXmlElement('entities', timelineEntity, entity);
  return listPieces(found, { open: `${xmlPrologue}<entities>`, separator: '', close: '</entities>', write });
}

/** Events of entities as text; parts of the same entity that follow each other become one element. */
export function* eventsText(format: Format, found: Iterable<EntityEvents | undefined>): Generator<string, undefined> {
  const isJson = format === 'json';
  const write = (events: EntityEvents): string =>
    isJson ? writeJson(timelineEventsOfEntity, events) : writeXmlElement('events', timelineEventsOfEntity, events);
  // What closes an entity's element: all the rest of it stands before its events.
  const end = isJson ? ']}' : '</events>';
  let text = isJson ? '{"events":[' : `${xmlPrologue}<events>`;
  let current: { readonly entity: string; isEmpty: boolean } | undefined;
  for (const part of found) {
    if (part) {
      const head = write({ ...part, events: [] }).slice(0, -end.length);
      const content = write(part).slice(head.length, -end.length);
      if (part.entity !== current?.entity) {
        text += (current ? end + (isJson ? ',' : '') : '') + head;
        current = { entity: part.entity, isEmpty: true };
      }
      text += (isJson && !current.isEmpty && content !== '' ? ',' : '') + content;
      current.isEmpty &&= content === '';
    }
    yield part ? text : '';
    if (part) text = '';
  }
  yield text + (current ? end : '') + (isJson ? ']}' : '</events>');
  return;
}
