#pragma once
// The kernels on GPUs.

#include <memory>

#include "graph500/engine.hpp"

namespace goban::graph500 {

/// Makes an engine on the GPUs of the runtime's settings; `source` and `runtime` must outlive it.
/// Errors (usage): several GPUs a rank where there are several ranks, the CPU beside GPUs;
/// (resources): built without CUDA.
std::unique_ptr<Engine> make_gpu_engine(const Model& model, const EdgeSource& source,
                                        Runtime& runtime);

}  // namespace goban::graph500
