// Files that a job brings along for its tasks (`-files` and `-archives` in Hadoop): from the settings of the job to the local
// resources of its containers.
import { basename } from 'node:path';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';

const kinds = [
  ['mapreduce.job.cache.files', 'FILE'],
  ['mapreduce.job.cache.archives', 'ARCHIVE'],
] as const;

/** The lists of files by their settings, each with what goes with it. */
export const cacheFileNames = kinds.map(([setting, type]) => ({
  setting,
  type,
  names: [setting, ...['filesizes', 'timestamps', 'visibilities'].map((part) => `${setting}.${part}`)],
}));

/** The settings that name `files`; the name in the container stands behind `#`, as in Hadoop. */
export function cacheFileSettings(files: Readonly<Record<string, LocalResource>>): { readonly name: string; readonly value: string }[] {
  return kinds.flatMap(([setting, type]) => {
    const chosen = Object.entries(files).filter(([, file]) => file.type === type);
    if (chosen.length === 0) return [];
    const list = (value: (file: LocalResource) => string | number) => chosen.map(([, file]) => value(file)).join(',');
    return [
      { name: setting, value: chosen.map(([name, file]) => `${file.resource}#${encodeURIComponent(name)}`).join(',') },
      { name: `${setting}.filesizes`, value: list(({ size }) => size) },
      { name: `${setting}.timestamps`, value: list(({ timestamp }) => timestamp) },
      { name: `${setting}.visibilities`, value: list(({ visibility }) => String(visibility === 'PUBLIC')) },
    ];
  });
}

/** The local resources that the settings name (MRApps.setupDistributedCache). What they do not say of a file is not compared. */
export function cacheFiles(settings: JobConfiguration): Record<string, LocalResource> {
  const resources: Record<string, LocalResource> = {};
  for (const [setting, type] of kinds) {
    const sizes = settings.list(`${setting}.filesizes`);
    const times = settings.list(`${setting}.timestamps`);
    const open = settings.list(`${setting}.visibilities`);
    for (const [index, text] of settings.list(setting).entries()) {
      const hash = text.lastIndexOf('#');
      const resource = hash > 0 ? text.slice(0, hash) : text;
      const name = decoded(hash > 0 ? text.slice(hash + 1) : basename(resource));
      resources[name] = {
        resource,
        type,
        visibility: open[index] === 'true' ? 'PUBLIC' : 'PRIVATE',
        size: Number(sizes[index] ?? -1),
        timestamp: Number(times[index] ?? -1),
      };
    }
  }
  return resources;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
