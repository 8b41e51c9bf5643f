#pragma once
// NVRTC, NVIDIA's compiler as a library. It is no part of a build but loaded when it is asked for:
// what GOBAN_NVRTC names, else libnvrtc.so.13 or .12 of the system, of a CUDA toolkit or of pip.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goban/backend/compiled/kernel_text.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {

/// A text that is no program; `log` is what the compiler says.
class CompileError : public Error {
 public:
  explicit CompileError(const std::string& log);
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// Why nothing can be compiled, and what to do, in one line; empty: it can.
const std::string& nvrtc_refusal();
/// "13.0"; empty where there is none.
const std::string& nvrtc_version();
const std::filesystem::path& nvrtc_file();

/// Where NVRTC may lie beside the places that the loader knows, the likeliest first: of toolkits
/// and of Python's packages. `variable` is std::getenv, or what a test says.
std::vector<std::filesystem::path> nvrtc_folders(
    const std::function<const char*(const char*)>& variable);

/// The options with which all programs are compiled, before options of their own.
inline constexpr const char* common_compile_options[] = {"--std=c++20", "--fmad=false",
                                                         "--device-as-default-execution-space"};

/// Machine code for GPUs of one architecture (90), which the driver loads. Where NVRTC does not
/// know it yet, the driver translates what is returned. Error: nvrtc_refusal(); CompileError.
/// Threads may compile side by side.
std::string compile(const std::string& text, const std::string& name,
                    std::span<const KernelText> headers, const std::vector<std::string>& options,
                    int capability);

}  // namespace goban::cuda
