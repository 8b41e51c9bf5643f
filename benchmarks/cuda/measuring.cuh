#pragma once
// Measures variants of kernels and checks their bits: a table, and with --json one object a line.
//
// A child process does the work: where a variant breaks it or does not end, the next child goes on
// behind it.

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "reference.cuh"

namespace {

using namespace goban::cuda_twins;

bool is_fine(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return true;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  return false;
}

// ---- Arrays

constexpr int ghosts = 4;

template <class T>
Grid grid_of(int nx, int ny, int nz) {
  constexpr int line = 128 / sizeof(T), pack = 16 / sizeof(T);
  const Index pitch = Index{divide_up(nx + 2 * std::max(pack, ghosts), line)} * line;
  return {nx, ny, nz, pitch, pitch * (ny + 2 * ghosts)};
}

/// Components behind each other, every one with its ghost cells.
template <class T>
class Field {
 public:
  Field(const Grid& grid, int components)
      : component_(grid.plane * (grid.nz + 2 * ghosts)),
        first_(ghosts * (grid.plane + grid.pitch) + 128 / sizeof(T)),
        size_(components * component_ + 256 / sizeof(T)) {
    is_fine(cudaMalloc(&memory_, size_ * sizeof(T)), "cudaMalloc");
  }
  ~Field() { cudaFree(memory_); }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;

  T* cells() const { return memory_ + first_; }
  T* memory() const { return memory_; }
  Index size() const { return size_; }
  Index component() const { return component_; }

 private:
  T* memory_ = nullptr;
  Index component_, first_, size_;
};

__device__ unsigned random_bits(std::uint64_t i) {
  i = (i + 1) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ull;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebull;
  return static_cast<unsigned>(i >> 33);
}
/// Numbers in [0, 1); populations near rest; cells of which a quarter lives.
enum class Content { numbers, populations, life };

template <class T>
__global__ void fill(T* memory, Index size, Index component, Content content) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x; i < size; i += stride) {
    const unsigned bits = random_bits(i);
    const float number = static_cast<float>(bits & 0xffffff) / 0x1000000;
    if (content == Content::numbers) memory[i] = T(number);
    if (content == Content::life) memory[i] = T((bits & 3) == 0 ? 1.0f : 0.0f);
    if (content == Content::populations) {
      const float rest = d3q19_weight(static_cast<int>(min(i / component, Index{18})));
      const float deviation = rest * 0.1f * (number - 0.5f);
      memory[i] = T(std::is_same_v<T, float> ? rest + deviation : deviation);
    }
  }
}

__global__ void count_differences(const unsigned* a, const unsigned* b, Index words,
                                  unsigned long long* count) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  unsigned long long differences = 0;
  for (Index i = Index{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += stride) {
    differences += a[i] != b[i];
  }
  if (differences != 0) atomicAdd(count, differences);
}

// ---- What is measured

template <class T>
struct Variant {
  std::string label;
  int steps;
  const void* kernel;
  std::function<void(T* u, T* next)> run;  ///< `steps` steps from u to next, or of next in place
  bool is_in_place = false;
};

struct Size {
  int nx, ny, nz;
};

/// One kernel on one size with all its variants.
class Job {
 public:
  virtual ~Job() = default;
  virtual int variants() const = 0;
  virtual std::string title(int variant) const = 0;
  /// Prints a line; false if the device can no longer be used.
  virtual bool measure(int variant, double copy_rate, std::FILE* json) = 0;
};

double median_milliseconds(const std::function<void()>& run) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  const auto time = [&](int repeats) {
    cudaEventRecord(begin);
    for (int i = 0; i < repeats; ++i) run();
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    return double{milliseconds} / repeats;
  };
  time(2);
  const int repeats = std::clamp(static_cast<int>(8 / std::max(time(2), 1e-3)), 1, 200);
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) times.push_back(time(repeats));
  std::sort(times.begin(), times.end());
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return times[times.size() / 2];
}

template <class T>
class KernelJob : public Job {
 public:
  using Step = std::function<void(const T* u, T* next)>;

