// Rules of the house that a machine can check: who may import whom, length and depth of files, no paths of one machine.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, it } from 'node:test';
import { testFiles } from './support/test-files.ts';

const root = join(import.meta.dirname, '..');
const maximumLines = 600;
const maximumDepth = 3;

/** What each folder below src/ may import, besides itself. */
const mayImport: Record<string, readonly string[]> = {
  lib: [],
  model: ['lib'],
  config: ['lib', 'model'],
  wire: ['lib', 'model'],
  auth: ['lib', 'model', 'config', 'wire'],
  http: ['lib', 'model', 'config', 'wire', 'auth'],
  storage: ['lib', 'model', 'config'],
  engines: ['lib', 'model', 'config'],
  client: ['lib', 'model', 'config', 'wire', 'auth'],
  scheduler: ['lib', 'model'],
  'scheduler-settings': ['lib', 'model', 'config', 'auth', 'scheduler'],
  rpc: ['lib', 'model', 'config', 'wire', 'auth'],
  'resource-manager': ['lib', 'model', 'config', 'wire', 'auth', 'http', 'rpc', 'storage', 'client', 'scheduler', 'scheduler-settings'],
  timeline: ['lib', 'model', 'config', 'wire', 'auth', 'http', 'rpc', 'storage', 'client'],
  history: ['lib', 'model', 'config', 'wire', 'auth', 'http', 'rpc', 'storage', 'client'],
  'node-manager': ['lib', 'model', 'config', 'wire', 'auth', 'http', 'rpc', 'storage', 'client', 'engines'],
  batch: ['lib', 'model', 'config', 'wire', 'auth', 'http', 'client'],
  proxy: ['lib', 'model', 'config', 'wire', 'auth', 'http', 'client'],
  // What runs in browsers: types alone, and what `servesBrowsers` names (tested below).
  web: ['wire', 'model'],
  // `heddle simulate` runs the scheduler on virtual time: its policies and their settings, nothing that serves.
  simulation: ['lib', 'model', 'config', 'scheduler', 'scheduler-settings'],
  // `heddle run` and `heddle batch` are clients of batch/: submission and the masters they start. `heddle simulate` loads simulation/.
  cli: ['lib', 'model', 'config', 'wire', 'auth', 'client', 'batch', 'simulation'],
};

/** What each part of the resource manager may import of the others, besides itself; a file beside the folders is a part of its name. */
const mayImportInside: Record<string, readonly string[]> = {
  applications: [],
  nodes: [],
  reservations: ['store'],
  staging: [],
  store: ['applications', 'nodes'],
  labels: ['nodes', 'store'],
  security: ['applications', 'store'],
  'queue-configuration': ['store', 'queue-history'],
  'queue-history': ['store'],
  // Its façade is cluster.ts.
  cluster: ['applications', 'nodes', 'labels', 'store'],
  publishing: ['applications', 'cluster'],
  commands: [
    'applications',
    'nodes',
    'labels',
    'reservations',
    'security',
    'staging',
    'store',
    'queue-configuration',
    'queue-history',
    'cluster',
  ],
  schedules: ['store'],
  traces: ['applications', 'cluster'],
  webhooks: ['security', 'store', 'commands', 'views'],
  // What both doors show.
  views: ['applications', 'nodes', 'labels', 'security', 'store', 'cluster', 'commands'],
  http: [
    'applications',
    'nodes',
    'labels',
    'reservations',
    'security',
    'staging',
    'store',
    'queue-configuration',
    'cluster',
    'commands',
    'views',
  ],
  rpc: ['applications', 'nodes', 'labels', 'reservations', 'security', 'store', 'cluster', 'commands', 'views'],
};
/** They put the parts together. */
const builders = new Set(['start', 'server']);

function filesBelow(folder: string, ending: RegExp): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  } catch {
    return [];
  }
}

/** Files that git knows or would know, so that what was only built is left out. */
function ownFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((name) => name !== '');
}

const sources = filesBelow('src', /\.tsx?$/);
const folderOf = (file: string): string => (file.split(sep).length > 2 ? (file.split(sep)[1] ?? '') : '');

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from\s+|import\s+|import\()\s*'(\.[^']+)'/g)].map((found) => normalize(join(dirname(file), found[1] ?? '')));
}

