// Reads a log file of a container while it is written, by the one address that the resource manager gives it: from its node, and to the
// last byte when the container has ended. A connection that breaks is taken up again where it broke.
import { type Authorize, fetchWithin } from './credentials.ts';

/** Which file. */
export interface StreamedLog {
  /** Base URL of the resource manager. */
  readonly url: string;
  readonly user: string;
  /** Proves who reads; absent: the name alone. */
  readonly authorize?: Authorize | undefined;
  readonly containerId: string;
  readonly file: string;
}

const retryMs = 250;

/**
 * The bytes of a log as they come. Ends when the container has ended and everything was read, when `signal` fires, and when the file is
 * nowhere and `isOver` says that none will come.
 */
export async function* streamLog(
  { url, user, authorize, containerId, file }: StreamedLog,
  signal: AbortSignal,
  isOver: () => boolean,
): AsyncGenerator<Uint8Array> {
  const address = new URL(`${url}/api/v1/containers/${encodeURIComponent(containerId)}/logs/${encodeURIComponent(file)}`);
  address.searchParams.set('follow', 'true');
  address.searchParams.set('user.name', user);
  for (let position = 0; !signal.aborted; ) {
    // Asked before: what was over then has nothing new to tell by now.
    const wasOver = isOver();
    try {
      const answer = await fetchWithin(address, { signal, headers: position === 0 ? {} : { range: `bytes=${position}-` } }, authorize);
      if (answer.ok) {
        for await (const chunk of answer.body ?? []) {
          position += (chunk as Uint8Array).length;
          yield chunk as Uint8Array;
        }
        return;
      }
      await answer.body?.cancel();
      if (answer.status === 416) return;
    } catch {
      // Broken off, or no server there: the node or the resource manager may come back.
    }
    if (wasOver) return;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
}
