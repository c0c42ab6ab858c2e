// `node:http` for whoever calls or serves with it. An `import` of it evaluates all its exports, three of which are the web's WebSocket and its
// events: with them comes the whole of Node's `fetch`, some MB of memory and some 20 ms of a start that no server needs. Types are free to come
// from `node:http` itself.
import type * as Http from 'node:http';

const http = process.getBuiltinModule('node:http');

export type Agent = Http.Agent;
export const { Agent, createServer, request } = http;
