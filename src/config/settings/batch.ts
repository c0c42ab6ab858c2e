// Settings of batch jobs. The rest of a job's properties (`mapreduce.…`) travels with the job.
import { defineSettings } from '../table.ts';

/** Settings of the batch engine's client and master. */
export const batchSettings = defineSettings({
  framework: {
    key: 'mapreduce.framework.name',
    type: 'string',
    default: 'yarn',
    about: 'Where jobs run; Heddle runs them on its cluster.',
  },
  stagingDirectory: {
    key: 'yarn.app.mapreduce.am.staging-dir',
    type: 'path',
    default: '${heddle.data}/staging',
    about: 'Folder for the files of running jobs.',
  },
  masterMemoryMiB: {
    key: 'yarn.app.mapreduce.am.resource.mb',
    type: 'integer',
    default: 1536,
    minimum: 1,
    about: "Memory of a job's master in MiB.",
  },
  masterVcores: {
    key: 'yarn.app.mapreduce.am.resource.cpu-vcores',
    type: 'integer',
    default: 1,
    minimum: 1,
    about: "Virtual cores of a job's master.",
  },
  masterCommandOptions: {
    key: 'yarn.app.mapreduce.am.command-opts',
    type: 'string',
    default: '-Xmx1024m',
    about: "Options of the master's Java; without effect in Heddle.",
  },
  mapMemoryMiB: { key: 'mapreduce.map.memory.mb', type: 'integer', default: -1, minimum: -1, about: 'Memory of a map in MiB; -1: 1024.' },
  mapVcores: { key: 'mapreduce.map.cpu.vcores', type: 'integer', default: 1, minimum: 1, about: 'Virtual cores of a map.' },
  reduceMemoryMiB: {
    key: 'mapreduce.reduce.memory.mb',
    type: 'integer',
    default: -1,
    minimum: -1,
    about: 'Memory of a reduce in MiB; -1: 1024.',
  },
  reduceVcores: { key: 'mapreduce.reduce.cpu.vcores', type: 'integer', default: 1, minimum: 1, about: 'Virtual cores of a reduce.' },
  emitTimelineData: { key: 'mapreduce.job.emit-timeline-data', type: 'boolean', default: false, about: 'Publishes jobs to the timeline.' },
  masterMaximumAttempts: {
    key: 'mapreduce.am.max-attempts',
    type: 'integer',
    default: 2,
    minimum: 1,
    about: "Attempts of a job's master.",
  },
  queue: { key: 'mapreduce.job.queuename', type: 'string', default: 'default', about: 'Queue of jobs that name none.' },
  applicationClasspath: { key: 'mapreduce.application.classpath', type: 'string', about: 'Class path of Java jobs.' },
  jobs: { key: 'mapreduce.', type: 'family', about: 'Defaults of the properties of jobs.' },
  masters: { key: 'yarn.app.mapreduce.', type: 'family', about: "Defaults of the properties of jobs' masters." },
});
