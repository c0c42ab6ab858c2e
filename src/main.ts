// The executable: `heddle COMMAND …`. Loads only what the command needs.
import { enableCompileCache } from 'node:module';

enableCompileCache?.();
const [{ runCommandLine }, { startRole, startRoleInThread }] = await Promise.all([import('./cli/program.ts'), import('./roles.ts')]);
process.exitCode = await runCommandLine(process.argv.slice(2), { startRole, startRoleInThread });
