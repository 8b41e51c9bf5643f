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

const std::string& path_text() {
  static const std::string text = "#define PIECE " + std::to_string(edges_a_piece) + "\n" +
#include "graph500/gpu_paths.cuh"
      ;
  return text;
}

const std::string& build_text() {
  static const std::string text =
#include "graph500/gpu_build.cuh"
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

const PathKernels& PathKernels::get() {
  static const PathKernels kernels{
      {path_text(), "graph500_begin_paths"},   {path_text(), "graph500_take_near"},
      {path_text(), "graph500_receive_items"}, {path_text(), "graph500_relax"},
      {path_text(), "graph500_next_bin"},      {path_text(), "graph500_write_paths"}};
  return kernels;
}

const BuildKernels& BuildKernels::get() {
  static const BuildKernels kernels{
      {build_text(), "graph500_generate"},  {build_text(), "graph500_weights"},
      {build_text(), "graph500_degrees"},   {build_text(), "graph500_count"},
      {build_text(), "graph500_fill"},      {build_text(), "graph500_sort_short"},
      {build_text(), "graph500_sort_long"}, {build_text(), "graph500_close"},
      {build_text(), "graph500_first"},     {build_text(), "graph500_weigh"}};
  return kernels;
}

const ValidationKernels& ValidationKernels::get() {
  static const ValidationKernels kernels{
      {validation_text(), "graph500_levels_begin"}, {validation_text(), "graph500_levels"},
      {validation_text(), "graph500_levels_end"},   {validation_text(), "graph500_tuples"},
      {validation_text(), "graph500_path_tuples"},  {validation_text(), "graph500_marked"}};
  return kernels;
}

std::vector<cuda::KernelSource> gpu_kernel_sources() {
  const SearchKernels& s = SearchKernels::get();
  const PathKernels& p = PathKernels::get();
  const BuildKernels& b = BuildKernels::get();
  const ValidationKernels& v = ValidationKernels::get();
  std::vector<cuda::KernelSource> all;
  for (const cuda::OwnKernel* kernel :
       {&s.begin,      &s.go_up,     &s.list,    &s.go_down,     &s.finish, &s.interleave,
        &s.write,      &b.generate,  &b.weights, &b.degrees,     &b.count,  &b.fill,
        &b.sort_short, &b.sort_long, &b.close,   &b.first,       &b.weigh,  &v.begin,
        &v.levels,     &v.end,       &v.tuples,  &v.path_tuples, &v.marked, &p.begin,
        &p.take_near,  &p.receive,   &p.relax,   &p.next_bin,    &p.write}) {
    all.push_back(kernel->source());
  }
  return all;
}

}  // namespace goban::graph500
