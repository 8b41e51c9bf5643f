#include "benchmarks/mathematics/gpu_rates.hpp"

#include <algorithm>
#include <memory>

#include "goban/backend/cuda/compiled/kernel_launch.hpp"
#include "goban/backend/cuda/driver/timer.hpp"
#include "goban/backend/cuda/executor.hpp"

namespace goban::mathematics {
namespace {

constexpr int threads = 256, blocks = 4096, values_a_thread = 512;

/// Every thread adds up the function over a row of arguments, each of which it computes.
std::string text_of(const std::string& function, const std::string& type, bool has_two) {
  const std::string call = function + (has_two ? "(x, y)" : "(x)");
  return "#include \"pack.cuh\"\n"
         "namespace goban::device {\n"
         "extern \"C\" __global__ void goban_rate(" +
         type + "* sums, " + type + " from, " + type + " range, int count) {\n" +
         "  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);\n"
         "  const " +
         type + " step = range / " + type + "(1048576);\n" + "  " + type +
         " sum = 0;\n"
         "  for (int n = 0; n < count; ++n) {\n"
         "    [[maybe_unused]] const " +
         type + " x = from + step * " + type +
         "((i * 769 + n * 2053) & 1048575);\n"
         "    [[maybe_unused]] const " +
         type + " y = from + step * " + type +
         "((i * 40503 + n * 9973) & 1048575);\n"
         "    sum += " +
         call +
         ";\n"
         "  }\n"
         "  sums[i] = sum;\n"
         "}\n}\n";
}

template <class T>
double rate_of(const std::string& text, double from, double to) {
  using namespace cuda;
  constexpr const char* doing = "measuring functions";
  const Kernel& kernel = cuda::kernel(0, {text, "goban_rate", {}});
  const std::unique_ptr<void, void (*)(void*)> sums(allocate(blocks * threads * sizeof(T), doing),
                                                    free_memory);
  QueueTimer timer(nullptr, doing);
  double best = 0;
  for (int n = 0; n < 6; ++n) {
    const double seconds = timer.time([&] {
      launch(kernel, {{blocks}, {threads}}, nullptr, doing, static_cast<T*>(sums.get()),
             static_cast<T>(from), static_cast<T>(to - from), values_a_thread);
    });
    best = std::max(best, 1.0 * blocks * threads * values_a_thread / seconds);
  }
  return best;
}

}  // namespace

bool has_gpu_rates() { return cuda::device_count() > 0; }

GpuRates gpu_rates(const std::string& name, const std::string& type, bool has_two, double from,
                   double to) {
  if (!has_gpu_rates()) return {};
  const cuda::OnDevice device(0);
  const auto rate = [&](const std::string& function) {
    const std::string text = text_of(function, type, has_two);
    return type == "float" ? rate_of<float>(text, from, to) : rate_of<double>(text, from, to);
  };
  return {rate("mathematics::" + name), rate("::" + name)};
}

}  // namespace goban::mathematics
