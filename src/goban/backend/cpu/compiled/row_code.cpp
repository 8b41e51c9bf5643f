#include "goban/backend/cpu/compiled/row_code.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "goban/backend/compiled/kernel_files.hpp"
#include "goban/backend/cpu/compiled/compiler.hpp"
#include "goban/backend/cpu/compiled/kernel_texts.hpp"
#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/process/descriptor.hpp"
#include "goban/io/file/atomic_file.hpp"

namespace goban::cpu {
namespace {

/// The threads that make code, and all code of the process.
class Workshop {
 public:
  static Workshop& get() {
    static Workshop* const workshop = [] {
      auto* const made = new Workshop;  // its threads may outlive static objects
      std::atexit([] { get().finish(); });
      ::pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                       [] { get().begin_in_child(); });
      return made;
    }();
    return *workshop;
  }

  std::shared_ptr<const Code> code(const std::string& text, const InstructionSet& isa,
                                   const std::vector<std::string>& names) {
    const std::lock_guard lock(mutex_);
    auto& known = all_[isa.name + '\0' + text];
    if (known) return known;
    known = std::make_shared<Code>(text, isa, names);
    waiting_.push_back(known);
    start_thread();
    return known;
  }

  void wait_for(const Code& code) {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [&] { return code.state() != Code::State::coming; });
  }
  void wait_for_all() {
    std::unique_lock lock(mutex_);
    made_.wait(lock, [&] { return waiting_.empty() && making_.empty(); });
  }

  void count_refused() {
    const std::lock_guard lock(mutex_);
    ++statistics_.refused;
  }
  void count(bool was_compiled, double seconds) {
    const std::lock_guard lock(mutex_);
    (was_compiled ? statistics_.compiled : statistics_.loaded) += 1;
    statistics_.seconds += seconds;
  }
  CodeStatistics statistics() {
    const std::lock_guard lock(mutex_);
    CodeStatistics now = statistics_;
    now.coming = static_cast<int>(waiting_.size() + making_.size());
    return now;
  }

 private:
  void start_thread() {
    const auto most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    if (idle_ == 0 && threads_ < most) {
      ++threads_;
      std::thread([this] { work(); }).detach();
    }
    added_.notify_one();
  }
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      added_.wait(lock, [this] { return !waiting_.empty(); });
      --idle_;
      const std::shared_ptr<Code> next = std::move(waiting_.front());
      waiting_.pop_front();
      making_.insert(next);
      lock.unlock();
      next->make();
      lock.lock();
      making_.erase(next);
      made_.notify_all();
    }
  }
  /// Finishes what is being compiled when the program ends, for its next run, and drops the rest.
  void finish() {
    std::unique_lock lock(mutex_);
    waiting_.clear();
    made_.wait(lock, [this] { return making_.empty(); });
  }
  /// Starts anew in a forked process, which has none of the threads.
  void begin_in_child() {
    new (&added_) std::condition_variable;  // those that waited are not here
    new (&made_) std::condition_variable;
    threads_ = idle_ = 0;
    waiting_.insert(waiting_.end(), making_.begin(), making_.end());
    making_.clear();
    if (!waiting_.empty()) start_thread();
    mutex_.unlock();
  }

  std::mutex mutex_;
  std::condition_variable added_, made_;
  std::map<std::string, std::shared_ptr<Code>> all_;
  std::deque<std::shared_ptr<Code>> waiting_;
  std::set<std::shared_ptr<Code>> making_;
  std::size_t threads_ = 0, idle_ = 0;
  CodeStatistics statistics_;
};

/// Returns the files of kernels. The object outlives static objects, as all code does.
const KernelFiles& files() {
  static const KernelFiles* const kept = new KernelFiles(kernel_cache_folder());
  return *kept;
}

/// Loads the bytes of a shared library, which stays loaded.
void* loaded(const std::string& bytes) {
  Descriptor file(::memfd_create("kernel", MFD_CLOEXEC));
  if (file < 0 || write_at(file, 0, bytes.data(), static_cast<Index>(bytes.size())) !=
                      static_cast<Index>(bytes.size())) {
    throw Error(ExitCode::resources, "cannot load a kernel", "no memory for it");
  }
  // Loaders take a path that they have seen for the library that was there, and numbers of files
  // come again: each way of writing it is used once.
  static std::atomic<unsigned> count{0};
  std::string path = "/proc/self/fd/";
  for (unsigned n = ++count; n > 0; n /= 2) path += n % 2 != 0 ? "./" : "/";
  path += std::to_string(static_cast<int>(file));
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(ExitCode::resources, "cannot load a kernel", ::dlerror());
  return library;
}

std::atomic<KernelMode> mode_of_process = KernelMode::beside;

}  // namespace

KernelMode kernel_mode() { return mode_of_process; }
void set_kernel_mode(KernelMode mode) { mode_of_process = mode; }

Code::Code(std::string text, InstructionSet isa, std::vector<std::string> names)
    : text_(std::move(text)), isa_(std::move(isa)), names_(std::move(names)) {}

Code::State Code::wait() const {
  Workshop::get().wait_for(*this);
  return state();
}

void Code::make() {
  State found = State::refused;
  try {
    const std::string whole = with_includes(text_, kernel_texts());
    const std::string key =
        hash_text(compiler_key(isa_) + std::string(build_info().version) + '\0' + whole);
    if (kernel_mode() == KernelMode::keep) {
      std::error_code ignored;  // write_file() says what is wrong
      std::filesystem::create_directories(files().folder(), ignored);
      write_file(files().folder() / (key + ".cpp"), whole);
    }
    const auto begin = std::chrono::steady_clock::now();
    const KernelFiles::Found code = files().get(key, [&] { return compiled(whole, isa_); });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    void* const library = loaded(code.bytes);
    for (const std::string& name : names_) {
      functions_.push_back(::dlsym(library, name.c_str()));
      if (functions_.back() == nullptr) throw Error(ExitCode::resources, "no kernel " + name);
    }
    Workshop::get().count(code.was_made, code.was_made ? taken.count() : 0);
    found = State::ready;
  } catch (const std::exception& error) {
    refusal_ = error.what();
    Workshop::get().count_refused();
    if (!compiler().command.empty()) {
      std::fprintf(stderr, "goban: warning: a kernel is evaluated instead of compiled (%s)\n",
                   refusal_.c_str());
    }
  }
  state_.store(found, std::memory_order_release);
}

std::shared_ptr<const Code> code_of(const std::string& text, const InstructionSet& isa,
                                    const std::vector<std::string>& names) {
  return Workshop::get().code(text, isa, names);
}

void wait_for_code() { Workshop::get().wait_for_all(); }

CodeStatistics code_statistics() { return Workshop::get().statistics(); }

}  // namespace goban::cpu
