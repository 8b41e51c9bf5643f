// goban-mathematics: how exact the mathematical functions are, and how fast beside those of the
// standard library and, where there is a GPU, of CUDA.
//   goban-mathematics [--every] [NAME ...]
// --every takes every float there is, which takes minutes a function, else one in 257. Errors of
// doubles and of functions of two arguments are of 2^24 arguments, with --every of 2^28.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/mathematics/functions.hpp"
#include "benchmarks/mathematics/gpu_rates.hpp"
#include "benchmarks/mathematics/pack_rows.hpp"
#include "goban/backend/cpu/thread_team.hpp"

namespace goban::mathematics {
namespace {

/// The largest error over arguments number first, first + step, ... below count.
template <class T, class F, class X>
double largest_error(F f, std::uint64_t first, std::uint64_t step, std::uint64_t count,
                     X argument) {
  double worst = 0;
  for (std::uint64_t n = first; n < count; n += step) {
    const T x = argument(n, 0), y = argument(n, 1);
    const auto expected = standard_value_of(f, Finer<T>(x), Finer<T>(y));
    worst = std::max(worst, error_in_ulps<T>(value_of(f, x, y), expected));
  }
  return worst;
}

/// The same on all cores.
template <class T, class F, class X>
double largest_error_of_all(F f, std::uint64_t step, std::uint64_t count, X argument) {
  const auto cores = static_cast<std::uint64_t>(ThreadTeam::usable_cores());
  std::vector<double> worst(cores);
  std::vector<std::thread> threads;
  for (std::uint64_t core = 0; core < cores; ++core) {
    threads.emplace_back([&, core] {
      worst[core] = largest_error<T>(f, core * step, cores * step, count, argument);
    });
  }
  for (auto& thread : threads) thread.join();
  return *std::max_element(worst.begin(), worst.end());
}

template <class T, class F>
double error_of(F f, bool every) {
  if constexpr (sizeof(T) == 4 && !F::has_two) {
    return largest_error_of_all<T>(f, every ? 1 : 257, std::uint64_t{1} << 32,
                                   [](std::uint64_t n, int) { return number_of(n, T()); });
  } else {
    const std::uint64_t count = std::uint64_t{1} << (every ? 28 : 24);
    const double common = largest_error_of_all<T>(f, 1, count / 2, [&](std::uint64_t n, int which) {
      const double place = static_cast<double>(which == 0 ? n : n * 0x9e3779b1u % (count / 2));
      return static_cast<T>(F::from + (F::to - F::from) * place / static_cast<double>(count / 2));
    });
    return std::max(common, largest_error_of_all<T>(f, 1, count / 2, some_argument<T>));
  }
}

/// Seconds of the fastest of some calls.
template <class Call>
double fastest(Call call) {
  double best = 1e9;
  for (int n = 0; n < 9; ++n) {
    const auto start = std::chrono::steady_clock::now();
    call();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count());
  }
  return best;
}

/// Nanoseconds a value on one core: packs of kernels, and the standard's functions.
template <class T, class F>
std::array<double, 2> nanoseconds_of(F f) {
  constexpr std::size_t count = 2048, repetitions = 50;  // stays in the first-level cache
  alignas(64) static T x[count], y[count], result[count];
  for (std::size_t i = 0; i < count; ++i) {
    const double a = static_cast<double>(i) / count;
    const double b = static_cast<double>(i * 769 % count) / count;
    x[i] = static_cast<T>(F::from + (F::to - F::from) * b);
    y[i] = static_cast<T>(F::from + (F::to - F::from) * a);
  }
  const auto keep = [] { asm volatile("" : : "r"(result) : "memory"); };
  const PackRows<T> rows(F::expression, {PackRows<T>::register_width()});
  const double packs = fastest([&] {
    for (std::size_t n = 0; n < repetitions; ++n) rows(0, x, y, result, count);
  });
  const double numbers = fastest([&] {
    for (std::size_t n = 0; n < repetitions; ++n) {
      for (std::size_t i = 0; i < count; ++i) result[i] = standard_value_of(f, x[i], y[i]);
      keep();
    }
  });
  constexpr double scale = 1e9 / (count * repetitions);
  return {packs * scale, numbers * scale};
}

template <class T, class F>
void measure(F f, const char* type, bool every) {
  const auto [packs, numbers] = nanoseconds_of<T>(f);
  std::printf("%-6s %-7s %8.4f %8.3f %8.3f", F::name, type, error_of<T>(f, every), packs, numbers);
  const GpuRates rates = gpu_rates(F::name, type, F::has_two, F::from, F::to);
  if (rates.goban > 0) std::printf(" %9.1f %9.1f", rates.goban * 1e-9, rates.cuda * 1e-9);
  std::printf("\n");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  bool every = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--every") {
      every = true;
    } else if (word[0] == '-') {
      std::printf("usage: goban-mathematics [--every] [NAME ...]\n");
      return word == "--help" ? 0 : 2;
    } else {
      names.push_back(word);
    }
  }
  std::printf("%-6s %-7s %8s %17s%s\n", "", "", "largest", "ns a value",
              has_gpu_rates() ? "   10^9 values a second on the GPU" : "");
  std::printf("%-6s %-7s %8s %8s %8s%s\n", "", "", "error", "packs", "libm",
              has_gpu_rates() ? "     goban      CUDA" : "");
  for_each_function([&](auto f) {
    if (!names.empty() && std::find(names.begin(), names.end(), f.name) == names.end()) return;
    measure<float>(f, "float", every);
    measure<double>(f, "double", every);
  });
  return 0;
}

}  // namespace
}  // namespace goban::mathematics

int main(int argc, char** argv) { return goban::mathematics::run(argc, argv); }
