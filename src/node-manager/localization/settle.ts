// Gives what was brought here the rights that Hadoop gives it. What is looked at is held while its rights are changed, so that a link which
// stands in its place by then is not followed, and neither is one in the place of a folder above.
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { holdPlace } from '../../lib/held-place.ts';
import { LocalizationFailure } from './errors.ts';

/** Each level holds a descriptor; archives and folders that nest so deeply are refused before. */
const deepest = 2000;

/** Makes everything below `path` readable (and programs executable) and sums up its bytes. @throws LocalizationFailure where it nests too deeply */
export async function settle(path: string, everybody: boolean, depth = 0): Promise<number> {
  if (depth > deepest) throw new LocalizationFailure('it is nested too deeply');
  await using place = await holdPlace(path);
  const { facts } = place;
  if (facts.isSymbolicLink()) return 0;
  if (!facts.isDirectory()) {
    // Local resources are made executable, as in Hadoop (FSDownload.changePermissions).
    await chmod(place.path, everybody ? 0o555 : 0o500);
    return (await stat(place.path)).size;
  }
  await chmod(place.path, everybody ? 0o755 : 0o700);
  let bytes = 0;
  for (const name of await readdir(place.path)) bytes += await settle(join(place.path, name), everybody, depth + 1);
  return bytes;
}
