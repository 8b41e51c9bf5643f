#pragma once
// What is known of the machine a program runs on.

#include <filesystem>
#include <string>

#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// What a machine file holds for: "AMD EPYC 9655, 2 threads", "NVIDIA H200".
std::string host_of_cpu(int threads);
std::string host_of_gpu(const std::string& model);

/// Where what was measured on a host is remembered: in goban's folder of ~/.cache; empty where
/// there is none.
std::filesystem::path remembered_machine(const std::string& host);

/// That of the file or name `asked_for`; where that is empty, what is remembered of the host, or
/// else what is shipped for GPUs or so many threads. Error (ExitCode::usage): the file was measured
/// on another host.
MachineRates known_machine(const std::string& asked_for, const std::string& host, bool has_gpus,
                           int threads);

}  // namespace goban