/** What a file loads before it runs: no types, nothing that is imported only when it is needed. */
function loadedBy(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^(?:import|export)\s+(?!type\b)([^;]*?)\s*from\s+'(\.[^']+)'/gm)]
    .filter(
      ([, names = '']) =>
        !names.startsWith('{') ||
        names
          .slice(1, -1)
          .split(',')
          .some((name) => /^\s*(?!type )\S/.test(name)),
    )
    .map(([, , target = '']) => normalize(join(dirname(file), target)))
    .filter((target) => /\.tsx?$/.test(target));
}

describe('the order of imports', () => {
  it('knows every folder', () => {
    const folders = new Set(sources.map(folderOf).filter((folder) => folder !== ''));
    assert.deepEqual(
      [...folders].filter((folder) => !(folder in mayImport)),
      [],
    );
  });

  it('goes downwards only', () => {
    const crossings: string[] = [];
    for (const file of sources) {
      const folder = folderOf(file);
      if (folder === '') continue;
      for (const target of importsOf(file)) {
        if (!target.startsWith(`src${sep}`)) continue;
        const other = folderOf(target);
        if (other !== folder && !mayImport[folder]?.includes(other)) crossings.push(`${file} imports ${target}`);
      }
    }
    assert.deepEqual(crossings, []);
  });

  // Answers in Hadoop's shape have exit statuses and means as numbers alone; what they mean, and which are none, stands in one place.
  const servesBrowsers: ReadonlySet<string> = new Set(['exit-status.ts', 'job-means.ts'].map((name) => join('src', 'model', name)));

  it('takes nothing but types into what runs in browsers', () => {
    const inside = sources.filter((file) => folderOf(file) === 'web' && !isTest(file));
    const crossings = inside.flatMap((file) => loadedBy(file).map((target) => ({ file, target })));
    assert.deepEqual(
      crossings.filter(({ target }) => !target.startsWith(join('src', 'web', '')) && !servesBrowsers.has(target)),
      [],
    );
    assert.ok(crossings.length > 20);
    assert.deepEqual([...servesBrowsers].flatMap(loadedBy), [], 'what browsers load, too');
  });

  it('goes downwards only inside the resource manager: doors, commands, cluster, entities', () => {
    const partOf = (file: string): string | undefined => {
      const [src, server, part = ''] = file.split(sep);
      return src === 'src' && server === 'resource-manager' ? part.replace(/\.ts$/, '') : undefined;
    };
    const crossings: string[] = [];
    for (const file of sources.filter((name) => !isTest(name))) {
      const part = partOf(file);
      if (part === undefined || builders.has(part)) continue;
      for (const target of importsOf(file)) {
        const other = partOf(target);
        if (other !== undefined && other !== part && !mayImportInside[part]?.includes(other)) crossings.push(`${file} imports ${target}`);
      }
    }
    assert.deepEqual(crossings, []);
  });

  it('leads from no entity of the resource manager to the wire', () => {
    const entities = sources.filter((file) => /^src[/\\]resource-manager[/\\](?:applications|nodes)[/\\]/.test(file) && !isTest(file));
    const crossings = entities.flatMap((file) =>
      importsOf(file)
        .filter((target) => target.startsWith(join('src', 'wire')))
        .map(() => file),
    );
    assert.deepEqual(crossings, []);
  });

  /** One model: a queue knows its applications and their line, and these know their queue. */
  const queueModel: ReadonlySet<string> = new Set(
    ['application.ts', join('cycle', 'line.ts'), join('limits', 'refusal.ts'), join('queues', 'queue.ts')].map((name) =>
      join('src', 'scheduler', 'capacity', name),
    ),
  );

  it('runs in no circle, neither by types nor by what is loaded later', () => {
    const product = sources.filter((file) => !/\.test\.ts$/.test(file));
    const done = new Set<string>();
    const way: string[] = [];
    const walk = (file: string): void => {
      assert.ok(!way.includes(file), [...way.slice(way.indexOf(file)), file].join(' → '));
      if (done.has(file)) return;
      way.push(file);
      for (const target of importsOf(file))
        if (target.startsWith(`src${sep}`) && /\.tsx?$/.test(target) && !(queueModel.has(file) && queueModel.has(target))) walk(target);
      way.pop();
      done.add(file);
    };
    for (const file of product) walk(file);
    assert.equal(done.size, product.length);
  });

  it('keeps tests and scripts out of the product', () => {
    const crossings = sources
      .filter((file) => !/\.(test|conformance)\.ts$/.test(file))
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => !target.startsWith(`src${sep}`) || /\.test\.ts$/.test(target));
    assert.deepEqual(
      crossings.map(({ file, target }) => `${file} imports ${target}`),
      [],
    );
  });
});

