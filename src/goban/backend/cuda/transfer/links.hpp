#pragma once
// How fast data moves within a GPU, between it and the host, and between GPUs; what a launch costs.

namespace goban::cuda {

/// Bytes per second and seconds; 0 where the device has no memory left to measure with.
struct DeviceSpeed {
  double copy_bandwidth = 0;          ///< as measure_copy()
  double to_host = 0, from_host = 0;  ///< pinned memory
  double launch = 0;                  ///< one of many kernels in a row
};
/// Error (ExitCode::resources): the device failed.
DeviceSpeed measure_device(int number);

struct Link {
  bool is_direct = false;
  double bandwidth = 0;  ///< 64 MiB
  double latency = 0;    ///< 8 bytes
};
/// From one device's memory to the other's; lets both reach each other if they can, as executors
/// do, and leaves it so. Error: likewise.
Link measure_link(int from, int to);

}  // namespace goban::cuda
