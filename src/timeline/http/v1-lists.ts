// The long answers of timeline v1 as text, piece by piece: entities, and events of entities.
import type { Format } from '../../http/negotiate.ts';
import { writeJson } from '../../wire/codec/json.ts';
import { jsonPieces, xmlElementPieces } from '../../wire/codec/pieces.ts';
import { writeXmlElement, xmlPrologue } from '../../wire/codec/xml.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import { timelineEntity, timelineEventsOfEntity } from '../../wire/timeline/v1-records.ts';
import type { EntityEvents } from '../store/entity-lists.ts';
import type { Gradually } from '../store/gradually.ts';
import { gatheredPieces, itemPieces, listPieces, type TextPieces, type Written } from './long-answer.ts';

const entityJson = (entity: TimelineEntity): Written => jsonPieces(timelineEntity, entity) ?? writeJson(timelineEntity, entity);
/** `name`: of the element. */
const entityXml =
  (name: string) =>
  (entity: TimelineEntity): Written =>
    xmlElementPieces(name, timelineEntity, entity);

/** One entity as text. */
export const entityText = (format: Format, entity: Gradually<TimelineEntity>): TextPieces =>
  format === 'json' ? itemPieces(entity, entityJson) : itemPieces(entity, entityXml('entity'), xmlPrologue);

/** A list of entities as text. */
export function entitiesText(format: Format, found: Iterable<TimelineEntity | undefined>): TextPieces {
  if (format === 'json') return listPieces(found, { open: '{"entities":[', separator: ',', close: ']}', write: entityJson });
  return listPieces(found, { open: `${xmlPrologue}<entities>`, separator: '', close: '</entities>', write: entityXml('entities') });
}

/** Events of entities as text; parts of the same entity that follow each other become one element. */
export function eventsText(format: Format, found: Iterable<EntityEvents | undefined>): TextPieces {
  const isJson = format === 'json';
  const text = (events: EntityEvents): string =>
    isJson ? writeJson(timelineEventsOfEntity, events) : writeXmlElement('events', timelineEventsOfEntity, events);
  // What closes an entity's element: all the rest of it stands before its events.
  const end = isJson ? ']}' : '</events>';
  const open = isJson ? '{"events":[' : `${xmlPrologue}<events>`;
  let current: { readonly entity: string; isEmpty: boolean } | undefined;
  const write = (part: EntityEvents): string => {
    const head = text({ ...part, events: [] }).slice(0, -end.length);
    const content = text(part).slice(head.length, -end.length);
    let before = '';
    if (part.entity !== current?.entity) {
      before = (current ? end + (isJson ? ',' : '') : open) + head;
      current = { entity: part.entity, isEmpty: true };
    }
    const separator = isJson && !current.isEmpty && content !== '' ? ',' : '';
    current.isEmpty &&= content === '';
    return before + separator + content;
  };
  return gatheredPieces(found, write, () => (current ? end : open) + (isJson ? ']}' : '</events>'));
}
