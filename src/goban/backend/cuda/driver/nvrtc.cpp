#include "goban/backend/cuda/driver/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/library_folders.hpp"
#include "goban/base/found_library.hpp"

namespace goban::cuda {
namespace {

using Path = std::filesystem::path;

/// The part of NVRTC's header that is needed here.
using NvrtcResult = int;
constexpr NvrtcResult nvrtc_success = 0, failed_to_compile = 6;
using Program = struct _nvrtcProgram*;

struct Nvrtc {
  Nvrtc();
  static const Nvrtc& get() {
    static const Nvrtc library;
    return library;
  }
  /// Returns false if the file is no NVRTC, or none that suits this driver.
  bool open(const Path& candidate);

  std::string refusal, version;
  Path file;
  std::vector<int> capabilities;  ///< architectures that it compiles for, lowest first

  NvrtcResult (*get_version)(int* major, int* minor) = nullptr;
  NvrtcResult (*count_capabilities)(int* count) = nullptr;
  NvrtcResult (*get_capabilities)(int* all) = nullptr;
  const char* (*text_of)(NvrtcResult result) = nullptr;
  NvrtcResult (*create)(Program* program, const char* text, const char* name, int headers,
                        const char* const* header_texts, const char* const* header_names) = nullptr;
  NvrtcResult (*destroy)(Program* program) = nullptr;
  NvrtcResult (*compile)(Program program, int count, const char* const* options) = nullptr;
  NvrtcResult (*log_size)(Program program, std::size_t* size) = nullptr;
  NvrtcResult (*get_log)(Program program, char* log) = nullptr;
  NvrtcResult (*cubin_size)(Program program, std::size_t* size) = nullptr;
  NvrtcResult (*get_cubin)(Program program, char* cubin) = nullptr;
  NvrtcResult (*ptx_size)(Program program, std::size_t* size) = nullptr;
  NvrtcResult (*get_ptx)(Program program, char* ptx) = nullptr;

  void check(NvrtcResult result, const char* what) const {
    if (result == nvrtc_success) return;
    throw Error(ExitCode::resources, std::string("NVRTC failed while ") + what, text_of(result),
                "is " + file.string() + " complete?");
  }
};

/// Returns what to install, by the driver's version and the files that did not suit.
std::string install_advice() {
  const int driver = driver_version() / 1000;
  const std::string package = driver == 12 ? "nvidia-cuda-nvrtc-cu12" : "nvidia-cuda-nvrtc";
  return "install it: pip install " + package + ", or the CUDA toolkit; GOBAN_NVRTC may name it";
}

bool Nvrtc::open(const Path& candidate) {
  FoundLibrary library({candidate.string()});
  if (!library.is_there()) return false;
  library.find(get_version, "nvrtcVersion");
  library.find(count_capabilities, "nvrtcGetNumSupportedArchs");
  library.find(get_capabilities, "nvrtcGetSupportedArchs");
  library.find(text_of, "nvrtcGetErrorString");
  library.find(create, "nvrtcCreateProgram");
  library.find(destroy, "nvrtcDestroyProgram");
  library.find(compile, "nvrtcCompileProgram");
  library.find(log_size, "nvrtcGetProgramLogSize");
  library.find(get_log, "nvrtcGetProgramLog");
  library.find(cubin_size, "nvrtcGetCUBINSize");
  library.find(get_cubin, "nvrtcGetCUBIN");
  library.find(ptx_size, "nvrtcGetPTXSize");
  library.find(get_ptx, "nvrtcGetPTX");
  int major = 0, minor = 0, count = 0;
  if (!library.refusal().empty() || get_version(&major, &minor) != nvrtc_success || major < 12) {
    refusal = candidate.string() + " is older than CUDA 12";
    return false;
  }
  const std::string number = std::to_string(major) + "." + std::to_string(minor);
  // Drivers load what compilers of their own major version, or of an older one, have made.
  if (const int driver = driver_version() / 1000; driver != 0 && major > driver) {
    refusal = "the driver is of CUDA " + std::to_string(driver) + ", " + candidate.string() +
              " of CUDA " + number;
    return false;
  }
  if (count_capabilities(&count) == nvrtc_success) {
    capabilities.resize(static_cast<std::size_t>(count));
    get_capabilities(capabilities.data());
  }
  version = number;
  Dl_info where{};
  const bool is_known = dladdr(reinterpret_cast<void*>(create), &where) != 0 && where.dli_fname;
  file = is_known ? Path(where.dli_fname) : candidate;
  refusal.clear();
  return true;
}

Nvrtc::Nvrtc() {
  if (const char* named = std::getenv("GOBAN_NVRTC")) {
    if (open(named)) return;
    if (refusal.empty()) refusal = std::string(named) + " cannot be loaded";
    refusal = "no compiler for GPUs (GOBAN_NVRTC: " + refusal + ")";
    return;
  }
  if (find_cuda_library({"libnvrtc.so.13", "libnvrtc.so.12"},
                        [&](const Path& file) { return open(file); })) {
    return;
  }
  const std::string why = refusal.empty() ? "there is no libnvrtc.so.13 or .12" : refusal;
  refusal = "no compiler for GPUs (" + why + "); " + install_advice();
}

class OwnedProgram {
 public:
  OwnedProgram(const std::string& text, const std::string& name,
               std::span<const KernelText> headers) {
    std::vector<std::string> strings;
    std::vector<const char*> texts, names;
    strings.reserve(2 * headers.size());
    for (const KernelText& header : headers) {
      texts.push_back(strings.emplace_back(header.text).c_str());
      names.push_back(strings.emplace_back(header.name).c_str());
    }
    nvrtc_.check(nvrtc_.create(&program_, text.c_str(), name.c_str(),
                               static_cast<int>(headers.size()), texts.data(), names.data()),
                 "reading a kernel");
  }
  ~OwnedProgram() { nvrtc_.destroy(&program_); }
  OwnedProgram(const OwnedProgram&) = delete;
  OwnedProgram& operator=(const OwnedProgram&) = delete;

