// Applications on the node manager's REST interface: AppInfo, AppsInfo.
import { list, object, record, rooted, type Shape, text } from '../codec/describe.ts';

const application = object({ id: text(), state: text(), user: text(), containerids: list(text()) });
/** `GET /apps/{appid}`. */
export const nodeApplication = rooted('app', application, { json: 'natural' });
export type NodeApplication = Shape<typeof nodeApplication>;
/** `GET /apps`. */
export const nodeApplications = record('apps', { app: list(application) }, { json: 'natural' });
