// What `heddle restore` leaves for the resource manager: that its store is a copy, and that starts since then are unknown to it.
import { join } from 'node:path';

/** The mark in a data folder. It goes when the first start has counted on beyond everything that may have been. */
export const restoredMarkOf = (dataDir: string): string => join(dataDir, 'resource-manager', 'restored');
