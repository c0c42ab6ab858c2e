// The calls of libgssapi_krb5 that a server of SASL's GSSAPI needs, and one that has a ticket of its own, through the package koffi (RFC 2744 names
// them and their arguments). For the GSS process alone.

/** What is used of the package; it is optional, so its own types may not be there. */
interface Koffi {
  struct(name: string, members: Readonly<Record<string, string>>): unknown;
  load(path: string): { func(declaration: string): Callable };
  decode(pointer: unknown, type: string, length?: number): unknown;
}

/** A function of the library; `async` calls it in another thread and tells its result to its last argument. */
interface Callable {
  (...values: readonly unknown[]): number;
  async(...values: readonly unknown[]): void;
}

/** A context that was established: who called for whom, and its messages. */
export interface GssContext {
  readonly user: string;
  readonly target: string;
  /** What proves the server to the caller. */
  readonly token: Buffer;
  wrap(message: Buffer, isPrivate: boolean): Buffer;
  unwrap(message: Buffer): { readonly message: Buffer; readonly isPrivate: boolean };
  /** Ends it; nothing else may be called then. */
  end(): void;
}

/** A principal that is logged in. */
export interface OwnCredential {
  /** How long its ticket lasted when it was got. */
  readonly lifetimeMs: number;
  /** A fresh SPNEGO token for a service (`HTTP@host`). Rejects with the library's words. */
  tokenFor(service: string): Promise<Buffer>;
}

const packageName = 'koffi';
const libraries = ['libgssapi_krb5.so.2', 'libgssapi_krb5.dylib', '/System/Library/Frameworks/GSS.framework/GSS'];

/** Object identifier of Kerberos 5 (RFC 4121 section 4.1): SASL's GSSAPI knows no other mechanism (RFC 4752). */
const kerberosOid = Buffer.from('2a864886f712010202', 'hex');

/** SPNEGO (RFC 4178), and the form `service@host` of names (RFC 2744 section 4). */
const spnegoOid = Buffer.from('2b0601050502', 'hex');
const hostBasedOid = Buffer.from('2a864886f71201020104', 'hex');
const initiatesOnly = 1;
const asLongAsPossible = 0xffff_ffff;

/** Routine and calling errors (RFC 2744 section 3.9.1); the other bits inform only. */
const errorBits = 0xffff_0000;
const continueNeeded = 1;
/** Supplementary bits of a message that is old, said again, or out of turn. */
const sequenceBits = 0b11110;

interface BufferDescription {
  readonly length: number | bigint;
  readonly value: unknown;
}
const empty: BufferDescription = { length: 0, value: null };

/** Loads package and library. @throws Error where one is missing */
export async function loadGssLibrary(): Promise<GssLibrary> {
  const loaded = (await import(packageName)) as Koffi & { readonly default?: Koffi };
  return new GssLibrary(loaded.default ?? loaded);
}

