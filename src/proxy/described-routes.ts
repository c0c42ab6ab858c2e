// What the routes of the proxy read and answer, for `/openapi.json`.
import { answering, type InterfaceDescription, proxyRoutes, textAnswer } from '../http/described.ts';

export const describedRoutes: InterfaceDescription = { ...proxyRoutes, '/': answering(textAnswer('What this is.')) };
