#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <ostream>

#include "cli/context.hpp"
#include "cli/examples.hpp"
#include "goban/backend/compiled/kernel_files.hpp"
#include "goban/backend/cpu/compiled/compiler.hpp"
#include "goban/backend/cpu/compiled/row_code.hpp"
#include "goban/backend/gpu_backend.hpp"
#include "goban/base/error.hpp"
#include "goban/io/case/read.hpp"
#include "goban/runtime/runtime.hpp"
#include "goban/simulation/application/common_keys.hpp"
#include "goban/simulation/run/simulation.hpp"

namespace goban::cli {
namespace {

struct PrecompileOptions {
  std::string file, arch, isa;
  int gpus = 1;
  std::vector<std::string> overrides;
};

/// "sm_90" as 90.
int capability_of(const std::string& arch) {
  int number = 0;
  const char* const end = arch.data() + arch.size();
  const bool is_known = arch.rfind("sm_", 0) == 0 &&
                        std::from_chars(arch.data() + 3, end, number).ptr == end && number >= 50;
  require(is_known, "--arch " + arch + " is refused", "that is no architecture of GPUs",
          "write for example sm_80 (A100), sm_90 (H100, H200) or sm_100 (B200)");
  return number;
}

/// Takes two steps of the case, which says what it sweeps.
int precompile_for_cpus(const Context& context, const PrecompileOptions& options) {
  if (!options.isa.empty()) compile_for(options.isa);
  std::vector<std::string> overrides = options.overrides;
  overrides.emplace_back("run.devices=cpu");
  const Application& application = application_for(context, options.file, overrides);
  const Case values = case_of(application, options.file, overrides);
  Runtime runtime(run_settings(values));
  if (cpu::kernel_mode() != KernelMode::keep) cpu::set_kernel_mode(KernelMode::wait);
  const std::unique_ptr<Setup> setup = application.setup(values, runtime);
  auto* simulation = dynamic_cast<Simulation*>(&setup->run());
  require(simulation != nullptr, "cannot compile ahead",
          application.name() + " has no sweeps over a grid",
          "its first run compiles what it needs");
  simulation->rehearse(2);
  cpu::wait_for_code();
  const cpu::CodeStatistics code = cpu::code_statistics();
  const bool has_compiler = !cpu::compiler().command.empty();
  require(
      code.refused == 0, "cannot compile ahead",
      has_compiler ? fmt::format("{} kernels could not be made", code.refused)
                   : cpu::compiler().why_not,
      has_compiler ? "see the warnings above" : "install g++ or clang++, or name one: GOBAN_CXX");
  const std::string folder = kernel_cache_folder().string();
  context.out << fmt::format(
      "{} kernels for {}, {} of them compiled now, in {:.3g} s; kept in {}\n",
      code.compiled + code.loaded, target_instructions().name, code.compiled, code.seconds,
      folder.empty() ? "no folder" : folder);
  return 0;
}

int precompile(const Context& context, const PrecompileOptions& options) {
  require(options.arch.empty() || options.isa.empty(), "--arch beside --isa is refused",
          "one is of GPUs, the other of CPUs", "run it twice");
  if (options.arch.empty()) return precompile_for_cpus(context, options);
  require(options.gpus > 0 && options.gpus <= 64, "--gpus is refused", "it is not 1 to 64", "");
  std::vector<std::string> overrides = options.overrides;
  overrides.emplace_back("run.devices=cuda");
  const Application& application = application_for(context, options.file, overrides);
  const Case values = case_of(application, options.file, overrides);
  Runtime::rehearse_gpus(capability_of(options.arch), options.gpus);
  Runtime runtime(run_settings(values));
  const std::unique_ptr<Setup> setup = application.setup(values, runtime);
  constexpr Index steps = 200;  // enough for all ways of running steps to be tried
  auto* simulation = dynamic_cast<Simulation*>(&setup->run());
  require(simulation != nullptr, "cannot compile ahead",
          application.name() + " has no sweeps over a grid",
          "its first run compiles what it needs");
  simulation->rehearse(steps);
  const CompiledKernels kernels = gpu_backend().compiled_kernels();
  const std::string folder = gpu_backend().software().kernel_folder;
  context.out << fmt::format(
      "{} kernels for {}, {} of them compiled now, in {:.3g} s; kept in {}\n",
      kernels.compiled + kernels.loaded, options.arch, kernels.compiled, kernels.seconds,
      folder.empty() ? "no folder" : folder);
  return 0;
}

}  // namespace

void add_precompile(CLI::App& root, Context& context) {
  CLI::App* command = root.add_subcommand(
      "precompile", "Compile the kernels of a case, for machines without a compiler or GPUs");
  auto options = std::make_shared<PrecompileOptions>();
  command->add_option("case", options->file, "The case file")->type_name("CASE.toml")->required();
  command->add_option("overrides", options->overrides, "Keys of the case with other values")
      ->type_name("key=value");
  command
      ->add_option("--isa", options->isa, "Instruction set of the CPUs (default: that of this one)")
      ->type_name("x86-64-v3");
  command->add_option("--arch", options->arch, "Architecture of the GPUs")->type_name("sm_90");
  command->add_option("--gpus", options->gpus, "Number of GPUs that the run will have (default 1)")
      ->type_name("N");
  command->footer(
      "\n"
      "Kernels fit grids of all sizes, so that compiling them once serves all runs of a case.\n"
      "They are kept in the folder that GOBAN_KERNEL_CACHE names, by default kernels in\n"
      "~/.cache/goban; nodes that see this folder need no compiler.\n"
      "\n" +
      examples(context, {{"GOBAN precompile CASE"},
                         {"GOBAN precompile CASE --isa x86-64-v3"},
                         {"GOBAN precompile CASE --arch sm_90"},
                         {"GOBAN precompile CASE --arch sm_90 --gpus 4 grid.cells=512,512,512"}}));
  command->callback([&context, options] {
    context.is_for_ranks = true;
    context.action = [&context, options] { return precompile(context, *options); };
  });
}

}  // namespace goban::cli