function functionsOf(koffi: Koffi) {
  koffi.struct('gss_buffer', { length: 'size_t', value: 'void *' });
  koffi.struct('gss_oid', { length: 'uint32_t', elements: 'void *' });
  koffi.struct('gss_element', { key: 'const char *', value: 'const char *' });
  koffi.struct('gss_store', { count: 'uint32_t', elements: 'gss_element *' });
  const library = firstOf(koffi);
  return {
    accept: library.func(
      'uint32_t gss_accept_sec_context(_Out_ uint32_t *minor, _Inout_ void **context, void *credential, gss_buffer *input, void *bindings, _Out_ void **source, _Out_ void **mechanism, _Out_ gss_buffer *output, _Out_ uint32_t *flags, _Out_ uint32_t *lifetime, void *delegated)',
    ),
    inquire: library.func(
      'uint32_t gss_inquire_context(_Out_ uint32_t *minor, void *context, void *source, _Out_ void **target, void *lifetime, void *mechanism, void *flags, void *initiated, void *open)',
    ),
    displayName: library.func('uint32_t gss_display_name(_Out_ uint32_t *minor, void *name, _Out_ gss_buffer *text, void *type)'),
    displayStatus: library.func(
      'uint32_t gss_display_status(_Out_ uint32_t *minor, uint32_t status, int type, gss_oid *mechanism, _Inout_ uint32_t *more, _Out_ gss_buffer *text)',
    ),
    wrap: library.func(
      'uint32_t gss_wrap(_Out_ uint32_t *minor, void *context, int is_private, uint32_t qop, gss_buffer *input, _Out_ int *state, _Out_ gss_buffer *output)',
    ),
    unwrap: library.func(
      'uint32_t gss_unwrap(_Out_ uint32_t *minor, void *context, gss_buffer *input, _Out_ gss_buffer *output, _Out_ int *state, _Out_ uint32_t *qop)',
    ),
    end: library.func('uint32_t gss_delete_sec_context(_Out_ uint32_t *minor, _Inout_ void **context, void *output)'),
    importName: library.func('uint32_t gss_import_name(_Out_ uint32_t *minor, gss_buffer *text, gss_oid *type, _Out_ void **name)'),
    acquire: library.func(
      'uint32_t gss_acquire_cred_from(_Out_ uint32_t *minor, void *name, uint32_t lifetime, void *mechanisms, int usage, gss_store *store, _Out_ void **credential, void *actual, _Out_ uint32_t *lasts)',
    ),
    initiate: library.func(
      'uint32_t gss_init_sec_context(_Out_ uint32_t *minor, void *credential, _Inout_ void **context, void *target, gss_oid *mechanism, uint32_t flags, uint32_t lifetime, void *bindings, void *input, void *actual, _Out_ gss_buffer *output, void *given, void *lasts)',
    ),
    releaseName: library.func('uint32_t gss_release_name(_Out_ uint32_t *minor, _Inout_ void **name)'),
    releaseBuffer: library.func('uint32_t gss_release_buffer(_Out_ uint32_t *minor, _Inout_ gss_buffer *buffer)'),
  } as const;
}

/** The library, its buffers and names copied and given back to it. */
export class GssLibrary {
  readonly #koffi: Koffi;
  readonly #gss: ReturnType<typeof functionsOf>;
  #logins = 0;

  constructor(koffi: Koffi) {
    this.#koffi = koffi;
    this.#gss = functionsOf(koffi);
  }

  accept(first: Buffer): GssContext {
    const [minor, context, source, mechanism, output] = [[0], [null], [null], [null], [empty]] as [
      number[],
      unknown[],
      unknown[],
      unknown[],
      BufferDescription[],
    ];
    const major = this.#gss.accept(minor, context, null, given(first), null, source, mechanism, output, [0], [0], null);
    const token = this.#taken(output);
    try {
      this.#check(major, minor);
      const user = source[0] ? this.#nameText(source[0]) : '';
      if ((major & continueNeeded) !== 0 || !this.#isKerberos(mechanism[0])) throw new Error('the token is none of Kerberos 5');
      return this.#established(context[0], user, token);
    } catch (error) {
      if (context[0]) this.#gss.end([0], context, null);
      throw error;
    }
  }

  /**
   * Asks the KDC for a ticket by the key of `principal` in `keytab`. In threads of the library's own: the KDC may be slow, and callers go on.
   * Rejects with the library's words.
   */
  async logIn(principal: string, keytab: string): Promise<OwnCredential> {
    const name = this.#named(principal, undefined);
    // In a cache of its own the ticket is a new one, and the KDC's reason is told where there is none.
    const elements = [
      { key: 'client_keytab', value: `FILE:${keytab}` },
      { key: 'ccache', value: `MEMORY:login-${++this.#logins}` },
    ];
    const store = { count: elements.length, elements };
    const [minor, credential, lasts] = [[0], [null] as unknown[], [0]];
    const { acquire } = this.#gss;
    const major = await called(acquire, minor, name, asLongAsPossible, null, initiatesOnly, store, credential, null, lasts);
    this.#gss.releaseName([0], [name]);
    this.#check(major, minor);
    // It is never given back: another thread may be using it, and there is one in half a day.
    return { lifetimeMs: lasts[0]! * 1000, tokenFor: (service) => this.#tokenFor(credential[0], service) };
  }

  async #tokenFor(credential: unknown, service: string): Promise<Buffer> {
    const target = this.#named(service, hostBasedOid);
    const [minor, context, output] = [[0], [null] as unknown[], [empty]];
    const { initiate } = this.#gss;
    const mechanism = identifier(spnegoOid);
    const major = await called(initiate, minor, credential, context, target, mechanism, 0, 0, null, null, null, output, null, null);
    this.#gss.releaseName([0], [target]);
    const token = this.#taken(output);
    if (context[0]) this.#gss.end([0], context, null);
    this.#check(major, minor);
    return token;
  }

  #established(context: unknown, user: string, token: Buffer): GssContext {
    const [minor, target] = [[0], [null]];
    this.#check(this.#gss.inquire(minor, context, null, target, null, null, null, null, null), minor);
    return {
      user,
      target: this.#nameText(target[0]),
      token,
      wrap: (message, isPrivate) => {
        const [status, state, output] = [[0], [0], [empty]];
        this.#check(this.#gss.wrap(status, context, isPrivate ? 1 : 0, 0, given(message), state, output), status);
        const wrapped = this.#taken(output);
        if (isPrivate && state[0] === 0) throw new Error('the context cannot keep messages private');
        return wrapped;
      },
      unwrap: (message) => {
        const [status, output, state] = [[0], [empty], [0]];
        const major = this.#check(this.#gss.unwrap(status, context, given(message), output, state, [0]), status);
        const unwrapped = this.#taken(output);
        if ((major & sequenceBits) !== 0) throw new Error('a message is said again or out of turn');
        return { message: unwrapped, isPrivate: state[0] !== 0 };
      },
      end: () => void this.#gss.end([0], [context], null),
    };
  }

