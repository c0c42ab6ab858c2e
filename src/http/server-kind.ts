// The servers that tell apart how they authenticate.

/** The servers that differ in who an unnamed caller is and in what they understand. */
export type ServerKind = 'resourceManager' | 'nodeManager' | 'timeline' | 'history' | 'proxy' | 'reader' | 'collector';
