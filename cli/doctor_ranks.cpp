#include "cli/doctor_ranks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "cli/context.hpp"
#include "cli/text.hpp"
#include "goban/backend/cpu/thread_team.hpp"
#include "goban/backend/gpu_backend.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/halo/device_reach.hpp"
#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/domain/watch/watch.hpp"
#include "goban/performance/measure/copy_bandwidth.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/report/run_files.hpp"

namespace goban::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankCard, machine, host, build, communicator, cores,
                                   usable_cores, threads, copy_bandwidth, gpus, reached, nccl,
                                   no_nccl, is_gpu_aware, reached_by_mpi, is_watched)

namespace {

constexpr std::size_t most_rows = 64;

std::vector<int> cores_of_this_process() {
  cpu_set_t set;
  const auto bytes = ThreadTeam::cores_of_process();
  std::memcpy(&set, bytes.data(), sizeof(set));
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

bool all_have_gpus(Communicator& ranks) {
  GpuBackend* const gpus = gpu_backend_of_machine();
  std::array<std::int64_t, 1> least{gpus && gpus->count() > 0 ? 1 : 0};
  ranks.minimum(least);
  return least[0] > 0;
}

/// Ranks beside this one in the order in which links are measured.
std::vector<int> neighbors_of(const Communicator& ranks) {
  const auto order = ranks_by_machine(ranks);
  const auto me = std::find(order.begin(), order.end(), ranks.rank());
  std::vector<int> all;
  if (me != order.begin()) all.push_back(*(me - 1));
  if (me + 1 != order.end()) all.push_back(*(me + 1));
  return all;
}

double copy_bandwidth_at_once(Communicator& ranks, ThreadTeam& team) {
  std::array<Index, 1> processes{1};
  sum_over_machine(ranks, processes);
  ranks.barrier();
  try {
    return copy_bandwidth(team, static_cast<int>(processes[0])).median;
  } catch (const Error&) {  // too little memory
    return 0;
  }
}

RankCard card_of_this_rank(Communicator& ranks) {
  Settings settings;
  if (all_have_gpus(ranks)) settings.backend = Backend::cuda;
  Runtime runtime(settings);
  RankCard card;
  card.machine = ranks.nodes()[static_cast<std::size_t>(ranks.rank())];
  card.host = host_name();
  card.build = version_line();
  card.communicator = ranks.description();
  card.cores = cores_of_this_process();
  card.usable_cores = ThreadTeam::usable_cores();
  card.threads = runtime.threads();
  card.copy_bandwidth = copy_bandwidth_at_once(ranks, runtime.team());
  card.is_watched = Watch::current() != nullptr;
  if (settings.backend != Backend::cuda) return card;
  for (const Gpu& gpu : gpu_backend().gpus()) {
    const auto& mine = runtime.settings().devices;
    if (std::find(mine.begin(), mine.end(), gpu.number) != mine.end()) {
      card.gpus.push_back(gpu.bus + " " + gpu.name);
    }
  }
  Grid grid(runtime, {.cells = {1, 1, ranks.size()}});
  const Domain& domain = domain_of(*grid.state());
  Executor& executor = domain.some_executor();
  card.reached = ranks_reached(ranks, executor, neighbors_of(ranks));
  card.is_gpu_aware = ranks.moves_device_memory();
  card.reached_by_mpi = ranks_reached_by_mpi(ranks, &executor, neighbors_of(ranks));
  const JoinedDevices joined = join_devices(ranks, domain.executors());
  card.no_nccl = joined.refusal;
  if (joined.group) card.nccl = executor.grouping()->group_card().library;
  ranks.barrier();  // all leave the group together
  return card;
}

/// Ranks that have the same of something, by what they have.
template <class Of>
auto grouped(const RankSurvey& survey, Of&& of) {
  std::map<std::decay_t<decltype(of(survey.ranks[0]))>, std::vector<int>> groups;
  for (std::size_t r = 0; r < survey.ranks.size(); ++r) {
    groups[of(survey.ranks[r])].push_back(static_cast<int>(r));
  }
  return groups;
}

std::string ranks_text(const std::vector<int>& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + numbers_text(ranks);
}

std::string rank_count(std::size_t ranks) {
  return std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

bool is_within(const RankSurvey& survey, const RankLink& link) {
  const auto machine = [&](int rank) {
    return survey.ranks[static_cast<std::size_t>(rank)].machine;
  };
  return machine(link.from) == machine(link.to);
}

std::string way_of(const RankSurvey& survey, const RankLink& link) {
  const RankCard& from = survey.ranks[static_cast<std::size_t>(link.from)];
  const auto is_among = [&](const std::vector<int>& reached) {
    return std::find(reached.begin(), reached.end(), link.to) != reached.end();
  };
  if (is_among(from.reached)) return "GPU to GPU";
  if (!from.nccl.empty()) return "NCCL";
  if (is_among(from.reached_by_mpi)) return "MPI, from memory of GPUs";
  if (!is_within(survey, link)) return "host, between machines";
  return from.gpus.empty() ? "host" : "host, as the GPUs do not reach each other";
}

void advise_on_cores(const RankSurvey& survey, std::vector<std::string>& advice) {
  for (const auto& [machine, ranks] :
       grouped(survey, [](const RankCard& card) { return card.machine; })) {
    const RankCard& first = survey.ranks[static_cast<std::size_t>(ranks[0])];
    std::map<std::vector<int>, std::vector<int>> by_cores;
    std::map<int, std::set<int>> users;  // of each core
    int usable = 0;
    for (const int rank : ranks) {
      const RankCard& card = survey.ranks[static_cast<std::size_t>(rank)];
      if (by_cores[card.cores].empty()) usable += card.usable_cores;
      by_cores[card.cores].push_back(rank);
      for (const int core : card.cores) users[core].insert(rank);
    }
    const bool is_crowded = static_cast<int>(ranks.size()) > usable;
    if (is_crowded && by_cores.size() == 1) {
      const bool is_bound = first.cores.size() == 1;
      advice.push_back(fmt::format(
          "{} of {} share {} {}: {}", rank_count(ranks.size()), first.host, usable,
          usable == 1 ? "core" : "cores",
          is_bound ? "start them with --bind-to none, or with cores of their own (--map-by core)"
                   : fmt::format("start at most {} there, others wait for them", usable)));
      continue;
    }
    for (const auto& [cores, sharing] : by_cores) {
      const RankCard& card = survey.ranks[static_cast<std::size_t>(sharing[0])];
      if (static_cast<int>(sharing.size()) <= card.usable_cores) continue;
      advice.push_back(
          fmt::format("{} of {} are bound to the same {} {}: give every rank cores of "
                      "its own (--map-by core, or --bind-to none)",
                      ranks_text(sharing), card.host, cores.size() == 1 ? "core" : "cores",
                      numbers_text(cores)));
    }
    const bool overlap =
        by_cores.size() > 1 && std::any_of(users.begin(), users.end(), [&](auto& u) {
          const auto& one = survey.ranks[static_cast<std::size_t>(*u.second.begin())];
          return std::any_of(u.second.begin(), u.second.end(), [&](int rank) {
            return survey.ranks[static_cast<std::size_t>(rank)].cores != one.cores;
          });
        });
    if (overlap) {
      advice.push_back(fmt::format(
          "ranks of {} may run on some of each other's cores, where their threads get in each "
          "other's way: give all of them the same cores or each its own",
          first.host));
    }
  }
}

void advise_on_gpus(const RankSurvey& survey, std::vector<std::string>& advice) {
  std::map<std::pair<int, std::string>, std::vector<int>> users;
  for (std::size_t r = 0; r < survey.ranks.size(); ++r) {
    for (const std::string& gpu : survey.ranks[r].gpus) {
      users[{survey.ranks[r].machine, gpu}].push_back(static_cast<int>(r));
    }
  }
  for (const auto& [gpu, ranks] : users) {
    if (ranks.size() == 1) continue;
    advice.push_back(fmt::format(
        "{} share the GPU {} of {}, take turns at it and send each other messages by the host: "
        "start as many ranks as there are GPUs",
        ranks_text(ranks), gpu.second, survey.ranks[static_cast<std::size_t>(ranks[0])].host));
  }
}

void advise_on_links(const RankSurvey& survey, std::vector<std::string>& advice) {
  for (const bool within : {true, false}) {
    std::vector<double> bandwidths, latencies;
    for (const RankLink& link : survey.links) {
      if (is_within(survey, link) != within) continue;
      bandwidths.push_back(link.bandwidth);
      latencies.push_back(link.latency);
    }
    if (bandwidths.size() < 3) continue;
    const double usual = median(bandwidths), usual_latency = median(latencies);
    for (const RankLink& link : survey.links) {
      if (is_within(survey, link) != within) continue;
      const bool is_slow = link.bandwidth < 0.5 * usual;
      if (!is_slow && link.latency < 4 * usual_latency + 10e-6) continue;
      advice.push_back(fmt::format(
          "messages between ranks {} and {} take {:.1f} us and move {:.2f} GB/s, others {:.1f} us "
          "and {:.2f} GB/s: {}",
          link.from, link.to, link.latency * 1e6, link.bandwidth / 1e9, usual_latency * 1e6,
          usual / 1e9,
          within ? "other programs use their cores, or they are on different sockets"
                 : "one of the machines has a slower network, or shares it"));
    }
  }
}

}  // namespace

std::string numbers_text(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t last = i;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) ++last;
    text += (i > 0 ? ", " : "") + std::to_string(ascending[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ascending[last]);
    i = last + 1;
  }
  return text;
}

RankSurvey survey_ranks(Communicator& ranks) {
  RankSurvey survey;
  survey.links = measure_rank_links(ranks);
  const std::string text = nlohmann::json(card_of_this_rank(ranks)).dump();
  const auto bytes = std::as_bytes(std::span(text));
  for (const Parcel& parcel : ranks.exchange({{0, {bytes.begin(), bytes.end()}}})) {
    const auto* first = reinterpret_cast<const char*>(parcel.bytes.data());
    survey.ranks.push_back(
        nlohmann::json::parse(first, first + parcel.bytes.size()).get<RankCard>());
  }
  std::sort(survey.links.begin(), survey.links.end(),
            [](const RankLink& a, const RankLink& b) { return a.from < b.from; });
  return survey;
}

void print_ranks(std::ostream& out, const RankSurvey& survey) {
  const auto machines = grouped(survey, [](const RankCard& card) { return card.machine; }).size();
  out << fmt::format("{:<17}{} on {} {}, {}\n", "ranks", survey.ranks.size(), machines,
                     machines == 1 ? "machine" : "machines", survey.ranks[0].communicator);
  out << fmt::format("  {:>4}  {:<16}  {:<16}  {:>7}  {:>9}  {}\n", "rank", "machine", "cores",
                     "threads", "copy", "GPUs");
  double all = 0;
  for (std::size_t r = 0; r < survey.ranks.size(); ++r) {
    const RankCard& card = survey.ranks[r];
    all += card.copy_bandwidth;
    if (r >= most_rows) continue;
    out << fmt::format("  {:>4}  {:<16}  {:<16}  {:>7}  {:>4.1f} GB/s  {}\n", r, card.host,
                       numbers_text(card.cores), card.threads, card.copy_bandwidth / 1e9,
                       card.gpus.empty() ? "none" : fmt::format("{}", fmt::join(card.gpus, ", ")));
  }
  if (survey.ranks.size() > most_rows) {
    out << "  and " << survey.ranks.size() - most_rows << " more\n";
  }
  out << fmt::format("  all copy at once: {:.1f} GB/s\n", all / 1e9);
  if (survey.links.empty()) return;
  out << fmt::format("{:<17}B(s) = s / (s / B0 + t0), every second pair at once\n",
                     "between ranks");
  out << fmt::format("  {:>11}  {:>9}  {:>10}  {:>10}  {}\n", "pair", "t0", "B0", "B0 / 2 at",
                     "way of halos");
  for (std::size_t i = 0; i < std::min(survey.links.size(), most_rows); ++i) {
    const RankLink& link = survey.links[i];
    out << fmt::format("  {:>5} {:>5}  {:>6.1f} us  {:>5.2f} GB/s  {:>10}  {}\n", link.from,
                       link.to, link.latency * 1e6, link.bandwidth / 1e9,
                       bytes_text(static_cast<Index>(link.latency * link.bandwidth)),
                       way_of(survey, link));
  }
  if (survey.links.size() > most_rows) {
    out << "  and " << survey.links.size() - most_rows << " more\n";
  }
  const RankCard& first = survey.ranks[0];
  if (!first.gpus.empty()) {
    out << fmt::format("{:<17}{}\n", "NCCL",
                       first.nccl.empty() ? "none: " + first.no_nccl : first.nccl);
    out << fmt::format("{:<17}{}\n", "MPI",
                       first.is_gpu_aware ? "takes memory of GPUs" : "takes no memory of GPUs");
  }
  out << std::flush;
}

std::vector<std::string> advice_on_ranks(const RankSurvey& survey) {
  std::vector<std::string> advice;
  const auto builds = grouped(survey, [](const RankCard& card) { return card.build; });
  if (builds.size() > 1) {
    std::string text;
    for (const auto& [build, ranks] : builds) {
      text += (text.empty() ? "" : ", ") + build + " on " + ranks_text(ranks);
    }
    advice.push_back("ranks run different programs: " + text +
                     "; install the same goban on every machine");
  }
  advise_on_cores(survey, advice);
  advise_on_gpus(survey, advice);
  advise_on_links(survey, advice);
  if (survey.ranks[0].communicator.ends_with("single")) {
    advice.push_back(
        "this MPI allows calls from the main thread alone: install one that supports "
        "threads (MPI_THREAD_SERIALIZED)");
  }
  if (!survey.ranks[0].is_watched) {
    advice.push_back(
        "nobody watches the ranks: if one dies or hangs, the others wait for ever; "
        "unset GOBAN_WATCH, or let ranks reach rank 0 by UDP");
  }
  return advice;
}

}  // namespace goban::cli
