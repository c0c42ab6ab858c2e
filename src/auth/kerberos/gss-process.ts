// The process that works with Kerberos keys. libgssapi reads strangers' bytes in C and finds its keytab by its environment alone, so it gets
// an environment and a memory of its own, apart from the server's.
import { createInterface } from 'node:readline';
import { type GssContext, type GssLibrary, loadGssLibrary, type OwnCredential } from './gss-library.ts';
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

let library: Promise<GssLibrary> | undefined;
/** Whose tickets are shown to other servers, by principal. */
const own = new Map<string, Promise<OwnCredential>>();
/** By the number of the question that began them. */
const contexts = new Map<number, GssContext>();

function contextOf(number: number): GssContext {
  const context = contexts.get(number);
  if (!context) throw new Error('the context is gone');
  return context;
}

/** Logs in anew. What was there stays until the KDC has said yes, and beyond where it does not. */
async function logIn(principal: string, keytab: string): Promise<OwnCredential> {
  library ??= loadGssLibrary();
  const credential = await (await library).logIn(principal, keytab);
  own.set(principal, Promise.resolve(credential));
  return credential;
}

function ownCredential(principal: string, keytab: string): Promise<OwnCredential> {
  const known = own.get(principal);
  if (known) return known;
  const login = logIn(principal, keytab);
  own.set(principal, login);
  login.catch(() => own.delete(principal));
  return login;
}

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64');

/** Messages are wrapped and unwrapped without a pause: they have numbers, so their order counts. */
async function answer(question: Exclude<GssQuestion, { readonly forget: number }>): Promise<GssAnswer> {
  const { id } = question;
  try {
    if ('wrap' in question)
      return { id, token: contextOf(question.context).wrap(bytesOf(question.wrap), question.isPrivate).toString('base64') };
    if ('unwrap' in question) {
      const { message, isPrivate } = contextOf(question.context).unwrap(bytesOf(question.unwrap));
      return { id, message: message.toString('base64'), isPrivate };
    }
    if ('begin' in question) {
      library ??= loadGssLibrary();
      const context = (await library).accept(bytesOf(question.begin));
      contexts.set(id, context);
      return { id, user: context.user, target: context.target, token: context.token.toString('base64') };
    }
    if ('login' in question) return { id, lifetimeMs: (await logIn(question.login, question.keytab)).lifetimeMs };
    if ('show' in question) {
      const credential = await ownCredential(question.principal, question.keytab);
      return { id, token: (await credential.tokenFor(question.show)).toString('base64') };
    }
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
  const question = JSON.parse(line) as GssQuestion;
  if (!('forget' in question)) return void answer(question).then(say);
  contexts.get(question.forget)?.end();
  contexts.delete(question.forget);
});
say({ ready: true });
