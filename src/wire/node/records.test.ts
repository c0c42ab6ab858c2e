import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeJson } from '../codec/json.ts';
import { readBody } from '../codec/read.ts';
import { writeXml } from '../codec/xml.ts';
import { nodeApplication, nodeApplications } from './applications.ts';
import { auxiliaryServices } from './auxiliary-services.ts';
import { containerLogsInfoes } from './container-logs.ts';
import { nodeContainer, nodeContainers } from './containers.ts';
import { nodeInfo } from './node-info.ts';
import { gpuInformationJson, gpuInformationXml, resourceInformation } from './resource-information.ts';

const xmlOf = (text: string) => text.slice(text.indexOf('?>') + 2);

describe("the node manager's records", () => {
  it('keep lists of one as lists', () => {
    const app = { id: 'application_1_0001', state: 'RUNNING', user: 'ann', containerids: ['container_1_0001_01_000001'] };
    const text = '{"id":"application_1_0001","state":"RUNNING","user":"ann","containerids":["container_1_0001_01_000001"]}';
    assert.equal(writeJson(nodeApplication, app), `{"app":${text}}`);
    assert.equal(writeJson(nodeApplications, { app: [app] }), `{"apps":{"app":[${text}]}}`);
    assert.deepEqual(readBody(nodeApplication, Buffer.from(writeXml(nodeApplication, app)), 'xml'), app);
  });

  it('are empty objects and elements where there is nothing', () => {
    for (const [record, root] of [
      [nodeApplications, 'apps'],
      [nodeContainers, 'containers'],
      [auxiliaryServices, 'services'],
    ] as const) {
      assert.equal(writeJson(record as never, {} as never), `{"${root}":{}}`);
      assert.equal(xmlOf(writeXml(record as never, {} as never)), `<${root}/>`);
    }
    assert.equal(writeJson(resourceInformation, {}), '{}');
    assert.equal(xmlOf(writeXml(resourceInformation, {})), '<nmResourceInfo/>');
  });

  it('leave out what a container does not have yet', () => {
    const json = writeJson(nodeContainer, { id: 'c', state: 'NEW', exitCode: -1000, totalMemoryNeededMB: 128, containerLogFiles: [] });
    assert.equal(json, '{"container":{"id":"c","state":"NEW","exitCode":-1000,"totalMemoryNeededMB":128}}');
  });

  it('of logs collapse, being of the older kind', () => {
    const logs = { containerLogInfo: [{ fileName: 'stdout', fileSize: '1', lastModifiedTime: 't' }], containerId: 'c' };
    assert.equal(
      writeJson(containerLogsInfoes, { containerLogsInfo: [logs] }),
      '{"containerLogsInfo":{"containerLogInfo":{"fileName":"stdout","fileSize":"1","lastModifiedTime":"t"},"containerId":"c"}}',
    );
  });

  it('write flags as flags and amounts as numbers in JSON, texts in XML', () => {
    const value = {
      vmemCheckEnabled: false,
      totalVCoresAllocatedContainers: 8,
      nodeHealthy: true,
      resourceTypes: 'memory-mb (unit=Mi), vcores',
    };
    assert.equal(
      writeJson(nodeInfo, value),
      '{"nodeInfo":{"totalVCoresAllocatedContainers":8,"vmemCheckEnabled":false,"resourceTypes":"memory-mb (unit=Mi), vcores","nodeHealthy":true}}',
    );
    assert.match(writeXml(nodeInfo, value), /<vmemCheckEnabled>false<\/vmemCheckEnabled>.*<nodeHealthy>true<\/nodeHealthy>/);
  });

  it('of GPUs have the names of beans in JSON, and of the driver in XML', () => {
    const assigned = { index: 0, minorNumber: 1, containerId: 'c' };
    const json = writeJson(gpuInformationJson, {
      gpuDeviceInformation: {
        gpus: [{ productName: 'P', minorNumber: 1, gpuUtilizations: { overallGpuUtilization: 5 } }],
        driverVersion: '1',
      },
      assignedGpuDevices: [assigned],
    });
    assert.deepEqual(JSON.parse(json), {
      gpuDeviceInformation: {
        gpus: [{ productName: 'P', minorNumber: 1, gpuUtilizations: { overallGpuUtilization: 5 } }],
        driverVersion: '1',
      },
      assignedGpuDevices: [assigned],
    });
    const xml = writeXml(gpuInformationXml, {
      gpuDeviceInformation: { gpu: [{ product_name: 'P', minor_number: 1, utilization: { gpu_util: '5 %' } }], driver_version: '1' },
    });
    assert.equal(
      xmlOf(xml),
      '<nmGpuResourceInfo><gpuDeviceInformation><gpu><product_name>P</product_name><minor_number>1</minor_number><utilization><gpu_util>5 %</gpu_util></utilization></gpu><driver_version>1</driver_version></gpuDeviceInformation></nmGpuResourceInfo>',
    );
  });
});
