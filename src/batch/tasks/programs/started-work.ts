// What the code of a run has started and is still at work: timers, sockets, requests to the system. Promises are not followed, for what would
// settle them is.
import { AsyncLocalStorage, createHook } from 'node:async_hooks';

/** Something that is alive; where it has a handle, `hasRef` says whether the process lives for it. */
type Resource = { readonly hasRef?: () => boolean };
/** Requests to the system end by themselves, and have no handle. */
const request = /^(FS|FILEHANDLECLOSE|GETADDRINFO|GETNAMEINFO)REQ|^(QUERY|TCPCONNECT|PIPECONNECT)WRAP$|^(?!HTTP|UNDICI)[A-Z0-9]+REQUEST$/;

const started = new AsyncLocalStorage<Map<number, { readonly type: string; readonly resource: Resource }>>();
/** Where something is kept, by its number. */
const places = new Map<number, Map<number, unknown>>();
const hook = createHook({
  init(id, type, _trigger, resource) {
    const place = started.getStore();
    if (place === undefined || type === 'PROMISE') return;
    if (typeof (resource as Resource).hasRef !== 'function' && !request.test(type)) return;
    place.set(id, { type, resource: resource as Resource });
    places.set(id, place);
  },
  destroy(id) {
    places.get(id)?.delete(id);
    places.delete(id);
  },
  trackPromises: false,
});
let followed = 0;

/** What some code starts while it runs, and what that starts. */
export class StartedWork {
  readonly #own: NonNullable<ReturnType<typeof started.getStore>> = new Map();
  #isFollowed = false;

  /** From now on; to be closed. */
  follow(): void {
    this.#isFollowed = true;
    if (followed++ === 0) hook.enable();
  }

  run<Value>(work: () => Value): Value {
    return this.#isFollowed ? started.run(this.#own, work) : work();
  }

  /** Kinds of what keeps the process busy yet. */
  get left(): readonly string[] {
    return [...this.#own.values()].filter(({ resource }) => resource.hasRef?.() ?? true).map(({ type }) => type);
  }

  close(): void {
    this.#isFollowed = false;
    if (--followed === 0) hook.disable();
    for (const id of this.#own.keys()) places.delete(id);
    this.#own.clear();
  }
}

const ofLoading = new Map<string, StartedWork>();

/** What a module has started as it was loaded, and what that started since. It is loaded once in a process, and serves all tasks there. */
export function workOfLoading(module: string): StartedWork {
  let work = ofLoading.get(module);
  if (work === undefined) {
    work = new StartedWork();
    work.follow();
    ofLoading.set(module, work);
  }
  return work;
}
