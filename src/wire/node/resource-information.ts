// `GET /resources/{name}`: NMResourceInfo, empty where no plug-in knows the resource; NMGpuResourceInfo for yarn.io/gpu.
// Hadoop's JSON of GPUs has the names of its beans, its XML those of its annotations.
import { int, list, object, record, text } from '../codec/describe.ts';

export const resourceInformation = record('nmResourceInfo', {}, { json: 'natural', wrapped: false });

const gpuDevice = { index: int(), minorNumber: int() };
const gpuLists = {
  totalGpuDevices: list(object(gpuDevice)),
  assignedGpuDevices: list(object({ ...gpuDevice, containerId: text() })),
};

/** For JSON. */
export const gpuInformationJson = record(
  'nmGpuResourceInfo',
  {
    gpuDeviceInformation: object({
      gpus: list(
        object({
          productName: text(),
          uuid: text(),
          minorNumber: int(),
          gpuUtilizations: object({ overallGpuUtilization: int() }),
          gpuMemoryUsage: object({ usedMemoryMiB: int(), availMemoryMiB: int(), totalMemoryMiB: int() }),
          temperature: object({ currentGpuTemp: int(), maxGpuTemp: int(), slowThresholdGpuTemp: int() }),
        }),
      ),
      driverVersion: text(),
    }),
    ...gpuLists,
  },
  { json: 'natural', wrapped: false },
);

/** For XML. */
export const gpuInformationXml = record(
  'nmGpuResourceInfo',
  {
    gpuDeviceInformation: object({
      gpu: list(
        object({
          product_name: text(),
          uuid: text(),
          minor_number: int(),
          utilization: object({ gpu_util: text() }),
          fb_memory_usage: object({ used: text(), free: text() }),
          temperature: object({ gpu_temp: text(), gpu_temp_max_threshold: text(), gpu_temp_slow_threshold: text() }),
        }),
      ),
      driver_version: text(),
    }),
    ...gpuLists,
  },
  { json: 'natural', wrapped: false },
);
