// Which boot of the machine this is: what was not on the disk when an earlier one ended may be lost.
import { readFileSync } from 'node:fs';

/** The boot's id; undefined where the system does not tell. */
export function currentBoot(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
}