/** Code without comments: what stands between quotes stays. */
const codeOf = (file: string): string => readFileSync(join(root, file), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
const isTest = (file: string): boolean => /\.(test|conformance)\.ts$|[/\\](test-support|conformance)[/\\]/.test(file);

describe('clock and chance', () => {
  /** The edge: what is passed in is made here, and commands look at the clock of the person who waits for them. */
  const edge = /^src[/\\](?:lib[/\\](?:clock|random)\.ts|cli[/\\]|web[/\\]app[/\\]clock\.ts$)/;

  it('are passed in: Date.now, new Date() and Math.random stand at the edge only', () => {
    const uses = sources
      .filter((file) => !edge.test(file) && !isTest(file))
      .filter((file) => /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/.test(codeOf(file)));
    assert.deepEqual(uses, []);
  });

  it('come into servers with what they are started with', () => {
    const servers = new Set(['resource-manager', 'node-manager', 'timeline', 'history', 'proxy']);
    const naming = sources
      .filter((file) => servers.has(folderOf(file)) && !isTest(file))
      .filter((file) => /\bsystem(?:Clock|Random)\b/.test(codeOf(file)));
    assert.deepEqual(naming, []);
  });
});

describe('memory', () => {
  const servers = ['resource-manager', 'node-manager', 'timeline', 'history'].map((name) => join(root, 'src', name, 'server.ts'));

  it('is not taken for what no server needs: node:http is loaded in one place, without the web’s client', () => {
    const loading = sources.filter(
      (file) => !isTest(file) && /^import (?!type )[^;]*from 'node:http';|\bimport\('node:http'\)/m.test(codeOf(file)),
    );
    assert.deepEqual(loading, []);
    const load = `await Promise.all(${JSON.stringify(servers)}.map((file) => import(file)));
      console.log(process.moduleLoadList.filter((name) => name.includes('undici')).join());`;
    assert.equal(execFileSync(process.execPath, ['--input-type=module', '--eval', load], { cwd: root, encoding: 'utf8' }), '\n');
  });

  it('nor time: readers of XML and YAML, and what few clusters use, are loaded where they are needed', () => {
    const load = `import { registerHooks } from 'node:module';
      const loaded = new Set();
      registerHooks({ load: (url, context, next) => {
        const [, library] = /[/]node_modules[/]((?:@[^/]+[/])?[^/]+)/.exec(url) ?? [];
        if (library) loaded.add(library);
        return next(url, context);
      } });
      await Promise.all(${JSON.stringify(servers)}.map((file) => import(file)));
      console.log([...loaded].join());`;
    const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', load], { cwd: root, encoding: 'utf8' })
      .trim()
      .split(',');
    assert.ok(loaded.includes('fastify'), loaded.join());
    const late = [
      'fast-xml-parser',
      'yaml',
      'jose',
      'undici',
      'yauzl',
      '@opentelemetry/api',
      'koffi',
      'kerberos',
      'commander',
      'prom-client',
    ];
    assert.deepEqual(
      late.filter((library) => loaded.includes(library)),
      [],
    );
  });
});

describe('changes of the cluster', () => {
  /** Where what is awaited is waited for: answers of the store, and the one call of masters that waits for news. */
  const waiting = new Set(['effects.ts', 'master-calls.ts']);

  it('are made without a pause', () => {
    const folder = join('src', 'resource-manager', 'cluster');
    const files = sources.filter((file) => dirname(file) === folder && !isTest(file));
    const pausing = files.filter((file) => /\b(?:await|async)\b|\.(?:then|catch|finally)\(/.test(codeOf(file)));
    assert.deepEqual(
      pausing.map((file) => file.slice(folder.length + 1)).filter((name) => !waiting.has(name)),
      [],
    );
    assert.equal(pausing.length, waiting.size);
  });
});

describe('members', () => {
  it('of classes and interfaces are named a second time somewhere (knip does not look at them)', () => {
    const code = ['src', 'test', 'bench', 'scripts'].flatMap((folder) => filesBelow(folder, /\.tsx?$/));
    const counts = new Map<string, number>();
    for (const file of code) for (const [word] of codeOf(file).matchAll(/[A-Za-z_$][\w$]*/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const dead: string[] = [];
    for (const file of sources.filter((name) => !isTest(name))) {
      let inside = false;
      for (const line of codeOf(file).split('\n')) {
        if (/^(?:export )?(?:abstract )?(?:class|interface) /.test(line)) inside = true;
        else if (line.startsWith('}')) inside = false;
        // What overrides is named by who calls the base.
        const name = inside && /^ {2}(?:(?:static|readonly|async|get|set) )*([a-z]\w*)\??(?:\(|:|<| =|;)/.exec(line)?.[1];
        if (name && name !== 'constructor' && counts.get(name) === 1) dead.push(`${file} ${name}`);
      }
    }
    assert.deepEqual(dead, []);
  });
});

describe('tests', () => {
  it('have at least six lines for ten of source over all, and three in every folder', () => {
    const linesOf = (file: string): number => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    const sum = (files: readonly string[]): number => files.reduce((lines, file) => lines + linesOf(file), 0);
    // What browsers show is tested in one: test/browser.
    const [tests, product] = [sources.filter(isTest), sources.filter((file) => !isTest(file) && !file.endsWith('.tsx'))];
    const few = [...new Set(product.map(folderOf))].filter((folder) => {
      const within = (file: string): boolean => folderOf(file) === folder;
      return folder !== '' && sum(tests.filter(within)) < 0.3 * sum(product.filter(within));
    });
    assert.deepEqual(few, []);
    assert.ok(sum([...tests, ...filesBelow('test', /\.ts$/)]) >= 0.6 * sum(product));
  });

  it('run once each: alone, or in a room', () => {
    const rooms = filesBelow('test/rooms', /\.test\.ts$/).map((file) => readFileSync(join(root, file), 'utf8'));
    const places = rooms.flatMap((text) => [...text.matchAll(/'((?:src|test)\/[^']+)'/g)].map(([, place]) => place!));
    const inRooms = places.flatMap((place) => (place.endsWith('.ts') ? [place] : globSync(`${place}/**/*.test.ts`, { cwd: root })));
    const run = [...testFiles(), ...inRooms];
    assert.deepEqual(run.sort(), [...filesBelow('src', /\.test\.ts$/), ...filesBelow('test', /\.test\.ts$/)].sort());
  });
});

describe('commands of the project', () => {
  it('say how they are used, and refuse what they do not know', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    const files = Object.values(scripts).flatMap((command) =>
      [...command.matchAll(/\bnode (?:--\S+ )*([\w/.-]+\.ts)\b/g)].map(([, file]) => file!),
    );
    assert.ok(files.length > 15, files.join());
    assert.deepEqual(
      files.filter((file) => !/\breadArguments\(/.test(codeOf(file))),
      [],
    );
  });
});

describe('files', () => {
  it(`have at most ${maximumLines} lines`, () => {
    const code = ['src', 'test', 'bench', 'scripts', 'bin'].flatMap((folder) => filesBelow(folder, /\.(tsx?|js|mjs|css)$/));
    const long = code
      .map((file) => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > maximumLines);
    assert.deepEqual(long, []);
  });

  it(`lie at most ${maximumDepth} folders below src`, () => {
    assert.deepEqual(
      sources.filter((file) => file.split(sep).length - 2 > maximumDepth),
      [],
    );
  });

  it('are named in kebab-case', () => {
    assert.deepEqual(
      sources.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.tsx?$/.test(file.split(sep).at(-1) ?? '')),
      [],
    );
  });

  it('write constants in camelCase', () => {
    const code = ['src', 'test', 'bench', 'scripts'].flatMap((folder) => filesBelow(folder, /\.tsx?$/));
    const loud = code.filter((file) => /^\s*(?:export )?const [A-Z][A-Z0-9_]+\b/m.test(readFileSync(join(root, file), 'utf8')));
    assert.deepEqual(loud, []);
  });

  it('name exit statuses instead of writing their numbers', () => {
    const written = sources
      .filter((file) => !/\.(test|conformance)\.ts$/.test(file) && file !== join('src', 'model', 'exit-status.ts'))
      // First bytes of numbers of several bytes (TFile's and WritableUtils' variable lengths) lie in the same range.
      .filter((file) => !file.startsWith(join('src', 'wire', 'files')))
      .filter((file) => /(?<![\w.])-1(?:0\d|000)\b/.test(readFileSync(join(root, file), 'utf8').replace(/(?:\/\/|^ *\/?\*).*$/gm, '')));
    assert.deepEqual(written, []);
  });

  it('ask for abilities of the scheduling policy, not which one it is', () => {
    const asking = sources
      .filter((file) => !/\.test\.ts$/.test(file) && !file.startsWith(join('src', 'scheduler', '')))
      .filter((file) =>
        /\bpolicy\.(?:kind|names\.short)\s*[!=]==?|\.kind\s*[!=]== '(?:capacity|fair|fifo)'/.test(readFileSync(join(root, file), 'utf8')),
      );
    assert.deepEqual(asking, []);
  });

  it('start bash for scripts of theirs in one way, which reads nothing of its user first', () => {
    const inContainers = new Set(['bundle.ts', 'test-image.ts'].map((name) => join('src', 'engines', 'oci', name)));
    const starting = sources.filter(
      (file) => !isTest(file) && !inContainers.has(file) && /'\/bin\/bash',\s*(?:\[\s*)?'-/.test(codeOf(file)),
    );
    assert.deepEqual(starting, [join('src', 'lib', 'bash.ts')]);
  });

  it('compare secrets in one place', () => {
    const found = sources.filter((file) => readFileSync(join(root, file), 'utf8').includes('timingSafeEqual'));
    assert.deepEqual(found, [join('src', 'auth', 'secrets.ts')]);
  });

  it('that ARCHITECTURE.md, the READMEs and the other papers name are there', () => {
    const own = ownFiles();
    const isThere = (name: string): boolean => {
      const pattern = new RegExp(`(?:^|/)${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`);
      return own.some((file) => pattern.test(file));
    };
    const papers = own.filter((file) => /\.md$/.test(file) && file !== 'CHANGELOG.md');
    const gone = papers.flatMap((file) =>
      [...readFileSync(join(root, file), 'utf8').matchAll(/`(?:\.{1,2}\/)*([\w*./-]+\.(?:ts|md))`/g)]
        .filter(([, name = '']) => !isThere(name))
        .map(([, name]) => `${file} names ${name}`),
    );
    assert.deepEqual(gone, []);
  });

  it('tell each change once and to its end', () => {
    const entries = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
      .split(/^- /m)
      .slice(1)
      .map((entry) => entry.split(/\n\n|^#/m)[0]?.trim() ?? '');
    // Lines, not entries: where two changes were joined, the second half of one may stand below another.
    const beginnings = entries.flatMap((entry) => entry.split('\n').map((line) => line.trim().slice(0, 60)));
    assert.deepEqual(
      beginnings.filter((beginning, index) => beginnings.indexOf(beginning) !== index),
      [],
    );
    assert.deepEqual(
      entries.filter((entry) => !/[.:!?)]\**$/.test(entry)),
      [],
    );
    assert.ok(entries.length > 100);
  });

  it('are no links, and in the root only what is known to belong there', () => {
    const kept = execFileSync('git', ['ls-files', '--stage'], { cwd: root, encoding: 'utf8' }).split('\n');
    assert.deepEqual(
      kept.filter((line) => line.startsWith('120000 ')),
      [],
      'a link leads somewhere else on another machine',
    );
    const inRoot = ownFiles().filter((file) => !file.includes('/'));
    assert.deepEqual(
      inRoot.filter(
        (file) =>
          !/^(?:[A-Z]+\.md|LICENSE|package(?:-lock)?\.json|tsconfig(?:\.build)?\.json|(?:biome|knip)\.json|\.[a-z]+(?:rc)?(?:\.json)?)$/.test(
            file,
          ),
      ),
      [],
    );
  });

  it('name no folder of one machine', () => {
    const text = ownFiles().filter((file) => /\.(ts|js|mjs|json|md|yaml|yml|sh)$|(^|\/)\.ci\//.test(file) && file !== 'package-lock.json');
    const found = text.filter((file) => {
      const content = readFileSync(join(root, file), 'utf8');
      return content.includes(root + sep) || /\/(?:work\/(?:main|shared)|home\/[a-z]+\/|Users\/)/.test(content);
    });
    assert.deepEqual(found, []);
  });
});
