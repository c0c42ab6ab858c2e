// Settings of where a node has its labels and attributes from.
import { defineSettings } from '../table.ts';

/** Part of the table of the node manager. */
export const nodeDescriptorSettings = defineSettings({
  nodeLabelsProvider: {
    key: 'yarn.nodemanager.node-labels.provider',
    type: 'string',
    about: 'Where the node takes its labels from: config or script.',
  },
  nodeLabels: {
    key: 'yarn.nodemanager.node-labels.provider.configured-node-partition',
    type: 'string',
    about: 'The partition of the node.',
  },
  nodeLabelsScript: {
    key: 'yarn.nodemanager.node-labels.provider.script.path',
    type: 'path',
    about: 'Script that prints NODE_PARTITION:label.',
  },
  nodeLabelsScriptArguments: {
    key: 'yarn.nodemanager.node-labels.provider.script.opts',
    type: 'string',
    about: 'Its arguments, separated by blanks.',
  },
  nodeLabelsIntervalMs: {
    key: 'yarn.nodemanager.node-labels.provider.fetch-interval-ms',
    type: 'durationMs',
    default: 600_000,
    minimum: -1,
    about: 'Time between two runs of the script for labels; -1: it is run once.',
  },
  nodeLabelsTimeoutMs: {
    key: 'yarn.nodemanager.node-labels.provider.fetch-timeout-ms',
    type: 'durationMs',
    default: 1_200_000,
    minimum: 1,
    about: 'Time the script for labels may take.',
  },
  nodeAttributesScript: {
    key: 'yarn.nodemanager.node-attributes.provider.script.path',
    type: 'path',
    about: 'Script that prints NODE_ATTRIBUTE:name,type,value, a line each.',
  },
  nodeAttributesScriptArguments: {
    key: 'yarn.nodemanager.node-attributes.provider.script.opts',
    type: 'string',
    about: 'Its arguments, separated by blanks.',
  },
  nodeAttributesIntervalMs: {
    key: 'yarn.nodemanager.node-attributes.provider.fetch-interval-ms',
    type: 'durationMs',
    default: 600_000,
    minimum: -1,
    about: 'Time between two runs of the script for attributes; -1: it is run once.',
  },
  nodeAttributesTimeoutMs: {
    key: 'yarn.nodemanager.node-attributes.provider.fetch-timeout-ms',
    type: 'durationMs',
    default: 1_200_000,
    minimum: 1,
    about: 'Time the script for attributes may take.',
  },
  nodeAttributesProvider: {
    key: 'yarn.nodemanager.node-attributes.provider',
    type: 'string',
    about: 'Where the node takes its attributes from: config or script.',
  },
  nodeAttributes: {
    key: 'yarn.nodemanager.node-attributes.provider.configured-node-attributes',
    type: 'string',
    about: 'Attributes of the node: name,type,value:….',
  },
});
