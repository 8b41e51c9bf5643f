#include "cli/tuned_case.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "cli/on_paper.hpp"
#include "goban/base/agreement.hpp"
#include "goban/domain/ranks/mpi_loader.hpp"
#include "goban/program/structure.hpp"
#include "goban/simulation/application/common_keys.hpp"

namespace goban::cli {
namespace {

/// As names of its cases begin.
std::string beginning_of(const Application& application) { return application.name() + " "; }

}  // namespace

std::string tuned_name(const Application& application, const Case& values) {
  const CaseOnPaper paper = on_paper(application, values);
  if (!paper.simulation) return {};
  const auto& [x, y, z] = paper.simulation->grid().state()->cells;
  return fmt::format("{}{:016x} {}x{}x{}{}", beginning_of(application),
                     structure_of(paper.simulation->program()), x, y, z,
                     fixed_settings(run_settings(values)));
}

Settings tuned_settings(const Context& context, const Application& application,
                        const Case& values) {
  Settings settings = run_settings(values);
  // Files are read by the first rank alone, which tells the others.
  Communicator& ranks = *world_communicator();
  std::optional<TuneMemory> memory;
  const std::string known = text_of_first(ranks, [&] {
    memory.emplace(tuned_file());
    return std::string(memory->has_any(beginning_of(application)) ? "yes" : "");
  });
  if (known.empty()) return settings;
  const std::string machine = [&] {
    Runtime runtime(settings);
    return tuned_for(runtime);
  }();
  const std::string name = tuned_name(application, values);
  const std::string found = text_of_first(ranks, [&] {
    const auto tuned = memory->find(machine, name);
    return tuned ? nlohmann::json(*tuned).dump() : std::string();
  });
  if (found.empty()) return settings;
  const auto tuned = nlohmann::json::parse(found).get<Tuned>();
  use(tuned, settings);
  context.out << "tuned: " << text_of(tuned) << "\n";
  return settings;
}

}  // namespace goban::cli
