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
  /** Below these an unknown path answers the user interface's page, elsewhere the container's. */
  readonly interfacePages: readonly string[];
  /** Folders that the container serves; it leads to them with a slash at the end. */
  readonly folders: readonly string[];
}

const common: Profile = {
  errorRoot: 'RemoteException',
  gzip: true,
  frameOptions: true,
  wadlType: 'application/vnd.sun.wadl+xml',
  headOfAbsentIs405: true,
  interfacePages: ['/ws/'],
  folders: ['/logs', '/static'],
};

/** The servers of YARN and MapReduce. */
export const profiles = {
  resourceManager: {
    ...common,
    wadlType: 'application/vnd.sun.wadl+xml;charset=utf-8',
    interfacePages: ['/ws/', '/cluster/'],
  },
  nodeManager: { ...common, interfacePages: ['/ws/', '/node/'] },
  history: { ...common, interfacePages: ['/ws/', '/jobhistory/'] },
  master: { ...common, interfacePages: ['/ws/', '/mapreduce/'], folders: [] },
  timeline: { ...common, errorRoot: undefined, interfacePages: ['/ws/', '/applicationhistory/'] },
  reader: {
    ...common,
    ...{ errorRoot: undefined, gzip: false, frameOptions: false, headOfAbsentIs405: false, interfacePages: ['/'], folders: [] },
  },
  proxy: { ...common, wadlType: 'application/vnd.sun.wadl+xml;charset=utf-8', interfacePages: [], folders: [] },
} as const satisfies Record<string, Profile>;
