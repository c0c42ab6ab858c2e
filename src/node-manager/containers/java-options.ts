// What `<ADD_OPENS>` in a command stands for (ContainerLaunch.expandEnvironment): options without which Hadoop's programs do not run on
// Java 17 and later, and which Java 8 does not know. Hadoop looks at the Java that its node manager runs on; here it is the one that the
// container will find.
import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

export const addOpensMark = '<ADD_OPENS>';

/** ContainerLaunch.ADDITIONAL_JDK17_PLUS_OPTIONS. */
const options =
  '--add-opens=java.base/java.lang=ALL-UNNAMED --add-exports=java.base/sun.net.dns=ALL-UNNAMED --add-exports=java.base/sun.net.util=ALL-UNNAMED';

/** Where a container finds its Java. */
export interface JavaPlace {
  /** JAVA_HOME of its order; one that names other variables is not looked at. */
  readonly ordered: string | undefined;
  /** JAVA_HOME and PATH of the node. */
  readonly javaHome: string | undefined;
  readonly path: string | undefined;
}

/** The options for that Java; none for an older one, or where there is none that says its version. */
export async function addedOpens({ ordered, javaHome, path }: JavaPlace): Promise<string> {
  const named = [ordered, javaHome].find((home) => home !== undefined && isAbsolute(home) && !/[${]/.test(home));
  const home = named ?? (await homeOnPath(path ?? ''));
  if (home === undefined) return '';
  const release = await beginningOf(join(home, 'release')).catch(() => '');
  const version = Number(/^JAVA_VERSION="(\d{1,4})/m.exec(release)?.[1] ?? 0);
  return version >= 17 ? options : '';
}

const longestRelease = 64 * 1024;

/** What a file begins with. Who orders the container names it: one that is a pipe would be waited at, by one of the few threads for files. */
async function beginningOf(path: string): Promise<string> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) return '';
  const { buffer, bytesRead } = await file.read(Buffer.alloc(longestRelease), 0, longestRelease, 0);
  return buffer.toString('utf8', 0, bytesRead);
}

async function homeOnPath(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const found = await realpath(join(folder, 'java')).catch(() => undefined);
    if (found !== undefined) return dirname(dirname(found));
  }
  return undefined;
}
