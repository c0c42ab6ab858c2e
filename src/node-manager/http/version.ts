// What the node says of its version: the Hadoop whose interface it speaks.
const version = '3.4.2';

/** Version, build text and date as NodeInfo and the pages show them. */
export const hadoopBuild = {
  version,
  text: `${version} from heddle by heddle source checksum heddle`,
  date: '2025-08-20T10:30Z',
} as const;
