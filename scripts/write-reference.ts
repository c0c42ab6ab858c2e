// npm run docs: writes docs/reference/, and the generated modules of the client for Python, from the tables of the product: settings, options of queues and jobs, errors, state diagrams, routes, access, commands.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readArguments } from './arguments.ts';
import { accessPage } from './reference/access.ts';
import { commandsPage } from './reference/commands.ts';
import { errorsPage } from './reference/errors.ts';
import { jobOptionsPage } from './reference/job-options.ts';
import { queueOptionsPage } from './reference/queue-options.ts';
import { routesPage } from './reference/routes.ts';
import { settingsPage } from './reference/settings.ts';
import { statesPage } from './reference/states.ts';
import { pythonFolder, pythonModules } from './write-python-client.ts';

/** The folder of the pages, below the root of the repository. */
export const referenceFolder = 'docs/reference';

/** Every page by its file name. */
export async function referencePages(): Promise<Record<string, string>> {
  return {
    'settings.md': settingsPage(),
    'queue-options.md': queueOptionsPage(),
    'job-options.md': jobOptionsPage(),
    'errors.md': errorsPage(),
    'states.md': statesPage(),
    'commands.md': await commandsPage(),
    'routes.md': await routesPage(),
    'access.md': await accessPage(),
  };
}

if (import.meta.main) {
  readArguments('npm run docs', {});
  const folders = { [referenceFolder]: await referencePages(), [pythonFolder]: await pythonModules() };
  for (const [folder, files] of Object.entries(folders)) {
    for (const [name, text] of Object.entries(files)) {
      const path = join(import.meta.dirname, '..', folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      console.log(`${folder}/${name}`);
    }
  }
  process.exit(0); // Servers that were looked at may still have timers.
}
