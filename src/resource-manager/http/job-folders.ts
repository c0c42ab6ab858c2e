// Where batch jobs of this cluster are staged, and who may see them: for clients that no file of settings tells.
import type { Configuration } from '../../config/load.ts';
import { batchSettings } from '../../config/settings/batch.ts';
import { historySettings } from '../../config/settings/history.ts';
import { json } from '../../http/answers.ts';
import type { Route } from '../../http/service.ts';
import type { JobFolders } from '../../wire/cluster/own-answers.ts';

/** The route of this file. */
export function jobFolderRoute(configuration: Configuration): Route<never> {
  const { intermediateDirectory, aclsEnabled, administrators } = configuration.values(historySettings);
  const folders: JobFolders = {
    staging: configuration.values(batchSettings).stagingDirectory,
    intermediateHistory: intermediateDirectory,
    ...(aclsEnabled && { accessLists: { administrators } }),
  };
  return {
    method: 'GET',
    path: '/api/v1/job-folders',
    produces: ['json'],
    about:
      'Where batch jobs of this cluster are staged and leave their history (folders that clients and nodes share), and whether their access lists count.',
    access: 'facts',
    handle: () => json(folders),
  };
}
