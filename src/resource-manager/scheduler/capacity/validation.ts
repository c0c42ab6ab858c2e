// What a queue configuration must satisfy before it is taken over; refusals in Hadoop's words.

import { type Resource, type ResourceTypes, resourceText, zeros } from '../../../model/resource.ts';
import { float } from '../calculator.ts';
import { ConfigurationRefused } from '../policy.ts';
import type { CapacityQueue } from './queue.ts';
import { absolutePart, fraction, type QueueSettings } from './queue-settings.ts';

/** Sums, units and amounts of every level. */
export function checkTree(root: QueueSettings, types: ResourceTypes, legacyMode: boolean): void {
  for (const queue of walk(root)) {
    if (queue.children.length === 0 || !legacyMode) continue;
    checkUnits(queue);
    checkSums(queue);
    checkAbsolute(queue, types);
  }
  for (const queue of walk(root)) {
    const names = new Set<string>();
    for (const child of queue.children) {
      if (names.has(child.name)) throw new ConfigurationRefused(`Two queues were named ${child.path}`);
      names.add(child.name);
    }
    checkState(queue);
  }
}

export function* walk(queue: QueueSettings): Generator<QueueSettings> {
  yield queue;
  for (const child of queue.children) yield* walk(child);
}

function labelsOf(queue: QueueSettings): Set<string> {
  const labels = new Set<string>();
  for (const child of queue.children) for (const [label, settings] of child.labels) if (settings.configured) labels.add(label);
  return labels;
}

function unitOf(queue: QueueSettings, label: string): string | undefined {
  const settings = queue.labels.get(label);
  if (!settings?.configured) return undefined;
  const { kind, value } = settings.capacity;
  if (kind === 'percentage') return value > 0 ? 'percentage' : undefined;
  return kind === 'weight' ? 'weight' : 'absolute';
}

function checkUnits(parent: QueueSettings): void {
  const units = new Set<string>();
  let details = '';
  for (const child of parent.children) {
    for (const label of [...child.labels.keys()]) {
      const unit = unitOf(child, label);
      if (!unit) continue;
      units.add(unit);
      details += `{Queue=${child.path}, label=${label} uses ${unit} mode}. `;
    }
  }
  if (units.size > 1) {
    throw new ConfigurationRefused(
      `Parent queue '${parent.path}' have children queue used mixed of  weight mode, percentage and absolute mode, it is not allowed, please double check, details:${details}`,
    );
  }
}

const tolerance = 0.0005;

function checkSums(parent: QueueSettings): void {
  for (const label of labelsOf(parent)) {
    if (parent.children.some((child) => unitOf(child, label) === 'weight' || unitOf(child, label) === 'absolute')) continue;
    let sum = 0;
    for (const child of parent.children) {
      const settings = child.labels.get(label);
      if (settings?.configured) sum = float(sum + fraction(settings.capacity));
    }
    const own = parent.parent === undefined ? 1 : fraction((parent.labels.get(label) ?? parent.labels.get('')!).capacity);
    const ownKind = parent.labels.get(label)?.capacity.kind ?? 'percentage';
    if (own > 0 || ownKind !== 'percentage') {
      if (sum !== 0 && Math.abs(sum - 1) > tolerance) throw new ConfigurationRefused(illegalSum(sum, parent, label));
    } else if (Math.abs(sum) > tolerance && Math.abs(sum - 1) > tolerance) throw new ConfigurationRefused(illegalSum(sum, parent, label));
  }
}

const illegalSum = (sum: number, parent: QueueSettings, label: string): string =>
  `Illegal capacity sum of ${floatText(sum)} for children of queue ${parent.path} for label=${label}. It should be either 0 or 1.0`;

/** A float32 as Java prints it: the shortest text that reads back as the same float. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits <= 9; digits++) {
    const text = value.toPrecision(digits);
    if (float(Number(text)) === float(value)) {
      const plain = String(Number(text));
      return /[.e]/.test(plain) ? plain : `${plain}.0`;
    }
  }
  return String(value);
}

function checkAbsolute(parent: QueueSettings, types: ResourceTypes): void {
  for (const label of labelsOf(parent)) {
    const own = parent.labels.get(label)?.capacity;
    const sum = zeros(types.count);
    let any = false;
    for (const child of parent.children) {
      if (unitOf(child, label) !== 'absolute') continue;
      any = true;
      absolutePart(child.labels.get(label)!.capacity, types).forEach((value, i) => {
        sum[i]! += value;
      });
    }
    if (!any || own?.kind !== 'absolute') continue;
    const available: Resource = absolutePart(own, types);
    if (sum.some((value, i) => value > available[i]!)) {
      throw new ConfigurationRefused(
        `Parent Queues capacity: ${resourceText(available, types)} is less than to its children:${resourceText(sum, types)} for queue:${parent.name}`,
      );
    }
  }
}

function checkState(queue: QueueSettings): void {
  if (queue.state !== 'STOPPED') return;
  for (const child of queue.children) {
    if (child.state === 'RUNNING') {
      throw new ConfigurationRefused(
        `The parent queue:${queue.path} cannot be STOPPED as the child queue:${child.path} is in RUNNING state.`,
      );
    }
  }
}

/** What may not happen to queues that exist: vanish or change their kind while they run. */
export function checkChange(before: CapacityQueue, after: QueueSettings): void {
  const next = new Map([...walk(after)].map((queue) => [queue.path, queue]));
  for (const queue of before.walk()) {
    const settings = next.get(queue.path);
    if (!settings) {
      const automatic = queue.settings.creation !== 'static' || queue.parent?.settings.isPlan;
      const adopted = automatic && queue.parent && next.get(queue.parent.path) && !next.get(queue.parent.path)!.isLeaf;
      if (adopted || hasAutomaticAncestor(queue, next)) continue;
      if (queue.state !== 'STOPPED') {
        throw new ConfigurationRefused(
          `${queue.path} cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state. Current State : ${queue.state}`,
        );
      }
      continue;
    }
    if (queue.isLeaf && !settings.isLeaf && queue.state !== 'STOPPED') {
      throw new ConfigurationRefused(
        `Can not convert the leaf queue: ${queue.path} to parent queue since it is not yet in stopped state. Current State : ${queue.state}`,
      );
    }
    if (
      !queue.isLeaf &&
      settings.isLeaf &&
      queue.state !== 'STOPPED' &&
      queue.children.some((child) => child.settings.creation === 'static')
    ) {
      throw new ConfigurationRefused(
        `${queue.path} cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state. Current State : ${queue.state}`,
      );
    }
  }
}

function hasAutomaticAncestor(queue: CapacityQueue, next: ReadonlyMap<string, QueueSettings>): boolean {
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    if (at.settings.creation !== 'static' && at.parent && next.has(at.parent.path)) return true;
  }
  return false;
}
