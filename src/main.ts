// The executable: `heddle COMMAND …`. Loads only what the command needs.

// The sources lie beside it in a checkout, their built form in an installed package.
const { useCompileCache } = (await import(new URL('../bin/compile-cache.js', import.meta.url).href)) as { useCompileCache: () => void };
useCompileCache();
if (process.argv[2] === 'command-master') {
  // Its container is small: it has no use for the command line.
  const { commandMaster } = await import('./batch/command/main.ts');
  process.exitCode = await commandMaster();
} else {
  const [{ runCommandLine }, { startRole, startRoleInThread }] = await Promise.all([import('./cli/program.ts'), import('./roles.ts')]);
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    startRole,
    startRoleInThread,
    stores: async (configuration) => (await import('./stores.ts')).storesOf(configuration),
  });
}