  KernelJob(std::string name, Size size, int components, double bytes_per_update, Content content,
            bool is_timed)
      : name_(std::move(name)),
        grid_(grid_of<T>(size.nx, size.ny, size.nz)),
        components_(components),
        bytes_per_update_(bytes_per_update),
        content_(content),
        is_timed_(is_timed) {}

  int variants() const override { return static_cast<int>(variants_.size()); }
  std::string title(int variant) const override {
    return name_ + " " + variants_[static_cast<std::size_t>(variant)].label;
  }
  const Grid& grid() const { return grid_; }
  Index component() const { return grid_.plane * (grid_.nz + 2 * ghosts); }

  Step reference;
  std::vector<Variant<T>> variants_;

  bool measure(int number, double copy_rate, std::FILE* json) override {
    const Variant<T>& variant = variants_[static_cast<std::size_t>(number)];
    prepare();
    advance_reference(variant.steps);
    fill(*u_);
    fill(*next_);
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, variant.kernel);
    variant.run(u_->cells(), next_->cells());
    const cudaError_t launched = cudaGetLastError(), finished = cudaDeviceSynchronize();
    const bool is_run =
        is_fine(launched, title(number).c_str()) && is_fine(finished, title(number).c_str());
    if (finished != cudaSuccess) return false;
    const unsigned long long wrong = is_run ? differences(*next_, *expected_) : ~0ull;
    double rate = 0;
    if (is_run && is_timed_) {
      T *from = u_->cells(), *to = next_->cells();
      const double milliseconds = median_milliseconds([&] {
        variant.run(from, to);
        if (!variant.is_in_place) std::swap(from, to);
      });
      rate = 1e-6 * grid_.nx * grid_.ny * grid_.nz * variant.steps / milliseconds;
    }
    const double share = rate * bytes_per_update_ / copy_rate;
    char size[64], line[512];
    std::snprintf(size, sizeof size, "%dx%dx%d", grid_.nx, grid_.ny, grid_.nz);
    std::printf("%-16s %-34s %-15s %9.1f %7.3f %5d %6zu  %s\n", name_.c_str(),
                variant.label.c_str(), size, rate, share, attributes.numRegs,
                attributes.localSizeBytes, wrong == 0 ? "ok" : "WRONG BITS");
    std::fflush(stdout);
    std::snprintf(line, sizeof line,
                  "{\"name\": \"%s\", \"variant\": \"%s\", \"size\": \"%s\", \"glups\": %.2f, "
                  "\"share_of_copy\": %.4f, \"copy_gbs\": %.0f, \"registers\": %d, "
                  "\"local_bytes\": %zu, \"bits_ok\": %s, \"wrong_words\": %lld}\n",
                  name_.c_str(), variant.label.c_str(), size, rate, share, copy_rate,
                  attributes.numRegs, attributes.localSizeBytes, wrong == 0 ? "true" : "false",
                  static_cast<long long>(wrong));
    if (json != nullptr) {
      std::fputs(line, json);
      std::fflush(json);
    }
    return is_fine(cudaDeviceSynchronize(), title(number).c_str());
  }

 private:
  void prepare() {
    if (u_ != nullptr) return;
    for (auto* field : {&u_, &next_, &expected_, &other_}) {
      *field = std::make_unique<Field<T>>(grid_, components_);
    }
    fill(*expected_);
    fill(*other_);
  }
  void fill(const Field<T>& field) {
    launch(&::fill<T>, {dim3(4096), dim3(256)}, nullptr, field.memory(), field.size(),
           field.component(), content_);
  }
  /// Variants come in the order of their steps.
  void advance_reference(int steps) {
    if (steps < steps_done_) {
      fill(*expected_);
      steps_done_ = 0;
    }
    for (; steps_done_ < steps; ++steps_done_) {
      reference(expected_->cells(), other_->cells());
      std::swap(expected_, other_);
    }
  }
  unsigned long long differences(const Field<T>& a, const Field<T>& b) {
    unsigned long long *count = nullptr, result = ~0ull;
    cudaMalloc(&count, sizeof(*count));
    cudaMemset(count, 0, sizeof(*count));
    launch(&count_differences, {dim3(4096), dim3(256)}, nullptr,
           reinterpret_cast<const unsigned*>(a.memory()),
           reinterpret_cast<const unsigned*>(b.memory()),
           static_cast<Index>(a.size() * sizeof(T) / sizeof(unsigned)), count);
    cudaMemcpy(&result, count, sizeof(result), cudaMemcpyDeviceToHost);
    cudaFree(count);
    return result;
  }

  std::string name_;
  Grid grid_;
  int components_;
  double bytes_per_update_;
  Content content_;
  bool is_timed_;
  std::unique_ptr<Field<T>> u_, next_, expected_, other_;
  int steps_done_ = 0;
};

