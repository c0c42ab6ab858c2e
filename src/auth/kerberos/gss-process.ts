// The process that works with Kerberos keys. libgssapi reads strangers' bytes in C and finds its keytab by its environment alone, so it gets
// an environment and a memory of its own, apart from the server's.
import { createInterface } from 'node:readline';
import type { GssAnswer, GssGreeting, GssQuestion } from './gss-messages.ts';

type Kerberos = typeof import('kerberos');

const say = (message: GssGreeting | GssAnswer): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

let kerberos: Kerberos;
try {
  const loaded = (await import('kerberos')) as Kerberos & { default?: Kerberos };
  kerberos = loaded.default ?? loaded;
} catch (error) {
  say({ ready: false, reason: (error as Error).message.split('\n')[0] ?? '' });
  process.exit(1);
}

async function answer(question: GssQuestion): Promise<GssAnswer> {
  const { id } = question;
  try {
    if ('accept' in question) {
      // Without a name of its own the server accepts tickets for every key of its keytab, and is told which one it was.
      const server = await kerberos.initializeServer('');
      const token = await server.step(question.accept);
      return { id, user: server.username, target: server.targetName, token: token || undefined };
    }
    const client = await kerberos.initializeClient(question.initiate, {
      mechOID: kerberos.GSS_MECH_OID_SPNEGO,
      ...(question.principal === undefined ? {} : { principal: question.principal }),
    });
    return { id, token: await client.step('') };
  } catch (error) {
    return { id, refused: (error as Error).message };
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  void answer(JSON.parse(line) as GssQuestion).then(say);
});
say({ ready: true });