  void compile(const std::vector<std::string>& options) {
    std::vector<const char*> list;
    for (const std::string& option : options) list.push_back(option.c_str());
    const NvrtcResult result = nvrtc_.compile(program_, static_cast<int>(list.size()), list.data());
    if (result == failed_to_compile) {
      const std::string log = get(nvrtc_.log_size, nvrtc_.get_log);
      throw CompileError(log.substr(0, log.find('\0')));
    }
    nvrtc_.check(result, "compiling a kernel");
  }
  template <class Size, class Get>
  std::string get(Size* size_of, Get* get_bytes) const {
    std::size_t size = 0;
    nvrtc_.check(size_of(program_, &size), "handing over a kernel");
    std::string bytes(size, '\0');
    nvrtc_.check(get_bytes(program_, bytes.data()), "handing over a kernel");
    return bytes;
  }

 private:
  const Nvrtc& nvrtc_ = Nvrtc::get();
  Program program_ = nullptr;
};

std::string first_error(const std::string& log) {
  std::istringstream stream(log);
  for (std::string line; std::getline(stream, line);) {
    if (line.find("error") != std::string::npos) return line;
  }
  return "the compiler does not say why";
}

}  // namespace

CompileError::CompileError(const std::string& log)
    : Error(ExitCode::resources, "a kernel for GPUs does not compile", first_error(log),
            "that is a fault of goban's: please report it"),
      log_(log) {}

const std::string& nvrtc_refusal() { return Nvrtc::get().refusal; }
const std::string& nvrtc_version() { return Nvrtc::get().version; }
const std::filesystem::path& nvrtc_file() { return Nvrtc::get().file; }

std::string compile(const std::string& text, const std::string& name,
                    std::span<const KernelText> headers, const std::vector<std::string>& options,
                    int capability) {
  const Nvrtc& nvrtc = Nvrtc::get();
  if (!nvrtc.refusal.empty()) throw Error(ExitCode::resources, nvrtc.refusal);
  const auto& known = nvrtc.capabilities;
  const bool is_known = std::find(known.begin(), known.end(), capability) != known.end();
  if (!is_known && (known.empty() || capability < known.back())) {
    throw Error(ExitCode::resources,
                "NVRTC " + nvrtc.version + " compiles nothing for GPUs of capability " +
                    std::to_string(capability / 10) + "." + std::to_string(capability % 10),
                "", install_advice());
  }
  std::vector<std::string> all = {
      "--gpu-architecture=" +
      (is_known ? "sm_" + std::to_string(capability) : "compute_" + std::to_string(known.back()))};
  all.insert(all.end(), std::begin(common_compile_options), std::end(common_compile_options));
  all.insert(all.end(), options.begin(), options.end());
  OwnedProgram program(text, name, headers);
  program.compile(all);
  return is_known ? program.get(nvrtc.cubin_size, nvrtc.get_cubin)
                  : program.get(nvrtc.ptx_size, nvrtc.get_ptx);
}

}  // namespace goban::cuda
