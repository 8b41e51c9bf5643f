#pragma once
// Uses cuFFT, NVIDIA's Fourier transforms. No build needs it; it is loaded when it is asked for:
// the file that GOBAN_CUFFT names, else libcufft.so.12 or .11 of the system, of a CUDA toolkit or
// of pip.

#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/fourier_task.hpp"

namespace goban::cuda {

/// Returns in one line why there are no transforms, and what to do; empty if there are.
const std::string& cufft_refusal();
/// Returns the version, "cuFFT 12.0"; empty if there is none.
const std::string& cufft_version();

/// Complex transforms of planes one after the other in memory, x fastest, along x and y.
class CufftPlan final : public FourierPlan {
 public:
  enum class Direction : int { to_waves = -1, to_values = 1 };
  /// Plans for the current device; an axis of one cell is left alone. `type` is float32 or float64.
  /// Throws an Error (ExitCode::resources): there is no cuFFT, or no memory.
  CufftPlan(ElementType type, Index x, Index y, Index planes);
  ~CufftPlan() override;
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  /// Transforms in place, in this queue.
  void run(Direction direction, void* values, CUstream stream) const;

 private:
  ElementType type_;
  int plan_ = -1;  ///< -1: there is nothing to transform
  void* scratch_ = nullptr;
};

}  // namespace goban::cuda
