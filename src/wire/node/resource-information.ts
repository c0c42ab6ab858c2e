// `GET /resources/{name}`: NMResourceInfo, empty where no plug-in knows the resource.
import { record } from '../codec/describe.ts';

export const resourceInformation = record('nmResourceInfo', {}, { json: 'natural', wrapped: false });
