// The calls of libgssapi_krb5 that a server of SASL's GSSAPI needs, through the package koffi (RFC 2744 names them and their arguments). For the
// GSS process alone.

/** What is used of the package; it is optional, so its own types may not be there. */
interface Koffi {
  struct(name: string, members: Readonly<Record<string, string>>): unknown;
  load(path: string): { func(declaration: string): (...values: readonly unknown[]) => number };
  decode(pointer: unknown, type: string, length?: number): unknown;
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

/** Accepts the first token of a caller. @throws Error with the library's words */
export type AcceptContext = (token: Buffer) => GssContext;

const packageName = 'koffi';
const libraries = ['libgssapi_krb5.so.2', 'libgssapi_krb5.dylib', '/System/Library/Frameworks/GSS.framework/GSS'];

/** Object identifier of Kerberos 5 (RFC 4121 section 4.1): SASL's GSSAPI knows no other mechanism (RFC 4752). */
const kerberosOid = Buffer.from('2a864886f712010202', 'hex');

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
export async function loadGssLibrary(): Promise<AcceptContext> {
  const loaded = (await import(packageName)) as Koffi & { readonly default?: Koffi };
  const library = new GssLibrary(loaded.default ?? loaded);
  return (token) => library.accept(token);
}

function functionsOf(koffi: Koffi) {
  koffi.struct('gss_buffer', { length: 'size_t', value: 'void *' });
  koffi.struct('gss_oid', { length: 'uint32_t', elements: 'void *' });
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
      'uint32_t gss_display_status(_Out_ uint32_t *minor, uint32_t status, int type, void *mechanism, _Inout_ uint32_t *more, _Out_ gss_buffer *text)',
    ),
    wrap: library.func(
      'uint32_t gss_wrap(_Out_ uint32_t *minor, void *context, int is_private, uint32_t qop, gss_buffer *input, _Out_ int *state, _Out_ gss_buffer *output)',
    ),
    unwrap: library.func(
      'uint32_t gss_unwrap(_Out_ uint32_t *minor, void *context, gss_buffer *input, _Out_ gss_buffer *output, _Out_ int *state, _Out_ uint32_t *qop)',
    ),
    end: library.func('uint32_t gss_delete_sec_context(_Out_ uint32_t *minor, _Inout_ void **context, void *output)'),
    releaseName: library.func('uint32_t gss_release_name(_Out_ uint32_t *minor, _Inout_ void **name)'),
    releaseBuffer: library.func('uint32_t gss_release_buffer(_Out_ uint32_t *minor, _Inout_ gss_buffer *buffer)'),
  } as const;
}

/** The library, its buffers and names copied and given back to it. */
class GssLibrary {
  readonly #koffi: Koffi;
  readonly #gss: ReturnType<typeof functionsOf>;

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
      this.#check(major, minor, mechanism[0]);
      const user = source[0] ? this.#nameText(source[0]) : '';
      if ((major & continueNeeded) !== 0 || !this.#isKerberos(mechanism[0])) throw new Error('the token is none of Kerberos 5');
      return this.#established(context[0], user, token);
    } catch (error) {
      if (context[0]) this.#gss.end([0], context, null);
      throw error;
    }
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

  #check(major: number, [minor = 0]: readonly number[], mechanism: unknown = null): number {
    if ((major & errorBits) === 0) return major;
    throw new Error(`${this.#statusText(major, 1, null)}: ${this.#statusText(minor, 2, mechanism)}`);
  }

  /** `type` 1: of the interface; 2: of the mechanism. */
  #statusText(status: number, type: 1 | 2, mechanism: unknown): string {
    const text = [empty];
    const major = this.#gss.displayStatus([0], status, type, mechanism, [0], text);
    return (major & errorBits) === 0 ? this.#taken(text).toString() : String(status);
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
