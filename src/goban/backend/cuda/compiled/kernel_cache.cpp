#include "goban/backend/cuda/compiled/kernel_cache.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "goban/backend/compiled/kernel_files.hpp"
#include "goban/backend/cuda/compiled/kernel_texts.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/base/build_info.hpp"
#include "goban/io/file/atomic_file.hpp"

namespace goban::cuda {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the hash of all texts that kernels may include.
const std::string& hash_of_texts() {
  static const std::string hash = [] {
    std::string all;
    for (const KernelText& one : kernel_texts()) {
      all.append(one.name).push_back('\0');
      all.append(one.text).push_back('\0');
    }
    return hash_text(all);
  }();
  return hash;
}

/// Returns a key of everything that determines the machine code, except for the compiler.
std::string key_of(int capability, const KernelSource& source) {
  std::string all = hash_of_texts() + " " + std::string(build_info().version) + " sm_" +
                    std::to_string(capability);
  for (const char* option : common_compile_options) all.append(" ").append(option);
  for (const std::string& option : source.options) all += " " + option;
  return hash_text(all + '\0' + source.text);
}

/// Compiles a text. If it does not compile, writes it and the compiler's message to a file.
std::string compile_or_keep(const std::string& key, int capability, const KernelSource& source,
                            const std::filesystem::path& folder) {
  try {
    return compile(source.text, source.entry + ".cu", kernel_texts(), source.options, capability);
  } catch (const CompileError& error) {
    if (folder.empty()) throw;
    const auto file = folder / (key + ".failed");
    try {
      write_file(file, source.text + "\n/*\n" + error.log() + "\n*/\n");
    } catch (const Error&) {  // which matters less
      throw error;
    }
    throw Error(error.code(), error.what(), "", "with " + file.string());
  }
}

/// Calls `work` for all sources in several threads, which have ended when this returns.
template <class Work>
void side_by_side(const std::vector<const KernelSource*>& sources, const Work& work) {
  const std::size_t workers =
      std::min<std::size_t>(sources.size(), std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> all;
  for (std::size_t n = 0; n < workers; ++n) {
    all.push_back(std::async(std::launch::async, [&] {
      for (std::size_t at = next++; at < sources.size(); at = next++) work(*sources[at]);
    }));
  }
  for (auto& one : all) one.wait();
  for (auto& one : all) one.get();
}

/// All kernels that this process has compiled and loaded.
class Kernels {
 public:
  static Kernels& get() {
    static Kernels* const all = new Kernels;  // stays while the driver goes
    return *all;
  }

  using Code = std::shared_ptr<const std::string>;
  Code code(int capability, const KernelSource& source) {
    const std::string key = key_of(capability, source);
    std::promise<Code> promise;
    std::shared_future<Code> future;
    bool is_mine = false;
    {
      const std::lock_guard lock(mutex_);
      const auto [at, is_new] = codes_.try_emplace(key);
      if (is_new) at->second = promise.get_future().share();
      future = at->second;
      is_mine = is_new;
    }
    if (is_mine) {
      begin_work();
      try {
        KernelFiles::Found found = find_or_compile(key, capability, source);
        end_work(found.was_made ? 1 : 0, found.was_made ? 0 : 1);
        promise.set_value(std::make_shared<const std::string>(std::move(found.bytes)));
      } catch (...) {
        end_work(0, 0);
        promise.set_exception(std::current_exception());
      }
    }
    return future.get();
  }

  /// Returns the sources that nobody has asked for yet (on `device`, unless it is -1), each once.
  /// The longest text comes first, because it takes longest to compile.
  std::vector<const KernelSource*> missing(int capability, int device,
                                           const std::vector<KernelSource>& sources) {
    std::vector<const KernelSource*> all;
    std::set<std::string> keys;
    const std::lock_guard lock(mutex_);
    for (const KernelSource& source : sources) {
      const std::string key = key_of(capability, source);
      const bool is_there = device < 0 ? codes_.count(key) > 0 : modules_.count({device, key}) > 0;
      if (!is_there && keys.insert(key).second) all.push_back(&source);
    }
    std::stable_sort(all.begin(), all.end(), [](const KernelSource* a, const KernelSource* b) {
      return a->text.size() > b->text.size();
    });
    return all;
  }

  const Kernel& kernel(int device, const KernelSource& source) {
    const int architecture = capability(device);
    const auto key = std::make_pair(device, key_of(architecture, source));
    const Code image = code(architecture, source);
    Module& module = [&]() -> Module& {
      const std::lock_guard lock(mutex_);
      return modules_[key];
    }();
    const std::lock_guard lock(module.loading);
    const OnDevice current(device);
    if (!module.handle) {
      check(driver().cuModuleLoadData(&module.handle, image->data()), "loading a kernel");
    }
    auto& kernel = module.kernels[source.entry];
    if (!kernel) {
      CUfunction function = nullptr;
      check(driver().cuModuleGetFunction(&function, module.handle, source.entry.c_str()),
            "loading a kernel");
      kernel = std::make_unique<Kernel>(device, function);
    }
    return *kernel;
  }

  KernelStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

 private:
  struct Module {
    std::mutex loading;
    CUmodule handle = nullptr;
    std::map<std::string, std::unique_ptr<Kernel>> kernels;
  };

  /// Returns machine code from a file, or compiles it. Names of files end with the major version of
  /// the compiler, because drivers load what a compiler of the same or an earlier version has made.
  /// Files that others have made need no compiler here.
  KernelFiles::Found find_or_compile(const std::string& key, int capability,
                                     const KernelSource& source) const {
    constexpr int oldest = 12;
    const auto name = [&](const std::string& major) { return key + "-cuda" + major; };
    for (int major = driver_version() / 1000; major >= oldest; --major) {
      if (auto kept = files_.find(name(std::to_string(major)))) return {std::move(*kept), false};
    }
    const std::string& version = nvrtc_version();
    return files_.get(name(version.substr(0, version.find('.'))),
                      [&] { return compile_or_keep(key, capability, source, files_.folder()); });
  }

  void begin_work() {
    const std::lock_guard lock(mutex_);
    if (at_work_++ == 0) began_ = Clock::now();
  }
  void end_work(int compiled, int loaded) {
    const std::lock_guard lock(mutex_);
    statistics_.compiled += compiled;
    statistics_.loaded += loaded;
    if (--at_work_ > 0) return;
    statistics_.seconds += std::chrono::duration<double>(Clock::now() - began_).count();
  }

  const KernelFiles files_{kernel_cache_folder()};
  std::mutex mutex_;
  std::map<std::string, std::shared_future<Code>> codes_;
  std::map<std::pair<int, std::string>, Module> modules_;
  KernelStatistics statistics_;
  int at_work_ = 0;  ///< the number of threads that compile
  Clock::time_point began_;
};

}  // namespace

// Asking for an attribute loads the code now. Loading it later could deadlock with kernels on the
// device that wait for each other.
Kernel::Kernel(int device, CUfunction function)
    : device_(device), function_(function), is_dependent_(capability(device) >= 90) {
  int registers = 0;
  check(driver().cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function),
        "loading a kernel");
}

