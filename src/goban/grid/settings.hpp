#pragma once
// How a program is to be executed. Results do not depend on any of it but reduced precision of
// halos, bit for bit.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "goban/base/named.hpp"
#include "goban/base/types.hpp"
#include "goban/partition/partitioner.hpp"

namespace goban {

class Communicator;

/// When halos travel beside the computation.
enum class Overlap : std::uint8_t {
  automatic,   ///< one_kernel where CPU and devices compute, tried between ranks, otherwise none
  none,        ///< exchange, then sweep
  one_kernel,  ///< inner sweep while halos travel, outer sweeps after
  two_kernel  ///< producer's outer part first, its inner part and the consumer's while halos travel
};

/// Which kernels and executors run.
enum class Backend : std::uint8_t {
  cpu,        ///< packs of the machine's widest registers, thread team
  reference,  ///< the definition: graphs evaluated cell after cell on the whole grid, no schedule
  emulated,   ///< emulated devices: own memory, own queues, randomly delayed operations; every
              ///< schedule checked
  cuda        ///< NVIDIA GPUs
};

/// What becomes of the cuts between devices of different speed.
enum class Balance : std::uint8_t {
  off,    ///< they stay as they are
  keep,   ///< they move until all devices finish together
  choose  ///< they move likewise; then a CPU beside other devices is left out where it does not pay
};

/// Devices are named by numbers of their kind or by one of these.
constexpr int cpu_device = -1;    ///< the CPU beside GPUs
constexpr int every_device = -2;  ///< all of the kind
/// Which way messages between ranks take. Any but automatic and host is refused where some cannot.
enum class Transport : std::uint8_t {
  automatic,  ///< for each pair of neighbours the first of the following that it has
  peer,       ///< GPUs of one machine write to each other's memory
  nccl,       ///< queues of GPUs, one a rank, exchange by NCCL
  mpi,        ///< an MPI that takes memory of GPUs moves messages from one to the other
  host        ///< through memory of the host
};

/// What halos are rounded to on their way from rank to rank.
enum class HaloPrecision : std::uint8_t {
  full,    ///< nothing
  single,  ///< float64 to float32: relative error 2^-24
  half     ///< float64 and float32 to float16: relative error 2^-11
};

/// What CPUs do with numbers below 1.2e-38 in single precision, 2.2e-308 in double.
enum class Subnormals : std::uint8_t {
  keep,  ///< compute them, as GPUs do
  flush  ///< take them for zero: faster where fields fade, other bits than on GPUs
};

/// How the kernels of CPUs come about.
enum class KernelMode : std::uint8_t {
  automatic,  ///< as the program has chosen, else `beside`
  beside,     ///< graphs are evaluated while their code is made
  wait,       ///< sweeps wait for their code
  keep,       ///< as `beside`, and the texts stay beside the code
  evaluate    ///< graphs are evaluated, and there is no code
};

struct Settings {
  /// Ranks that run the program together; null: those that MPI has started.
  std::shared_ptr<Communicator> communicator{};
  Backend backend = Backend::cpu;
  /// GPUs, or emulated devices, and the CPU beside them, in the order of the patches; empty: all
  /// GPUs, an emulated device a patch.
  std::vector<int> devices = {};
  Balance balance = Balance::choose;
  Index3 patches{0, 0, 0};            ///< process grid; 0: chosen
  std::array<std::string, 3> cuts{};  ///< explicit extents per axis, "30,34"; empty: even cuts
  /// In how many parts that hang together lists of active cells are ordered: as many patches are
  /// cut between them. 0: in as many as there are patches, if they can be even; 1: along the curve.
  int parts = 0;
  Partitioner partition = Partitioner::flooding;  ///< what makes these parts
  Transport transport = Transport::automatic;
  /// Anything but full: results depend on how many ranks there are and where they meet.
  HaloPrecision halo_precision = HaloPrecision::full;
  Subnormals subnormals = Subnormals::keep;
  int threads = 0;             ///< 0: all usable cores
  int steps_per_exchange = 0;  ///< R; 0: chosen
  Overlap overlap = Overlap::automatic;
  int temporal_blocking = -1;  ///< time steps per pass through cache; -1: chosen, 0 or 1: off
  bool recompute = false;      ///< recompute stages in the halo instead of exchanging (R = 1)
  /// How sweeps are launched on GPUs: "tuned" (tried once, then remembered), "anew" (tried again),
  /// "preset" (never tried), or one way for all stages that have it, as "2x4 32x8x1 slabs".
  std::string launches = "tuned";
  bool streaming_stores = true;
  KernelMode kernels = KernelMode::automatic;
  /// Rates for the performance model: a machine file or the name of one that is shipped; empty:
  /// what was measured here, or else what is shipped for its kind.
  std::string machine{};
  bool on_paper = false;  ///< fields have no values, and nothing runs: for predictions
  /// Numbers of devices on which simulations say what they would take, instead of running.
  std::vector<Index> predict{};
  std::uint64_t seed = 1;        ///< seed of random numbers in functors
  std::uint64_t delay_seed = 1;  ///< seed of the emulated devices' random delays
  int delay_microseconds = 200;  ///< longest random delay of an emulated operation
  /// How fast emulated devices are, one after the other; one of speed 1 updates ten million cells a
  /// second. Empty: as fast as they are.
  std::vector<double> speeds{};
  std::string trace{};  ///< file that shows what ran when; empty: none
  std::string live{};   ///< where pages of simulations are, as of SimulationOptions::live
  /// Where simulations have their files, instead of SimulationOptions::directory; "{name}" in it is
  /// the name of the folder that a simulation would have without it.
  std::string out{};
  std::string restart{};  ///< "newest" or a step, for every simulation; empty: as each one says
};

inline constexpr Named<Overlap> overlap_names[] = {{"auto", Overlap::automatic},
                                                   {"none", Overlap::none},
                                                   {"one-kernel", Overlap::one_kernel},
                                                   {"two-kernel", Overlap::two_kernel}};
inline constexpr Named<Backend> backend_names[] = {{"cpu", Backend::cpu},
                                                   {"reference", Backend::reference},
                                                   {"emulated", Backend::emulated},
                                                   {"cuda", Backend::cuda}};
inline constexpr Named<Balance> balance_names[] = {
    {"choose", Balance::choose}, {"keep", Balance::keep}, {"off", Balance::off}};
inline constexpr Named<Transport> transport_names[] = {{"auto", Transport::automatic},
                                                       {"peer", Transport::peer},
                                                       {"nccl", Transport::nccl},
                                                       {"mpi", Transport::mpi},
                                                       {"host", Transport::host}};
inline constexpr Named<HaloPrecision> halo_precision_names[] = {{"full", HaloPrecision::full},
                                                                {"single", HaloPrecision::single},
                                                                {"half", HaloPrecision::half}};

inline constexpr Named<KernelMode> kernel_mode_names[] = {{"auto", KernelMode::automatic},
                                                          {"beside", KernelMode::beside},
                                                          {"wait", KernelMode::wait},
                                                          {"keep", KernelMode::keep},
                                                          {"evaluate", KernelMode::evaluate}};

inline constexpr Named<Subnormals> subnormals_names[] = {{"keep", Subnormals::keep},
                                                         {"flush", Subnormals::flush}};

inline constexpr Named<Partitioner> partitioner_names[] = {
    {"flooding", Partitioner::flooding},
    {"scotch", Partitioner::scotch},
    {"scotch-flooded", Partitioner::scotch_flooded}};

constexpr const char* name_of(Overlap overlap) { return name_in(overlap_names, overlap); }
constexpr const char* name_of(Backend backend) { return name_in(backend_names, backend); }
constexpr const char* name_of(Balance balance) { return name_in(balance_names, balance); }
constexpr const char* name_of(Transport transport) { return name_in(transport_names, transport); }
constexpr const char* name_of(HaloPrecision precision) {
  return name_in(halo_precision_names, precision);
}

constexpr const char* name_of(Subnormals subnormals) {
  return name_in(subnormals_names, subnormals);
}

/// Sets backend and devices from "cpu", "cuda", "cuda:0,1" or, in the order of the patches, several
/// of them: "cuda+cpu"; likewise "emulated". Error (ExitCode::usage): anything else.
void choose_devices(Settings& settings, const std::string& devices);

/// The CPU computes beside other devices.
bool is_mixed(const Settings& settings);

}  // namespace goban
