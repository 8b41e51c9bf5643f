// Every stage of the solvers becomes a kernel for GPUs, compiled for GPUs that are not there.

#include <gtest/gtest.h>

#include "goban/solver/fourier.hpp"
#include "tests/solver/poisson.hpp"

#if GOBAN_HAVE_CUDA
#include "goban/backend/cuda/compiled/kernel_cache.hpp"
#include "goban/backend/cuda/driver/driver.hpp"
#include "goban/backend/cuda/driver/nvrtc.hpp"
#include "goban/backend/cuda/driver/rehearsal.hpp"
#include "tests/error_text.hpp"
#include "tests/scratch_folder.hpp"

namespace goban::gpu_kernels_test {
namespace {

class SolverKernels : public testing::Test {
 protected:
  void SetUp() override {
    // Refused where another test of this process has loaded the driver: ctest runs each in its own.
    static const std::string refusal =
        cuda::is_rehearsal() ? "" : test::error_of([] { cuda::rehearse(90, 2); });
    if (!refusal.empty()) GTEST_SKIP() << refusal;
    if (!cuda::nvrtc_refusal().empty()) GTEST_SKIP() << cuda::nvrtc_refusal();
    setenv("GOBAN_KERNEL_CACHE", kernels_.path().c_str(), 1);
  }
  const test::ScratchFolder kernels_;
};

/// Kernels that this process has asked for.
int count() {
  const cuda::KernelStatistics all = cuda::kernel_statistics();
  return all.compiled + all.loaded;
}

template <class T>
void run_multigrid(const GridOptions& grid, bool has_solids, const MultigridOptions& options) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0, 1};
  settings.launches = "preset";
  test::Poisson<T> p(settings, grid);
  if (has_solids) p.close_ball();
  Multigrid<T> multigrid = p.solver(options);
  Program program("program");
  int first = -1;
  const int before = count();
  program.call([&] { first = count() - before; }, std::tie(), std::tie());
  multigrid.add_setup(program);
  multigrid.add_full_multigrid(program);
  multigrid.add_cycle(program);
  multigrid.add_residual(program);
  test::run_once(program);
  EXPECT_EQ(count() - before, first) << "all are compiled before the first launch";
}

TEST_F(SolverKernels, OfTheMultigridCompile) {
  run_multigrid<float>({.cells = {64, 32, 32}, .boundary = mirror}, false, {.coarsest = 8});
  run_multigrid<double>({.cells = {64, 32, 32}, .spacing = {1, 4, 2}, .boundary = periodic}, true,
                        {.smoother = Smoother::red_black, .coarsest = 32, .patches = {{1, 1, 1}}});
  run_multigrid<double>({.cells = {32, 32, 32}, .boundary = mirror}, true,
                        {.coarsest = 32, .single_precision = true});
  run_multigrid<double>({.cells = {32, 32, 32}, .boundary = mirror}, false,
                        {.coarsest = 16, .single_precision = true});
  run_multigrid<float>({.cells = {32, 32, 32}, .boundary = mirror}, true,
                       {.bottom = MultigridBottom::conjugate_gradients, .coarsest = 16});
}

/// Its transforms are not computed, and all else is launched.
template <class T>
void run_fourier(const BoundarySet& boundary) {
  Settings settings;
  settings.backend = Backend::cuda;
  settings.devices = {0};
  test::Poisson<T> p(settings, {.cells = {33, 20, 17}, .boundary = boundary});
  Program program("program");
  const Fourier<T> fourier(p.u, p.f, {.transforms = FourierTransforms::device});
  fourier.add_solve(program);
  const int before = cuda::rehearsed_launches();
  test::run_once(program);
  EXPECT_GE(cuda::rehearsed_launches() - before, 3);
}

TEST_F(SolverKernels, OfTheDirectSolverCompile) {
  run_fourier<float>(mirror);
  run_fourier<double>(periodic);
  run_fourier<double>(test::mixed_sides());
}

}  // namespace
}  // namespace goban::gpu_kernels_test
#endif
