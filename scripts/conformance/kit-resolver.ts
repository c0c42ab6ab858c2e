// Loaded with --import before scenarios: kits that do not lie beside a folder of scenarios come from HEDDLE_CONFORMANCE_KITS.
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const kits = process.env['HEDDLE_CONFORMANCE_KITS'];

registerHooks({
  resolve(specifier, context, nextResolve) {
    try {
      return nextResolve(specifier, context);
    } catch (error) {
      const isKit = /(^|\/)(kit-[\w-]+|run|compare)\.mjs$/.test(specifier);
      if (!isKit || !kits) throw error;
      return nextResolve(pathToFileURL(join(kits, basename(specifier))).href, context);
    }
  },
});
