// Which files and folders are brought to the disk.
import fs, { readlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** The paths of what is synced while something is done, in the order in which that was asked for. `failure`: what each of them through a handle meets. */
export async function syncedBy(act: () => unknown, failure?: Error): Promise<string[]> {
  const found: string[] = [];
  const pathOf = (file: number) => readlinkSync(`/proc/self/fd/${file}`);
  const any = await open('/');
  const handles = Object.getPrototypeOf(any) as FileHandle;
  await any.close();
  const [ofHandle, now] = [handles.sync, fs.fsyncSync];
  handles.sync = function (this: FileHandle) {
    found.push(pathOf(this.fd));
    return failure ? Promise.reject(failure) : ofHandle.call(this);
  };
  fs.fsyncSync = (file) => {
    found.push(pathOf(file));
    now(file);
  };
  syncBuiltinESMExports();
  try {
    await act();
  } finally {
    handles.sync = ofHandle;
    fs.fsyncSync = now;
    syncBuiltinESMExports();
  }
  return found;
}
