// Where a node has its label and attributes from, as its settings say.
import type { Configuration } from './load.ts';
import { settingFault } from './setting-fault.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';

/** An attribute as a node tells it; its prefix is `nm.yarn.io`. */
export interface ConfiguredAttribute {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** A script that is run again and again. */
export interface DescriptorScript {
  readonly path: string;
  readonly scriptArguments: readonly string[];
  /** Time between two runs; less than 1: it is run once. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

/** Where one kind of facts comes from: what the settings say, or a script; undefined: nothing is said. */
export type DescriptorSource<Facts> = { readonly configured: Facts } | { readonly script: DescriptorScript } | undefined;

/** Both kinds. */
export interface DescriptorSources {
  readonly labels: DescriptorSource<readonly string[]>;
  readonly attributes: DescriptorSource<readonly ConfiguredAttribute[]>;
}

const nameForm = /^[0-9a-zA-Z][0-9a-zA-Z\-_.]{0,254}$/;

/** `Script…Provider`, as Hadoop's classes are named. */
const namesProvider = (provider: string, kind: string): boolean => provider.endsWith('Provider') && provider.includes(kind);

/** `name,type,value:name,type,value`, or one of them. @throws Error with the fault */
export function parseAttributes(text: string): ConfiguredAttribute[] {
  const attributes = text
    .split(':')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const pieces = part.split(',').map((piece) => piece.trim());
      const [name = '', type = '', value = ''] = pieces;
      if (pieces.length !== 3) throw new Error(`Malformed attribute, expecting name,type,value but get ${part}`);
      if (!nameForm.test(name))
        throw new Error(`attribute name should only contains {0-9, a-z, A-Z, -, _} and should not started with {-,_}, now it is= ${name}`);
      if (type !== 'STRING') throw new Error(`the type of attribute ${name} must be STRING but is ${type}`);
      return { name, type, value };
    });
  if (new Set(attributes.map(({ name }) => name)).size < attributes.length) throw new Error(`an attribute stands twice in ${text}`);
  return attributes;
}

const words = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((word) => word !== '');

/** What the settings say. @throws ConfigurationError for a provider that there is not, and for attributes that cannot be read */
export function descriptorSources(configuration: Configuration): DescriptorSources {
  const own = configuration.values(nodeManagerSettings);
  const kindOf = (key: string, provider: string | undefined, script: string | undefined): 'config' | 'script' | undefined => {
    if (!provider) return undefined;
    if (provider === 'config' || namesProvider(provider, 'Configuration')) return 'config';
    if (provider !== 'script' && !namesProvider(provider, 'Script'))
      throw settingFault(configuration, key, `${provider} is no provider`, 'Write config or script.');
    if (!script) throw settingFault(configuration, key, 'the script is not named', `Set ${key}.script.path.`);
    return 'script';
  };
  const { nodeLabelsProvider, nodeAttributesProvider, nodeAttributes } = nodeManagerSettings;
  const labelKind = kindOf(nodeLabelsProvider.key, own.nodeLabelsProvider, own.nodeLabelsScript);
  const attributeKind = kindOf(nodeAttributesProvider.key, own.nodeAttributesProvider, own.nodeAttributesScript);
  const attributes = (): ConfiguredAttribute[] => {
    try {
      return parseAttributes(own.nodeAttributes ?? '');
    } catch (error) {
      throw settingFault(configuration, nodeAttributes.key, (error as Error).message, 'Write name,STRING,value:name,STRING,value.');
    }
  };
  const label = own.nodeLabels?.trim();
  return {
    labels:
      labelKind === 'config'
        ? { configured: label ? [label] : [] }
        : labelKind && {
            script: {
              path: own.nodeLabelsScript!,
              scriptArguments: words(own.nodeLabelsScriptArguments),
              intervalMs: own.nodeLabelsIntervalMs,
              timeoutMs: own.nodeLabelsTimeoutMs,
            },
          },
    attributes:
      attributeKind === 'config'
        ? { configured: attributes() }
        : attributeKind && {
            script: {
              path: own.nodeAttributesScript!,
              scriptArguments: words(own.nodeAttributesScriptArguments),
              intervalMs: own.nodeAttributesIntervalMs,
              timeoutMs: own.nodeAttributesTimeoutMs,
            },
          },
  };
}
