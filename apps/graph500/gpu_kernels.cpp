#include "graph500/gpu_kernels.hpp"

#include <string>

namespace goban::graph500 {
namespace {

/// Neighbours that a thread looks at before its warp helps: one sector of memory.
constexpr int serial_neighbours = 8;

const std::string& search_text() {
  static const std::string text = "#define SERIAL " + std::to_string(serial_neighbours) +
                                  "\n#define PIECE " + std::to_string(edges_a_piece) + "\n" +
#include "graph500/gpu_search.cuh"
      ;
  return text;
}

const std::string& validation_text() {
  static const std::string text =
#include "graph500/gpu_validate.cuh"
      ;
  return text;
}

}  // namespace

const SearchKernels& SearchKernels::get() {
  static const SearchKernels kernels{
      {search_text(), "graph500_begin"},  {search_text(), "graph500_go_up"},
      {search_text(), "graph500_list"},   {search_text(), "graph500_go_down"},
      {search_text(), "graph500_finish"}, {search_text(), "graph500_interleave"},
      {search_text(), "graph500_write"}};
  return kernels;
}

const ValidationKernels& ValidationKernels::get() {
  static const ValidationKernels kernels{
      {validation_text(), "graph500_levels_begin"}, {validation_text(), "graph500_levels"},
      {validation_text(), "graph500_levels_end"},   {validation_text(), "graph500_tuples"},
      {validation_text(), "graph500_join"},         {validation_text(), "graph500_marked"}};
  return kernels;
}

std::vector<cuda::KernelSource> gpu_kernel_sources() {
  const SearchKernels& s = SearchKernels::get();
  const ValidationKernels& v = ValidationKernels::get();
  std::vector<cuda::KernelSource> all;
  for (const cuda::OwnKernel* kernel :
       {&s.begin, &s.go_up, &s.list, &s.go_down, &s.finish, &s.interleave, &s.write, &v.begin,
        &v.levels, &v.end, &v.tuples, &v.join, &v.marked}) {
    all.push_back(kernel->source());
  }
  return all;
}

}  // namespace goban::graph500
