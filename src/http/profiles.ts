// How the servers of YARN and MapReduce differ on the wire: the same plumbing, a profile of habits for each.

/** The habits of one server. */
export interface Profile {
  /** Errors as `{"RemoteException":{…}}` or as the bare object. */
  readonly errorRoot: 'RemoteException' | undefined;
  /** Whether answers are compressed for those who accept gzip. */
  readonly gzip: boolean;
  readonly frameOptions: boolean;
  /** Content type of the description that OPTIONS answers. */
  readonly wadlType: string;
  /** Whether HEAD of something absent is 405, as where a user interface lies behind the REST interface. */
  readonly headOfAbsentIs405: boolean;
  /** What an unknown path answers: the user interface's page or the container's. */
  readonly unknownPathType: string;
}

const common: Profile = {
  errorRoot: 'RemoteException',
  gzip: true,
  frameOptions: true,
  wadlType: 'application/vnd.sun.wadl+xml',
  headOfAbsentIs405: true,
  unknownPathType: 'text/html;charset=utf-8',
};

/** The servers of YARN and MapReduce. */
export const profiles = {
  resourceManager: { ...common, wadlType: 'application/vnd.sun.wadl+xml;charset=utf-8' },
  nodeManager: common,
  history: common,
  master: common,
  timeline: { ...common, errorRoot: undefined },
  reader: { ...common, errorRoot: undefined, gzip: false, frameOptions: false },
} as const satisfies Record<string, Profile>;
