#pragma once
// What is known of the machine a program runs on.

#include <filesystem>
#include <optional>
#include <string>

#include "goban/performance/model/machine_rates.hpp"

namespace goban {

/// What a machine file holds for: "AMD EPYC 9655, 2 threads", "NVIDIA H200".
std::string host_of_cpu(int threads);
std::string host_of_gpu(const std::string& model);

/// Where what was measured on a host is remembered: in goban's folder of ~/.cache; empty where
/// there is none.
std::filesystem::path remembered_machine(const std::string& host);

/// What is remembered of a host, if anything is. A file that cannot be read counts as none; a line
/// on standard error says so.
std::optional<MachineRates> recall_machine(const std::string& host);
/// Remembers rates for runs to come; does nothing where nothing can be written.
void remember_machine(const MachineRates& machine);

/// The machine of a file, or one that is shipped by its name. Error (ExitCode::usage): it was
/// measured on another host.
MachineRates machine_asked_for(const std::string& file_or_name, const std::string& host);

/// What is shipped for GPUs, or for so many threads with the caches of this processor: where
/// nothing is measured, and for what cannot be.
MachineRates typical_machine(bool has_gpus, int threads);

}  // namespace goban
