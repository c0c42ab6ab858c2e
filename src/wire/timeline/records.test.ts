import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson, writeJsonMember } from '../codec/json.ts';
import { writeXml } from '../codec/xml.ts';
import { parseExact } from './exact-json.ts';
import { historyApplication, historyApplications, historyAttempts, historyContainer, historyContainers } from './history-records.ts';
import { containerLogs, containerLogsInfoes } from './log-records.ts';
import {
  timelineAbout,
  timelineDomain,
  timelineDomains,
  timelineEntity,
  timelineEventsOfEntity,
  timelinePutResponse,
} from './v1-records.ts';

describe('records of timeline v1', () => {
  it('keep empty lists and maps, and leave absent ones out', () => {
    assert.equal(
      writeJson(timelineEntity, { entity: 'e', entitytype: 't', events: [], relatedentities: {}, primaryfilters: {}, otherinfo: {} }),
      '{"entitytype":"t","entity":"e","events":[],"relatedentities":{},"primaryfilters":{},"otherinfo":{}}',
    );
    assert.equal(writeJson(timelineEntity, {}), '{}');
    assert.equal(writeJson(timelinePutResponse, { errors: [] }), '{"errors":[]}');
    assert.equal(writeJson(timelineDomains, { domains: [] }), '{"domains":[]}');
    assert.equal(
      writeJson(timelineEventsOfEntity, { entity: 'e', entitytype: 't', events: [] }),
      '{"entity":"e","entitytype":"t","events":[]}',
    );
  });

  it('have values of any kind as they were put, numbers exactly', () => {
    const otherinfo = parseExact('{"a":1.0,"b":9223372036854775807,"c":[true,null,{"d":"x"}]}') as never;
    assert.equal(writeJson(timelineEntity, { otherinfo }), '{"otherinfo":{"a":1.0,"b":9223372036854775807,"c":[true,null,{"d":"x"}]}}');
    const primaryfilters = { user: ['ann', 5, false] };
    assert.equal(writeJson(timelineEntity, { primaryfilters }), '{"primaryfilters":{"user":["ann",5,false]}}');
    const event = { timestamp: 5, eventtype: 'START', eventinfo: { n: 1 } };
    assert.equal(writeJson(timelineEntity, { events: [event] }), '{"events":[{"timestamp":5,"eventtype":"START","eventinfo":{"n":1}}]}');
  });

  it('name the members of domains, faults and versions as Hadoop does', () => {
    assert.equal(
      writeJson(timelineDomain, { id: 'd', owner: 'ann', readers: ' ', writers: 'bob', createdtime: 1, modifiedtime: 2 }),
      '{"id":"d","owner":"ann","readers":" ","writers":"bob","createdtime":1,"modifiedtime":2}',
    );
    assert.equal(
      writeJson(timelinePutResponse, { errors: [{ entity: 'e', entitytype: 't', errorcode: 4 }] }),
      '{"errors":[{"entity":"e","entitytype":"t","errorcode":4}]}',
    );
    assert.equal(
      writeJson(timelineAbout, { About: 'Timeline API', 'hadoop-version': '3.4.2' }),
      '{"About":"Timeline API","hadoop-version":"3.4.2"}',
    );
  });
});

describe('records of the application history', () => {
  it('have numbers as numbers, and no root in JSON', () => {
    assert.equal(
      writeJson(historyApplication, { appId: 'a', progress: 100, rpcPort: -1, unmanagedApplication: false, startedTime: 5 }),
      '{"appId":"a","rpcPort":-1,"progress":100.0,"startedTime":5,"unmanagedApplication":false}',
    );
    assert.match(writeXml(historyApplication, { appId: 'a', progress: 100 }), /<app><appId>a<\/appId><progress>100\.0<\/progress><\/app>$/);
  });

  it('keep their empty lists in JSON, and are an empty element in XML', () => {
    for (const [record, member, root] of [
      [historyApplications, 'app', 'apps'],
      [historyAttempts, 'appAttempt', 'appAttempts'],
      [historyContainers, 'container', 'containers'],
    ] as const) {
      assert.equal(writeJson(record as never, { [member]: [] } as never), `{"${member}":[]}`);
      assert.match(writeXml(record as never, { [member]: [] } as never), new RegExp(`<${root}/>$`));
    }
  });

  it('have plain maps of resources in JSON, entries in XML', () => {
    const value = { containerId: 'c', allocatedResources: { 'memory-mb': 128, vcores: 1 } };
    assert.equal(writeJson(historyContainer, value), '{"containerId":"c","allocatedResources":{"memory-mb":128,"vcores":1}}');
    assert.match(
      writeXml(historyContainer, value),
      /<allocatedResources><entry><key>memory-mb<\/key><value>128<\/value><\/entry><entry><key>vcores<\/key>/,
    );
  });

  it('of logs are a bare list in JSON, below a root in XML', () => {
    const logs = { containerLogInfo: [], logAggregationType: 'LOCAL', containerId: 'c', nodeId: 'n' };
    assert.equal(
      writeJsonMember(containerLogs, 'plain', logs),
      '{"containerLogInfo":[],"logAggregationType":"LOCAL","containerId":"c","nodeId":"n"}',
    );
    assert.match(
      writeXml(containerLogsInfoes, { containerLogsInfo: [logs] }),
      /<containerLogsInfoes><containerLogsInfo><logAggregationType>LOCAL<\/logAggregationType><containerId>c<\/containerId><nodeId>n<\/nodeId><\/containerLogsInfo><\/containerLogsInfoes>$/,
    );
  });
});
