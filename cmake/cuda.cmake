# The back end for GPUs, a module: loaded, and built by ./goban, once a GPU is wanted. Tests and
# benchmarks that look into it link it.
if(NOT GOBAN_CUDA)
  return()
endif()
file(GLOB kernel_headers CONFIGURE_DEPENDS src/goban/backend/cuda/kernels/*.cuh)
target_sources(goban PUBLIC FILE_SET HEADERS FILES ${kernel_headers})
goban_kernel_texts(cuda src/goban/backend/cuda/kernels/*.cuh)
set(cuda_module ${PROJECT_BINARY_DIR}/generated/cuda_module.cpp)
file(CONFIGURE OUTPUT ${cuda_module} @ONLY CONTENT [[
#include "goban/backend/cuda/executor.hpp"
#include "goban_interface.hpp"
extern "C" {
extern const goban::GpuModule goban_gpu_module;
const goban::GpuModule goban_gpu_module = {GOBAN_INTERFACE, goban::cuda::backend};
}
]])
add_library(goban_cuda SHARED ${cuda_sources} ${kernel_texts_source} ${cuda_module})
set_target_properties(goban_cuda PROPERTIES OUTPUT_NAME goban-cuda DEFINE_SYMBOL ""
  LIBRARY_OUTPUT_DIRECTORY ${goban_module_folder} INSTALL_RPATH $ORIGIN/..
  UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
add_dependencies(goban_cuda goban_interface)
target_link_libraries(goban_cuda PUBLIC goban)
target_compile_options(goban_cuda PRIVATE $<$<CONFIG:Release>:-O1>)  # as plain sources
target_precompile_headers(goban_cuda REUSE_FROM goban_plain)
add_dependencies(goban_whole goban_cuda)  # whoever links goban::goban has it beside the library
