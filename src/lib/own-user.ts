import { userInfo } from 'node:os';

/** The name of the unix user who runs this process; its number where the machine knows no name for it, as in many containers. */
export function ownUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.geteuid?.() ?? 'unknown');
  }
}
