#pragma once
// How fast a machine computes and moves bytes: what the performance model knows of it.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "goban/base/link_model.hpp"
#include "goban/base/types.hpp"
#include "goban/performance/model/correction.hpp"

namespace goban {

/// Kinds of operations that run at rates of their own.
enum class Arithmetic : std::uint8_t { single_precision, double_precision, integer };

/// A cache or the memory: what sweeps over data of up to `capacity` bytes read and write.
struct MemoryLevel {
  double capacity = std::numeric_limits<double>::infinity();  ///< bytes
  double bandwidth = 0;  ///< bytes per second, read and written together
};

/// What computes a patch: a GPU, or the threads of a process together.
struct DeviceRates {
  std::string name;
  bool is_gpu = false;
  std::array<double, 3> operations{};  ///< per second, see Arithmetic: F_peak
  // Values per second, by the kind of what is read; 0: they take no time beside the rest.
  std::array<double, 3> reads{};    ///< values of cells around
  std::array<double, 3> moves{};    ///< values of cells at hand, read or written
  std::vector<MemoryLevel> levels;  ///< the fastest first, the memory last: B_peak
  double streams =
      0;  ///< values per second from and to memory, beside bytes, of more than two fields
  double launch = 0;  ///< seconds a sweep, or what fills or copies halos, takes beside its cells
  double row = 0;     ///< on CPUs: seconds a row of a sweep takes beside its cells
  // What halos take beside their messages and their bytes.
  double gather = 0;          ///< seconds of a value that is filled or packed at a row's end
  double gather_row = 0;      ///< seconds a row's end takes beside its values
  double gather_in_rows = 0;  ///< seconds of a value that is filled or packed in rows
  double end_sends = 0;       ///< seconds of a value that a sweep sends at a row's end
  double plane_sends = 0;     ///< seconds of a value that a sweep sends in rows and planes
  double byte_sends = 0;      ///< seconds of a value of one byte at a row's end; 0: as any other
  double double_sends = 0;    ///< seconds of a value of eight bytes at a row's end; 0: as any other
  double blocking_efficiency = 1;  ///< share of the model's rate that sweeps in passes reach
  double pass_step = 0;            ///< on CPUs: seconds a step of a pass takes beside its cells
  double pass_plane = 0;       ///< on GPUs: seconds a block of a pass takes for a plane and step
  double multiprocessors = 0;  ///< on GPUs: blocks of a pass at a time
  /// 1: instructions and bytes take time one after the other, eq. 1; more: also at once. The sum of
  /// their powers is that of the whole. On CPUs operations and reads are two such parts: cores
  /// begin several of each in a cycle. On GPUs their seconds add up: warps take turns to issue
  /// them.
  double overlap_exponent = 1;
  /// Whether caches, or registers, hold the planes that a sweep goes through: then every value
  /// comes from memory once, else as often as it is read. Where they do not, no steps go in one
  /// pass.
  bool caches_planes = true;
  double memory = 0;  ///< bytes; 0: not said
  double watts = 0;   ///< while it computes; 0: not said
  /// How far measured sweeps are from what all this says of them.
  std::vector<Deviation> deviations{};

  /// What operations and reads take beside bytes, of the seconds that each would take alone.
  double beside(double operations, double reads, double bytes) const;
  double rate(Arithmetic kind) const { return operations[static_cast<std::size_t>(kind)]; }
  /// The bandwidth of the first level that holds so many bytes; where one of a GPU holds most of
  /// them, it is between that of this level and of the next.
  double bandwidth(double working_set) const;
  /// Seconds of a value of so many bytes that a sweep sends at the end of a row.
  double send_at_end(std::size_t bytes) const;
  /// Share of a GPU's threads that have something to do in rows of so many bytes: a thread takes
  /// 16, and where a row has more than a warp's threads take, the last warp of it is not full.
  double lanes(double row_bytes) const;
  double memory_bandwidth() const { return levels.back().bandwidth; }
  /// Bytes of the largest cache; 0: none is known.
  double cache_bytes() const { return levels.size() > 1 ? levels[levels.size() - 2].capacity : 0; }
};

/// Rates of `threads` threads, of rates that are of one.
DeviceRates times_threads(DeviceRates one, int threads);

/// All times of messages are those of the model B(s) = s / (s / B0 + t0).
struct MachineRates {
  std::string name;
  std::string source;     ///< where the numbers come from
  std::string host;       ///< processor and GPUs they were measured on; empty: on paper
  bool is_quick = false;  ///< measured in passing, by a first run of the host
  DeviceRates device;
  int devices_per_node = 1;
  LinkModel process{};    ///< between devices of one process
  LinkModel peer{};       ///< GPUs of a node that write to each other's memory
  LinkModel nccl{};       ///< GPUs of a node by NCCL
  LinkModel node{};       ///< processes of a node, through memory of the host
  LinkModel network{};    ///< between nodes
  LinkModel host_copy{};  ///< between memory of a device and of the host
  LinkModel disk{};       ///< from a node to files
  double reduction = 0;   ///< seconds until the host has a sum of all cells of a device
  double run = 0;         ///< seconds until a run of stages begins, where a step has several
  // What steps and loops take that a device repeats alone.
  double loop = 0;            ///< seconds a loop takes beside its rounds
  double loop_round = 0;      ///< seconds a round takes beside its commands
  double loop_reduction = 0;  ///< seconds of a sum
  double scalar = 0;          ///< seconds of a stage that computes numbers
  double clock = 0;           ///< seconds until the host knows a step's length and begins the next
  int devices_per_network_link = 1;  ///< devices that share it: g
  double price_per_node_hour = 0;    ///< 0: not said
};

/// Seconds that files take, of so many bytes in all, of one node; 0 where the machine does not say.
inline double seconds_of_files(const MachineRates& machine, double files, double bytes) {
  return machine.disk.is_slow()
             ? files * machine.disk.latency + bytes / machine.disk.bytes_per_second
             : 0;
}

/// Seconds that so many bytes take.
inline double seconds_of(const LinkModel& link, double bytes) {
  return link.latency + bytes / link.bytes_per_second;
}

}  // namespace goban
