#include "goban/simulation/report/reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "goban/base/build_info.hpp"
#include "goban/base/quantity_text.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

constexpr std::size_t most_schedules = 7, most_names = 8;

/// "u, v, w and 21 more".
template <class Names>
std::string short_list(const Names& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (count++ < most_names) text += (text.empty() ? "" : ", ") + name;
  }
  return count > most_names ? text + fmt::format(" and {} more", count - most_names) : text;
}

std::string spacing_of(const RunFacts& facts) {
  const auto& h = facts.spacing;
  const std::string& unit = facts.length_unit;
  if (h[0] == h[1] && h[1] == h[2]) return quantity_text(h[0], unit);
  return quantity_text(h[0], unit) + " x " + quantity_text(h[1], unit) + " x " +
         quantity_text(h[2], unit);
}

/// 134217728 cells are "134 M".
std::string short_count(double count) {
  constexpr const char* units[] = {"", " k", " M", " G", " T"};
  int unit = 0;
  for (; count >= 1000 && unit < 4; ++unit) count /= 1000;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

std::string blocking_of(const RunFacts& facts) {
  if (facts.steps_per_pass > 1) {
    return fmt::format("{} steps per pass through the cache", facts.steps_per_pass);
  }
  return facts.pass_refusal.empty() ? "no temporal blocking"
                                    : "no temporal blocking (" + facts.pass_refusal + ")";
}

/// What it would be if halos travelled in every step and nothing beside them.
std::string halo_share_of(const RunFacts& facts) {
  if (product(facts.patches) == 1) return "";
  return fmt::format(", halos {:.2g} % (predicted)", 100 * facts.predicted_halo_share);
}

/// How a list of active cells is cut.
std::string cut_of(const RunFacts& facts) {
  if (!facts.list || product(facts.patches) == 1) return "";
  return fmt::format(", the largest {:.2g} % above the mean, {:.2g} % of the cells read of others",
                     100 * facts.list->imbalance,
                     100 * static_cast<double>(facts.list->read) / facts.cell_count());
}

}  // namespace

std::string banner(const RunFacts& facts) {
  std::string text = fmt::format("goban {}  {}{}\n", build_info().version, facts.app,
                                 facts.title.empty() ? "" : ": " + facts.title);
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("  {:<10}  {}\n", name, value);
  };
  line("case", facts.name);
  line("grid", facts.box
                   ? fmt::format("{} active cells in {} of {}", short_count(facts.cell_count()),
                                 fmt::join(*facts.box, " x "), spacing_of(facts))
                   : fmt::format("{} = {} cells of {}", fmt::join(facts.cells, " x "),
                                 short_count(facts.cell_count()), spacing_of(facts)));
  line("patches",
       fmt::format("{}, {} {} per exchange, overlap {}{}{}", fmt::join(facts.patches, " x "),
                   facts.steps_per_exchange, facts.steps_per_exchange == 1 ? "step" : "steps",
                   name_of(facts.overlap), halo_share_of(facts), cut_of(facts)));
  if (facts.ranks > 1) {
    const std::string idle =
        facts.idle_ranks > 0 ? fmt::format("; {} of them without a patch", facts.idle_ranks) : "";
    line("ranks", fmt::format("{} on {} {}, {} {} each{}", facts.ranks, facts.machines,
                              facts.machines == 1 ? "machine" : "machines", facts.threads,
                              facts.threads == 1 ? "thread" : "threads", idle));
  }
  if (facts.ranks > 1 && facts.halo_precision != HaloPrecision::full) {
    line("halos", fmt::format("rounded to {} precision between ranks: results depend on the ranks",
                              name_of(facts.halo_precision)));
  }
  if (facts.subnormals == Subnormals::flush) {
    line("numbers",
         "below 1.2e-38 (2.2e-308 in double) are taken for zero: other bits than on GPUs");
  }
  if (!facts.unused.empty()) {
    line("not used",
         fmt::format("{} (no process sends another anything)", fmt::join(facts.unused, ", ")));
  }
  line("machine",
       fmt::format("{}, {} {}, {}, {} kernels", facts.processor, facts.threads * facts.ranks,
                   facts.threads * facts.ranks == 1 ? "thread" : "threads", facts.instruction_set,
                   name_of(facts.backend)));
  if (!facts.gpus.empty()) line("gpus", fmt::format("{}", fmt::join(facts.gpus, ", ")));
  line("fields", short_list(facts.fields));
  const std::string measuring = facts.bytes_to_measure > 0
                                    ? fmt::format(" and {} for a moment to measure the copy",
                                                  byte_text(facts.bytes_to_measure))
                                    : "";
  line("memory", fmt::format("{} needed{}, {} available", byte_text(facts.bytes_needed), measuring,
                             byte_text(facts.bytes_available)));
  line("step", fmt::format("{} {}, {:.4g} bytes and {:.4g} flops per update, {}",
                           facts.stages.size(), facts.stages.size() == 1 ? "sweep" : "sweeps",
                           facts.bytes_per_update, facts.flops_per_update, blocking_of(facts)));
  if (facts.threads > facts.cores) {
    line("slow",
         fmt::format("{} threads on {} {} wait for each other: {} would be faster", facts.threads,
                     facts.cores, facts.cores == 1 ? "core" : "cores", facts.cores));
  }
  for (std::size_t i = 0; i < std::min(facts.schedules.size(), most_schedules); ++i) {
    line(i == 0 ? "schedule" : "",
         fmt::format("{}: {}", facts.schedules[i].first, facts.schedules[i].second));
  }
  if (facts.schedules.size() > most_schedules) {
    line("", fmt::format("and {} more", facts.schedules.size() - most_schedules));
  }
  if (!facts.directory.empty()) line("files", facts.directory);
  return text;
}

}  // namespace goban
