// A thread that asks for one address again and again and, when told to end, answers with the milliseconds of each request.
import { parentPort, workerData } from 'node:worker_threads';
import { answered } from './measure.ts';

const samples: number[] = [];
let ending = false;
parentPort?.once('message', () => {
  ending = true;
});
while (!ending) {
  const begin = performance.now();
  await answered('GET', workerData as string);
  samples.push(performance.now() - begin);
  await new Promise((done) => setTimeout(done, 2));
}
parentPort?.postMessage(samples);