using Jobs = std::vector<std::function<std::unique_ptr<Job>()>>;

template <class... Numbers>
std::string shape(const char* what, Numbers... numbers) {
  std::string text = what;
  ((text += (text.empty() || text.back() == ' ' ? "" : "x") + std::to_string(numbers)), ...);
  return text;
}

/// GB/s read and written.
double copy_rate() {
  const std::size_t bytes = std::size_t{2} << 30;
  void *a = nullptr, *b = nullptr;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, bytes);
  cudaMemset(a, 1, bytes);
  const double milliseconds =
      median_milliseconds([&] { cudaMemcpyAsync(b, a, bytes, cudaMemcpyDeviceToDevice); });
  cudaFree(a);
  cudaFree(b);
  return 2e-6 * static_cast<double>(bytes) / milliseconds;
}

// ---- Processes

struct Progress {
  volatile int at;  ///< number of the variant that is being measured, over all jobs
  volatile std::time_t since;
  char title[128];
};

/// Variants from number `first` on.
int work(const Jobs& jobs, int first, const std::string& filter, std::FILE* json,
         Progress& progress) {
  progress.since = std::time(nullptr);
  const double copy = copy_rate();
  if (first == 0) {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    std::printf("%s, copy %.0f GB/s\n", properties.name, copy);
    std::printf("%-16s %-34s %-15s %9s %7s %5s %6s  %s\n", "kernel", "variant", "size", "GLUP/s",
                "of copy", "regs", "local", "bits");
  }
  int number = 0;
  for (const auto& make : jobs) {
    const auto job = make();
    for (int variant = 0; variant < job->variants(); ++variant, ++number) {
      const std::string title = job->title(variant);
      if (number < first || title.find(filter) == std::string::npos) continue;
      progress.at = number;
      progress.since = std::time(nullptr);
      std::snprintf(progress.title, sizeof progress.title, "%s", title.c_str());
      if (!job->measure(variant, copy, json)) return 1;
    }
  }
  std::fflush(stdout);
  return 0;
}

/// The main function of a program that measures these jobs.
inline int measure_jobs(int argc, char** argv, Jobs (*all_jobs)(bool is_quick)) {
  bool is_quick = false;
  std::string filter, json_name;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      is_quick = true;
    } else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) {
      json_name = argv[++i];
    } else {
      filter = argv[i];
    }
  }
  constexpr int patience = 20;  // seconds for a variant
  std::FILE* json = json_name.empty() ? nullptr : std::fopen(json_name.c_str(), "w");
  auto* progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int failures = 0;
  for (int first = 0;; first = progress->at + 1) {
    progress->at = first - 1;
    progress->since = std::time(nullptr);
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      const int result = work(all_jobs(is_quick), first, filter, json, *progress);
      std::fflush(nullptr);
      _exit(result);
    }
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
      usleep(20000);
      if (std::time(nullptr) - progress->since > patience) kill(child, SIGKILL);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) break;
    ++failures;
    std::printf("FAILED: %s\n", progress->at < first ? "(start)" : progress->title);
    if (json != nullptr && progress->at >= first) {
      std::fprintf(json, "{\"variant\": \"%s\", \"failed\": true}\n", progress->title);
      std::fflush(json);
    }
    if (progress->at < first || failures > 40) return 1;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