  #taken([buffer]: readonly BufferDescription[]): Buffer {
    const { length, value } = buffer ?? empty;
    const bytes = Number(length) === 0 ? Buffer.alloc(0) : this.#copied(value, Number(length));
    this.#gss.releaseBuffer([0], [{ length, value }]);
    return bytes;
  }

  #copied(pointer: unknown, length: number): Buffer {
    return Buffer.from(this.#koffi.decode(pointer, 'uint8_t', length) as Uint8Array);
  }

  #check(major: number, [minor = 0]: readonly number[]): number {
    if ((major & errorBits) === 0) return major;
    throw new Error(`${this.#statusText(major, 1)}: ${this.#statusText(minor, 2)}`);
  }

  /** `type` 1: of the interface; 2: of the mechanism. */
  #statusText(status: number, type: 1 | 2): string {
    const text = [empty];
    const major = this.#gss.displayStatus([0], status, type, identifier(kerberosOid), [0], text);
    return (major & errorBits) === 0 ? this.#taken(text).toString() : String(status);
  }

  #named(text: string, form: Buffer | undefined): unknown {
    const [minor, name] = [[0], [null]];
    const type = form ? identifier(form) : null;
    this.#check(this.#gss.importName(minor, given(Buffer.from(text)), type, name), minor);
    return name[0];
  }

  #nameText(name: unknown): string {
    const [minor, text] = [[0], [empty]];
    const major = this.#gss.displayName(minor, name, text, null);
    this.#gss.releaseName([0], [name]);
    this.#check(major, minor);
    return this.#taken(text).toString();
  }

  #isKerberos(mechanism: unknown): boolean {
    if (!mechanism) return false;
    const { length, elements } = this.#koffi.decode(mechanism, 'gss_oid') as { readonly length: number; readonly elements: unknown };
    return length === kerberosOid.length && kerberosOid.equals(this.#copied(elements, length));
  }
}

const given = (bytes: Buffer): BufferDescription => ({ length: bytes.length, value: bytes });
const identifier = (bytes: Buffer) => ({ length: bytes.length, elements: bytes });

/** Calls a function in another thread. */
const called = (call: Callable, ...values: readonly unknown[]): Promise<number> =>
  new Promise((resolve, reject) => {
    call.async(...values, (error: Error | null, result: number) => (error ? reject(error) : resolve(result)));
  });

function firstOf(koffi: Koffi): ReturnType<Koffi['load']> {
  let problem: unknown;
  for (const path of libraries)
    try {
      return koffi.load(path);
    } catch (error) {
      problem ??= error;
    }
  throw problem;
}
