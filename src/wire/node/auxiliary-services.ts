// `GET /auxiliaryservices`: AuxiliaryServicesInfo.
import { list, object, record, text } from '../codec/describe.ts';

export const auxiliaryServices = record(
  'services',
  { service: list(object({ name: text(), version: text(), startTime: text() })) },
  { json: 'natural' },
);
