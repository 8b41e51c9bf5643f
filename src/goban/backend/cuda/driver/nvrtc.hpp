#pragma once
// Uses NVRTC, NVIDIA's compiler as a library. No build needs it; it is loaded when it is asked for:
// the file that GOBAN_NVRTC names, else libnvrtc.so.13 or .12 of the system, of a CUDA toolkit or
// of pip.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "goban/backend/compiled/kernel_text.hpp"
#include "goban/base/error.hpp"

namespace goban::cuda {

/// The error for a text that does not compile. `log` is the compiler's message.
class CompileError : public Error {
 public:
  explicit CompileError(const std::string& log);
  const std::string& log() const { return log_; }

 private:
  std::string log_;
};

/// Returns in one line why nothing can be compiled, and what to do; empty if NVRTC can be used.
const std::string& nvrtc_refusal();
/// Returns the version, "13.0"; empty if there is no NVRTC.
const std::string& nvrtc_version();
const std::filesystem::path& nvrtc_file();

/// The options with which all programs are compiled, before options of their own.
inline constexpr const char* common_compile_options[] = {"--std=c++20", "--fmad=false",
                                                         "--device-as-default-execution-space"};

/// Compiles a text for GPUs of one architecture (90, say) and returns what the driver loads. If
/// NVRTC does not know the architecture yet, the driver translates the result. Throws an Error with
/// nvrtc_refusal(), or a CompileError. Several threads may compile at the same time.
std::string compile(const std::string& text, const std::string& name,
                    std::span<const KernelText> headers, const std::vector<std::string>& options,
                    int capability);

}  // namespace goban::cuda
