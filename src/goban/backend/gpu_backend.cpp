#include "goban/backend/gpu_backend.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>

#include "goban/base/build_info.hpp"
#include "goban/base/error.hpp"
#include "goban/base/modules.hpp"

namespace goban {
namespace {

std::atomic<GpuBackend*> loaded = nullptr;

bool is_built_with_cuda() {
  const auto& features = build_info().features;
  return std::find(features.begin(), features.end(), "cuda") != features.end();
}

GpuBackend& load() {
  if (!is_built_with_cuda()) {
    throw Error(ExitCode::resources, "cannot compute on cuda", "this program is built without CUDA",
                "build with -DGOBAN_CUDA=ON, or use --devices cpu");
  }
  const void* module =
      load_own_module("the back end for GPUs", "cuda", "goban_cuda", "goban_gpu_module");
  GpuBackend& backend = static_cast<const GpuModule*>(module)->backend();
  loaded = &backend;
  return backend;
}

bool has_driver() {
  static const bool is_there = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  return is_there;
}

}  // namespace

GpuBackend& gpu_backend() {
  static GpuBackend& backend = load();
  return backend;
}

GpuBackend* gpu_backend_of_machine() {
  return loaded_gpu_backend() || (is_built_with_cuda() && has_driver()) ? &gpu_backend() : nullptr;
}

GpuBackend* loaded_gpu_backend() { return loaded; }

bool are_gpus_rehearsed() {
  GpuBackend* const backend = loaded;
  return backend && backend->is_rehearsal();
}

}  // namespace goban