int Kernel::blocks_at_once(int threads, std::size_t shared_bytes) const {
  const OnDevice current(device_);
  allow_shared_bytes(shared_bytes);
  int blocks = 0;
  check(driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, threads,
                                                             shared_bytes),
        "choosing a launch");
  return blocks;
}

void Kernel::allow_shared_bytes(std::size_t bytes) const {
  if (bytes <= allowed_) return;
  check(driver().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    static_cast<int>(bytes)),
        "choosing a launch");
  allowed_ = bytes;
}

void Kernel::prefer_shared_memory(int percent) const {
  if (preferred_.exchange(percent) == percent) return;
  check(driver().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                    percent),
        "choosing a launch");
}

const Kernel& kernel(int device, const KernelSource& source) {
  return Kernels::get().kernel(device, source);
}

void prepare(int capability, const std::vector<KernelSource>& sources) {
  side_by_side(Kernels::get().missing(capability, -1, sources),
               [&](const KernelSource& source) { Kernels::get().code(capability, source); });
}

void prepare_on(int device, const std::vector<KernelSource>& sources) {
  side_by_side(Kernels::get().missing(capability(device), device, sources),
               [&](const KernelSource& source) { kernel(device, source); });
}

KernelStatistics kernel_statistics() { return Kernels::get().statistics(); }

const Kernel& OwnKernel::here() const {
  const int device = current_device();
  auto& found = found_.at(static_cast<std::size_t>(device));
  if (!found.load(std::memory_order_acquire)) {
    found.store(&kernel(device, source_), std::memory_order_release);
  }
  return *found.load(std::memory_order_acquire);
}

}  // namespace goban::cuda
