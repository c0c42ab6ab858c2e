// Which syntax a module of the user's is in: what it looks like says so, whatever its package.json says.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';

/** The words by which Node.js itself tells modules from scripts, where no package.json says which they are. */
const faultOfModules =
  /^(?:Cannot use import statement outside a module|Unexpected token 'export'|Cannot use 'import\.meta' outside a module)$/;
/** A line that only a module begins so; the compiler cannot be asked while there are types. */
const lineOfModules = /^[ \t]*(?:import[ \t{*'"]|export[ \t{*])/m;
const parametersOfCommonJs = ['exports', 'require', 'module', '__filename', '__dirname'];

function isModule(source: string): boolean {
  try {
    compileFunction(source, parametersOfCommonJs);
    return false;
  } catch (error) {
    return error instanceof SyntaxError && faultOfModules.test(error.message);
  }
}

/** What a file is taken for by its package.json, what it is where it is a module, and how that is seen. */
const formats: Readonly<Record<string, { readonly taken: string; readonly isModule: (source: string) => boolean }>> = {
  commonjs: { taken: 'module', isModule },
  'commonjs-typescript': { taken: 'module-typescript', isModule: (source) => lineOfModules.test(source) },
};

let isArranged = false;

/**
 * Lets files with imports and exports be modules below a package.json with `"type": "commonjs"`, which `npm init` writes: files of the user's own
 * (not in node_modules) that are named `.js` or `.ts`, from now on and in this process.
 */
export function takeModulesByTheirSyntax(): void {
  if (isArranged) return;
  isArranged = true;
  registerHooks({
    load(url, context, nextLoad) {
      const format = formats[context.format ?? ''];
      const isOwn = /^file:.*\.[jt]s$/.test(url) && !url.includes('/node_modules/');
      return format !== undefined && isOwn && format.isModule(readFileSync(fileURLToPath(url), 'utf8'))
        ? nextLoad(url, { ...context, format: format.taken })
        : nextLoad(url, context);
    },
  });
}
