// `heddle run --secret NAME=FILE`: what is read here travels in the credentials of the submission, as Hadoop's clients send secrets, and becomes
// a file of each container.
import { readFileSync, statSync } from 'node:fs';
import { systemErrorText } from '../lib/system-error.ts';
import { CommandFailure } from './failure.ts';

const longestSecretBytes = 64 * 1024;
const mostSecrets = 64;

/** The secrets of `NAME=FILE`, by name. @throws CommandFailure */
export function readSecrets(texts: readonly string[] = []): ReadonlyMap<string, Buffer> {
  const secrets = new Map<string, Buffer>();
  if (texts.length > mostSecrets) throw new CommandFailure(`--secret: more than ${mostSecrets} are given`, 'Put several into one file.', 2);
  for (const text of texts) {
    const at = text.indexOf('=');
    const [name, path] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    if (!/^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(name) || path === '')
      throw new CommandFailure(
        '--secret: what is given is not NAME=FILE',
        'Give the name of a variable and the file that holds the secret.',
        2,
      );
    if (/^HEDDLE_(?:ATTEMPT|JOB)_TOKEN$/.test(name))
      throw new CommandFailure(`--secret ${name}: is a name of Heddle's own`, 'Give another.', 2);
    secrets.set(name, readSecret(name, path));
  }
  return secrets;
}

function readSecret(name: string, path: string): Buffer {
  let bytes: Buffer;
  try {
    if (statSync(path).size > longestSecretBytes)
      throw new CommandFailure(`--secret ${name}: ${path} is longer than ${longestSecretBytes} bytes`, 'Bring large files with --file.', 2);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`--secret ${name}: ${systemErrorText(error, path)}`, 'Name a file that holds the secret.', 2);
  }
  if (!Buffer.from(bytes.toString('utf8')).equals(bytes))
    throw new CommandFailure(
      `--secret ${name}: ${path} is no text`,
      'Encode it, with base64 for example, and decode it in the command.',
      2,
    );
  return bytes;
}

/** The member `credentials` of a launch context; nothing where there are no secrets. */
export const credentialsOf = (secrets: ReadonlyMap<string, Buffer>): object =>
  secrets.size === 0
    ? {}
    : { credentials: { secrets: { entry: [...secrets].map(([key, value]) => ({ key, value: value.toString('base64url') })) } } };
