// goban-exchange: what exchanging halos costs and what ghost expansion gains, on the ranks and
// devices it is started on.
//   [mpirun -n N] goban-exchange [--cells 64,128] [--strong 512] [--kernels NAME,...]
//                 [--steps-per-exchange 0,1,2,...] [--overlaps none,...] [--transports auto,...]
//                 [--rounds N] [--json FILE] [--goban-* options]
// --cells are edges of each piece's cube, --strong edges of the whole grid; a piece is what a
// device or, without devices, a rank has. Steps per exchange of 0 are chosen by goban itself.
// Transports that cannot be had are named and left out. All ways of a kernel on one grid run in
// turn, round after round; the table shows medians, of sweeps alone. All must end with the same
// checksum; exit code 1 if some do not.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benchmarks/kernels.hpp"
#include "goban/base/communicator.hpp"
#include "goban/base/error.hpp"
#include "goban/domain/data/domain.hpp"
#include "goban/domain/engine/engine.hpp"
#include "goban/goban.hpp"
#include "heat/stencils.hpp"
#include "life/stencils.hpp"

namespace goban::benchmarks {
namespace {

struct Numbers {
  GOBAN_FUNCTION void operator()(auto where, auto u) const {
    u = 1.0f + 0.5f * where.template random<float>();
  }
};
struct Soup {  // a fifth lives
  GOBAN_FUNCTION void operator()(auto where, auto u) const {
    u = convert<std::uint8_t>(convert<std::int32_t>(1.25f * where.template random<float>()));
  }
};
struct Rest {
  GOBAN_FUNCTION void operator()(auto where, auto f) const {
    const auto density = 0.99f + 0.02f * where.template random<float>();
    unroll<19>([&](auto q) { f[q] = twins::d3q19_weight(q) * density; });
  }
};

/// How a step is executed.
struct Way {
  int steps_per_exchange = 1;  ///< 0: goban chooses
  Overlap overlap = Overlap::none;
  Transport transport = Transport::automatic;
};

/// A program that runs one way.
class Contestant {
 public:
  virtual ~Contestant() = default;
  virtual void run(Index steps) = 0;
  /// Until goban has found out what it has to.
  virtual void settle() = 0;
  virtual int steps_per_exchange() const = 0;
  virtual std::uint64_t checksum() = 0;
  virtual Communicator& ranks() = 0;
  virtual Index3 process_grid() const = 0;
  /// By which halos of this rank go, as "peer", or "peer+nccl".
  virtual std::string transports() const = 0;
};

template <class T, int C>
class Sweeper : public Contestant {
 public:
  template <class Functor, class Begin>
  Sweeper(const Settings& settings, Index3 cells, const Functor& functor, const Begin& begin)
      : runtime_(settings),
        grid_(runtime_, {.cells = cells, .boundary = periodic}),
        u_(grid_, "u"),
        next_(u_, "next") {
    Program fill("fill"), step("step");
    fill.apply(begin, site, out(u_));
    step.apply(functor, in(u_), out(next_));
    step.swap(u_, next_);
    Engine(fill).run(1, clock_);
    clock_ = {};
    engine_.emplace(step);
  }
  void run(Index steps) override {
    engine_->run(steps, clock_);
    engine_->synchronize();
  }
  void settle() override {
    constexpr Index at_once = 480;  // a multiple of all lengths of cycles that are tried
    while (!engine_->is_settled()) engine_->run(at_once, clock_);
    engine_->synchronize();
  }
  int steps_per_exchange() const override { return engine_->steps_per_exchange(); }
  std::uint64_t checksum() override { return u_.checksum(); }
  Communicator& ranks() override { return domain().communicator(); }
  Index3 process_grid() const override { return domain().decomposition().process_grid(); }
  std::string transports() const override {
    std::set<std::string> names;
    for (const auto& [rank, transport] : domain().channels().neighbors()) {
      names.insert(name_of(transport));
    }
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : "+") + name;
    return text.empty() ? "none" : text;
  }

