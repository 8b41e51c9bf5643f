// goban predict: how a case will scale, before it runs and without the devices.

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "cli/predict_failures.hpp"
#include "cli/predict_pictures.hpp"
#include "cli/predict_tables.hpp"
#include "cli/predicted_case.hpp"
#include "goban/base/error.hpp"
#include "goban/performance/predict/growth.hpp"
#include "goban/performance/predict/scaling.hpp"
#include "goban/runtime/on_paper.hpp"
#include "goban/simulation/predict/predictions.hpp"

namespace goban::cli {
namespace {

struct PredictOptions {
  PredictedSource source;
  std::vector<std::string> words;  ///< the case and keys with other values
  std::string machine, beside, failures, strategy = "best";
  std::string picture, split, roofline;  ///< files
  int beside_threads = 1;
  std::vector<Index> devices{1, 2, 4, 8, 16, 32, 64};
  std::vector<std::string> measured;
  std::string weak;  ///< the axes that grow, or the word that follows --weak
  bool is_weak = false;
};

bool are_axes(const std::string& text) {
  return !text.empty() && text.find_first_not_of("xyz") == std::string::npos;
}

/// Tells the case from keys, and both from the axes that --weak may name.
void sort_words(PredictOptions& options) {
  PredictedSource& source = options.source;
  if (!options.weak.empty() && !are_axes(options.weak)) {
    options.words.insert(options.words.begin(), options.weak);
    options.weak.clear();
  }
  for (const std::string& word : options.words) {
    const bool is_key = word.find('=') != std::string::npos;
    require(is_key || source.file.empty(), "'" + word + "' is refused", "it is no key=value",
            "name one case");
    if (is_key) {
      source.overrides.push_back(word);
    } else {
      source.file = word;
    }
  }
  if (!options.failures.empty()) {
    require(source.file.empty() && source.work.empty() && source.overrides.empty(),
            "--failures is refused beside what is computed", "it counts nodes and bytes alone",
            "leave out the case");
    return;
  }
  require(source.file.empty() != source.work.empty(), "nothing is predicted",
          source.work.empty() ? "no case is named"
                              : "--work says what is computed, and so does " + source.file,
          "name a case, or write --work flops=13,bytes=32,halo=4 grid.cells=512");
}

/// The axes that grow: those that are named, else all but those of one cell and those along which
/// columns run.
std::array<bool, 3> axes_of(const PredictOptions& options, const GridState& grid) {
  std::array<bool, 3> axes{};
  for (std::size_t a = 0; a < 3; ++a) {
    axes[a] = options.weak.empty() ? grid.cells[static_cast<int>(a)] > 1 && !grid.is_whole[a]
                                   : options.weak.find("xyz"[a]) != std::string::npos;
  }
  return axes;
}

void check(const PredictOptions& options) {
  require(options.strategy == "best" || options.strategy == "all",
          "--strategy " + options.strategy + " is refused", "it is best or all");
  require(options.source.rounds > 0, fmt::format("--rounds {} is refused", options.source.rounds),
          "loops look at their condition at least once", "write how often they do in a step");
  require(!options.devices.empty(), "--devices is refused", "it names none", "write 1,8,64");
}

/// The machine that is asked for, or this one.
MachineRates machine_of(const PredictOptions& options, Settings settings) {
  if (!options.machine.empty()) settings.machine = options.machine;
  return predicted_machine(std::move(settings));
}

void draw_all(const PredictOptions& options, const Predictions& found,
              const std::vector<MeasuredRun>& measured, const ScalingQuestion& question) {
  if (!options.picture.empty()) {
    std::vector<MeasuredRate> rates;
    for (const MeasuredRun& run : measured) {
      rates.push_back({static_cast<double>(run.devices), run.rate});
    }
    draw_rates(options.picture, found.title, found.rows, options.strategy == "all", rates);
  }
  if (!options.split.empty()) draw_split(options.split, found.title, found.rows);
  if (!options.roofline.empty()) {
    draw_roofline(options.roofline, found.title, kernels_of_one(question), question.machine.device);
  }
}

int predict(const Context& context, PredictOptions options) {
  sort_words(options);
  check(options);
  if (!options.failures.empty()) {
    print_failures(context.out, options.failures, machine_of(options, Settings{}));
    return 0;
  }
  const PredictedCase one = predicted_case(context, options.source);
  const MachineRates machine = machine_of(options, one.settings);
  std::vector<MeasuredRun> measured;
  for (const std::string& file : options.measured) measured.push_back(measured_run(file));
  PredictionRequest request{options.devices, options.strategy == "all", one.work};
  std::optional<PredictedCase> larger;
  if (options.is_weak) {
    request.growth = "weak scaling" + (options.weak.empty() ? "" : " along " + options.weak);
    request.grown = [&](Index devices) {
      require(!one.run.grid().active, "a larger grid is refused",
              "active cells are those of one geometry", "predict for the grid that there is");
      const Index3 times = growth(devices, axes_of(options, one.run.grid()));
      return larger.emplace(predicted_case(context, options.source, times)).run.runs;
    };
  }
  const Predictions found = goban::predict(one.run, machine, request);
  const ScalingQuestion question{one.run.runs, machine};
  context.out << found.text;
  if (!options.beside.empty()) {
    print_beside(context.out, options.beside, options.beside_threads, question, found.best);
  }
  print_measured(context.out, measured, found.best);
  draw_all(options, found, measured, question);
  return 0;
}

}  // namespace

void add_predict(CLI::App& root, Context& context) {
  CLI::App* command =
      root.add_subcommand("predict", "Predict how a case scales, without running it");
  auto options = std::make_shared<PredictOptions>();
  command->add_option("case", options->words, "The case file, and keys of it with other values")
      ->type_name("CASE.toml [key=value]");
  command
      ->add_option("--work", options->source.work,
                   "In place of a case: operations and bytes of an update, bytes that are sent for "
                   "each cell of a face, values of a cell (default: those that are sent), how many "
                   "cells away an update reads (default 1); give grid.cells and keys of [run], too")
      ->type_name("flops=N,bytes=N,halo=N[,fields=N,reach=N]");
  command->add_option("--devices", options->devices, "Numbers of devices (default 1,2,4,...,64)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("N,N,...");
  command
      ->add_option(
          "--machine", options->machine,
          "A machine file, or one that is shipped: h200, longhorn, tsubame2, xk6m, xeon-core; "
          "default: what is known of this machine")
      ->type_name("FILE|NAME");
  command
      ->add_option(
          "--beside", options->beside,
          "A machine file of CPUs that compute beside the GPUs of every node, such as xeon-core")
      ->type_name("FILE|NAME");
  command
      ->add_option("--beside-threads", options->beside_threads,
                   "Threads of these CPUs, if the file has the rates of one thread (default 1)")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  CLI::Option* const weak =
      command
          ->add_option("--weak", options->weak,
                       "The grid grows with the devices, along these axes in turn (default: all "
                       "that may); otherwise they share it")
          ->expected(0, 1)
          ->type_name("x|y|z|xy|xyz");
  command
      ->add_option("--strategy", options->strategy,
                   "Show the fastest plan to run a step (best, the default), or all plans")
      ->type_name("best|all");
  command
      ->add_option("--rounds", options->source.rounds,
                   "Rounds of the loops of solvers in a step (default 1)")
      ->type_name("N");
  constexpr const char* picture = "FILE.svg|.pdf|.png";
  command
      ->add_option("--picture", options->picture,
                   "Draw rates over devices; with --strategy all a line for every plan")
      ->type_name(picture);
  command
      ->add_option("--split", options->split,
                   "Draw the parts of a step over devices or, with --strategy all and one number "
                   "of devices, over steps per exchange")
      ->type_name(picture);
  command
      ->add_option("--roofline", options->roofline,
                   "Draw the kernels of one device under the roofline of the machine")
      ->type_name(picture);
  command
      ->add_option("--failures", options->failures,
                   "In place of a case: print how likely a run is lost when nodes fail, and what "
                   "checkpoints take, from seconds and bytes")
      ->type_name("nodes=N,mtbf=S,bytes=N,local=N[,group=8,lost=2,repair=600,run=86400]");
  command
      ->add_option("--measured", options->measured,
                   "Compare with these runs, by their summary.json")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("FILE,...");
  command->footer(
      "\nNothing is computed and no device is needed: docs/model.md says how it is done and how\n"
      "good it is. GPUs of one node are those of one process; on more nodes, and on CPUs, every "
      "device\n"
      "has a process of its own. What the case fixes in [run] is kept: patches, cuts, overlap,\n"
      "steps_per_exchange and temporal_blocking; a number of devices that does not fit says "
      "why.\n\n" +
      examples(context,
               {{"GOBAN predict CASE --machine h200 --devices 1,8,64,512,4096"},
                {"GOBAN predict CASE --weak xy --picture scaling.svg"},
                {"GOBAN predict --work flops=13,bytes=32,halo=4 grid.cells=512 --machine tsubame2"},
                {"GOBAN predict CASE --devices 4 --strategy all", "all plans to run a step by"},
                {"GOBAN predict CASE --machine h200 --beside xeon-core --beside-threads 96"}}));
  command->callback([&context, options, weak] {
    options->is_weak = weak->count() > 0;
    context.action = [&context, options] { return predict(context, *options); };
  });
}

}  // namespace goban::cli
