// What resource plug-ins know: `GET /resources/{resourcename}` (NMWebServices.getNMResourceInfo).

import { gpuResource } from '../../config/engine-rules.ts';
import { type Answer, ok } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { gpuInformationJson, gpuInformationXml, resourceInformation } from '../../wire/node/resource-information.ts';
import type { Gpus } from '../devices/gpus.ts';

/** `GET /resources/{resourcename}`; a resource without a plug-in is an empty object. `gpus`: undefined where their plug-in is off. */
export async function showResource(gpus: Gpus | undefined, call: Call): Promise<Answer> {
  if (!gpus || call.params['resourcename'] !== gpuResource) return ok(resourceInformation, {});
  const report = await gpus.report();
  const lists = { totalGpuDevices: gpus.all.map((gpu) => ({ ...gpu })), assignedGpuDevices: gpus.assigned() };
  if (call.format === 'json')
    return ok(gpuInformationJson, {
      gpuDeviceInformation: report && {
        driverVersion: report.driverVersion,
        gpus: report.gpus.map((gpu) => ({
          productName: gpu.productName,
          uuid: gpu.uuid,
          minorNumber: gpu.minorNumber,
          gpuUtilizations: { overallGpuUtilization: gpu.utilizationPercent },
          gpuMemoryUsage: {
            usedMemoryMiB: gpu.usedMemoryMiB,
            availMemoryMiB: gpu.freeMemoryMiB,
            totalMemoryMiB: (gpu.usedMemoryMiB ?? 0) + (gpu.freeMemoryMiB ?? 0),
          },
          temperature: {
            currentGpuTemp: gpu.temperatureCelsius,
            maxGpuTemp: gpu.maximumTemperatureCelsius,
            slowThresholdGpuTemp: gpu.slowTemperatureCelsius,
          },
        })),
      },
      ...lists,
    });
  const inMiB = (value: number | undefined) => (value === undefined ? undefined : `${value} MiB`);
  const asFloat = (value: number | undefined) => (value === undefined ? undefined : Number.isInteger(value) ? `${value}.0` : String(value));
  return ok(gpuInformationXml, {
    gpuDeviceInformation: report && {
      driver_version: report.driverVersion,
      gpu: report.gpus.map((gpu) => ({
        product_name: gpu.productName,
        uuid: gpu.uuid,
        minor_number: gpu.minorNumber,
        utilization: { gpu_util: asFloat(gpu.utilizationPercent) },
        fb_memory_usage: { used: inMiB(gpu.usedMemoryMiB), free: inMiB(gpu.freeMemoryMiB) },
        temperature: {
          gpu_temp: asFloat(gpu.temperatureCelsius),
          gpu_temp_max_threshold: asFloat(gpu.maximumTemperatureCelsius),
          gpu_temp_slow_threshold: asFloat(gpu.slowTemperatureCelsius),
        },
      })),
    },
    ...lists,
  });
}