 private:
  Domain& domain() const { return domain_of(*grid_.state()); }

  Runtime runtime_;
  Grid grid_;
  Field<T, C> u_, next_;
  std::optional<Engine> engine_;
  StepClock clock_;
};

struct Kernel {
  std::string name;
  std::unique_ptr<Contestant> (*make)(const Settings& settings, Index3 cells);
};

template <int Order>
std::unique_ptr<Contestant> heat_of_order(const Settings& settings, Index3 cells) {
  return std::make_unique<Sweeper<float, 1>>(
      settings, cells, heat::Diffuse<Order, float>::with(0.05, {1, 1, 1}), Numbers{});
}

const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> kernels = {
      {"heat2", heat_of_order<2>},
      {"heat4", heat_of_order<4>},
      {"heat6", heat_of_order<6>},
      {"heat8", heat_of_order<8>},
      {"life",
       [](const Settings& settings, Index3 cells) -> std::unique_ptr<Contestant> {
         return std::make_unique<Sweeper<std::uint8_t, 1>>(settings, cells,
                                                           life::LiveInRanges{5, 7, 6, 6}, Soup{});
       }},
      {"d3q19",
       [](const Settings& settings, Index3 cells) -> std::unique_ptr<Contestant> {
         return std::make_unique<Sweeper<float, 19>>(settings, cells, Bgk{1.2f}, Rest{});
       }},
  };
  return kernels;
}

struct Request {
  std::vector<Index> edges, strong_edges;
  std::vector<std::string> kernels;
  std::vector<int> steps_per_exchange{0, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Overlap> overlaps{Overlap::none};
  std::vector<Transport> transports;  ///< none: that of the settings
  int rounds = 5;
  double seconds = 0.05;  ///< of a turn
  std::string json;
};

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

int number_of(const std::string& word) {
  char* end = nullptr;
  const long value = std::strtol(word.c_str(), &end, 10);
  require(!word.empty() && *end == '\0' && value >= 0, "'" + word + "' is no whole number", "",
          "see --help");
  return static_cast<int>(value);
}

Request read(int argc, char** argv) {
  Request request;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] {
      require(i + 1 < argc, word + " has no value", "", "see --help");
      return std::string(argv[++i]);
    };
    if (word == "--help" || word == "-h") {
      std::printf(
          "usage: goban-exchange [--cells 64,128] [--strong 512] [--kernels heat2,...]\n"
          "           [--steps-per-exchange 0,1,2] [--overlaps none,one-kernel,two-kernel]\n"
          "           [--transports auto,peer,nccl,mpi,host] [--rounds 5] [--seconds 0.05]\n"
          "           [--json FILE] [--goban-* options]\n");
      std::exit(0);
    } else if (word == "--cells") {
      for (const auto& edge : words_of(value())) request.edges.push_back(number_of(edge));
    } else if (word == "--strong") {
      for (const auto& edge : words_of(value())) request.strong_edges.push_back(number_of(edge));
    } else if (word == "--kernels") {
      request.kernels = words_of(value());
    } else if (word == "--steps-per-exchange") {
      request.steps_per_exchange.clear();
      for (const auto& n : words_of(value())) request.steps_per_exchange.push_back(number_of(n));
    } else if (word == "--overlaps") {
      request.overlaps.clear();
      for (const auto& name : words_of(value())) {
        Settings settings;
        set_option(settings, "overlap", name);
        request.overlaps.push_back(settings.overlap);
      }
    } else if (word == "--transports") {
      for (const auto& name : words_of(value())) {
        Settings settings;
        set_option(settings, "transport", name);
        request.transports.push_back(settings.transport);
      }
    } else if (word == "--rounds") {
      request.rounds = std::max(1, number_of(value()));
    } else if (word == "--seconds") {
      request.seconds = std::atof(value().c_str());
    } else if (word == "--json") {
      request.json = value();
    } else {
      throw Error(ExitCode::usage, "unknown option " + word, "", "see --help");
    }
  }
  for (const auto& name : request.kernels) {
    const auto is_named = [&](const Kernel& kernel) { return kernel.name == name; };
    require(std::any_of(all_kernels().begin(), all_kernels().end(), is_named),
            "there is no kernel '" + name + "'", "", "heat2, heat4, heat6, heat8, life, d3q19");
  }
  if (request.edges.empty() && request.strong_edges.empty()) request.edges = {64};
  return request;
}

