// A program of whoever wants a shell: takes attempts as JSON on its input, makes them one after the other, and prints what came of each.
import { WebSocket } from 'ws';

const longestMs = 15_000;

const attempt = ({ url, headers = {}, speaksHadoop = false, command }) =>
  new Promise((resolve) => {
    let output = '';
    const socket = new WebSocket(url, speaksHadoop ? [] : 'heddle.shell.v1', { headers, perMessageDeflate: false });
    const late = setTimeout(() => done({ status: 0, reason: 'no end' }), longestMs);
    const done = (end) => {
      clearTimeout(late);
      resolve({ ...end, output });
      socket.terminate();
    };
    socket.on('error', (error) => done({ status: 0, reason: error.message }));
    socket.on('unexpected-response', (_request, answer) => done({ status: answer.statusCode, reason: answer.statusMessage }));
    socket.on('open', () => {
      if (speaksHadoop) socket.send(`${command}; exit\r`);
      else socket.send(JSON.stringify({ type: 'start', command: ['bash', '-c', command] }));
    });
    socket.on('message', (data, isBinary) => {
      if (isBinary) output += data.subarray(1).toString('latin1');
      else if (speaksHadoop) output += data.toString('utf8');
    });
    socket.on('close', (code, reason) => done({ status: 101, code, reason: String(reason) }));
  });

let input = '';
for await (const piece of process.stdin.setEncoding('utf8')) input += piece;
const ends = [];
for (const each of JSON.parse(input)) ends.push(await attempt(each));
process.stdout.write(JSON.stringify(ends));