/// The longest any rank takes.
double agreed(Communicator& ranks, double seconds) {
  std::array<std::int64_t, 1> nanoseconds{std::llround(seconds * 1e9)};
  ranks.maximum(nanoseconds);
  return static_cast<double>(nanoseconds[0]) * 1e-9;
}

double time(Contestant& contestant, Index steps) {
  contestant.ranks().barrier();
  const auto start = std::chrono::steady_clock::now();
  contestant.run(steps);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  return agreed(contestant.ranks(), passed.count());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

class Report {
 public:
  Report(const std::string& file, bool speaks) : speaks_(speaks) {
    if (!speaks || file.empty()) return;
    file_ = std::fopen(file.c_str(), "w");
    if (file_ == nullptr) throw Error(ExitCode::files, "cannot write " + file);
  }
  ~Report() {
    if (file_) std::fclose(file_);
  }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  void add(const Kernel& kernel, Index3 cells, const Way& way, Contestant& contestant, double step,
           bool agrees) {
    const Index3 pieces = contestant.process_grid();
    const int ranks = contestant.ranks().size(), chosen = contestant.steps_per_exchange();
    const std::string transports = contestant.transports();
    const double rate = static_cast<double>(product(cells)) / step;
    if (!speaks_) return;
    const std::string r = way.steps_per_exchange > 0 ? std::to_string(way.steps_per_exchange)
                                                     : "chosen " + std::to_string(chosen);
    std::printf(
        "%-6s %4lldx%lldx%lld  %lldx%lldx%lld  %2d ranks  R %-9s %-10s %-5s %10.2f us %9.3f "
        "GLUP/s  %s\n",
        kernel.name.c_str(), static_cast<long long>(cells[0]), static_cast<long long>(cells[1]),
        static_cast<long long>(cells[2]), static_cast<long long>(pieces[0]),
        static_cast<long long>(pieces[1]), static_cast<long long>(pieces[2]), ranks, r.c_str(),
        name_of(way.overlap), transports.c_str(), step * 1e6, rate * 1e-9,
        agrees ? "equal" : "DIFFER");
    std::fflush(stdout);
    if (!file_) return;
    std::fprintf(
        file_,
        "{\"program\": \"goban-exchange\", \"name\": \"%s\", \"cells\": [%lld, %lld, %lld], "
        "\"pieces\": [%lld, %lld, %lld], \"ranks\": %d, \"steps_per_exchange\": %d, "
        "\"chosen\": %s, \"overlap\": \"%s\", \"transport\": \"%s\", "
        "\"seconds_per_step\": %.6g, "
        "\"updates_per_second\": %.6g, \"same_bits\": %s}\n",
        kernel.name.c_str(), static_cast<long long>(cells[0]), static_cast<long long>(cells[1]),
        static_cast<long long>(cells[2]), static_cast<long long>(pieces[0]),
        static_cast<long long>(pieces[1]), static_cast<long long>(pieces[2]), ranks, chosen,
        way.steps_per_exchange > 0 ? "false" : "true", name_of(way.overlap), transports.c_str(),
        step, rate, agrees ? "true" : "false");
    std::fflush(file_);
  }
  void note(const std::string& line) const {
    if (speaks_) std::printf("%s\n", line.c_str());
  }

 private:
  bool speaks_;
  std::FILE* file_ = nullptr;
};

std::vector<Way> ways_of(const Request& request, const Settings& settings) {
  std::vector<Transport> transports = request.transports;
  if (transports.empty()) transports = {settings.transport};
  std::vector<Way> ways;
  for (const Transport transport : transports) {
    for (const Overlap overlap : request.overlaps) {
      for (const int r : request.steps_per_exchange) ways.push_back({r, overlap, transport});
    }
  }
  return ways;
}

/// All ways of one kernel on one grid; false if results differ.
bool measure(const Kernel& kernel, const Settings& settings, Index3 cells, const Request& request,
             Report& report) {
  struct Entry {
    Way way;
    std::unique_ptr<Contestant> contestant;
    Index steps = 0;
    std::vector<double> step_times;
    std::uint64_t checksum = 0;
  };
  constexpr Index first_steps = 24;  // whole cycles of most lengths
  std::vector<Entry> entries;
  std::set<std::string> refusals;
  for (const Way& way : ways_of(request, settings)) {
    Settings its = settings;
    its.overlap = way.overlap;
    its.steps_per_exchange = way.steps_per_exchange;
    its.transport = way.transport;
    its.temporal_blocking = 0;
    Entry entry;  // of what is refused ranks take leave in good order
    entry.way = way;
    try {
      entry.contestant = kernel.make(its, cells);
      entry.contestant->run(first_steps);
      entry.checksum = entry.contestant->checksum();
    } catch (const Error& error) {
      if (refusals.insert(error.what()).second) {
        report.note(kernel.name + " R " + std::to_string(way.steps_per_exchange) + ": " +
                    error.what());
      }
      continue;
    }
    entries.push_back(std::move(entry));
  }
  for (Entry& entry : entries) {
    entry.contestant->settle();
    const Index cycle = entry.contestant->steps_per_exchange();
    const Index few = cycle * std::max<Index>(1, 64 / cycle);
    time(*entry.contestant, 3 * few);  // cycles are recorded on the way
    const double guess = time(*entry.contestant, few) / static_cast<double>(few);
    const auto cycles = static_cast<Index>(request.seconds / (guess * static_cast<double>(cycle)));
    entry.steps = cycle * std::clamp<Index>(cycles, 1, 100000);
  }
  for (int round = 0; round < request.rounds; ++round) {
    for (Entry& entry : entries) {
      entry.step_times.push_back(time(*entry.contestant, entry.steps) /
                                 static_cast<double>(entry.steps));
    }
  }
  bool is_fine = true;
  for (Entry& entry : entries) {
    const double step = median(entry.step_times);
    const bool agrees = entry.checksum == entries.front().checksum;
    is_fine = is_fine && agrees;
    report.add(kernel, cells, entry.way, *entry.contestant, step, agrees);
  }
  return is_fine;
}

int run(const Request& request, const Runtime& runtime) {
  const Settings& settings = runtime.settings();
  const int ranks = settings.communicator->size();
  const auto devices = std::max<Index>(1, static_cast<Index>(settings.devices.size()));
  Report report(request.json, settings.communicator->rank() == 0);
  bool is_fine = true;
  for (const Kernel& kernel : all_kernels()) {
    const bool is_asked_for =
        request.kernels.empty() || std::find(request.kernels.begin(), request.kernels.end(),
                                             kernel.name) != request.kernels.end();
    if (!is_asked_for) continue;
    for (const Index edge : request.edges) {
      // As many cubes along z as there are pieces, which are cut along z, too.
      is_fine &= measure(kernel, settings, {edge, edge, edge * ranks * devices}, request, report);
    }
    for (const Index edge : request.strong_edges) {
      is_fine &= measure(kernel, settings, {edge, edge, edge}, request, report);
    }
  }
  return is_fine ? 0 : 1;
}

}  // namespace
}  // namespace goban::benchmarks

int main(int argc, char** argv) {
  goban::Runtime runtime(argc, argv);
  return goban::benchmarks::run(goban::benchmarks::read(argc, argv), runtime);
}
