#include "goban/backend/cuda/driver/cufft.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>

#include "goban/backend/cuda/driver/library_folders.hpp"
#include "goban/base/found_library.hpp"

namespace goban::cuda {
namespace {

/// The part of cuFFT's header that is needed here. It has not changed since CUDA 7.5.
using CufftResult = int;
using Plan = int;
constexpr CufftResult cufft_success = 0;
constexpr int complex_float = 0x29, complex_double = 0x69;

struct Cufft {
  Cufft();
  static const Cufft& get() {
    static const Cufft library;
    return library;
  }
  /// Returns false if the file is no cuFFT, or none that suits this driver.
  bool open(const std::filesystem::path& candidate);

  std::string refusal, version;
  CufftResult (*get_version)(int* version) = nullptr;
  CufftResult (*create)(Plan* plan) = nullptr;
  CufftResult (*destroy)(Plan plan) = nullptr;
  CufftResult (*allocate_itself)(Plan plan, int does) = nullptr;
  CufftResult (*make)(Plan plan, int rank, long long* cells, long long* in_cells,
                      long long in_stride, long long in_distance, long long* out_cells,
                      long long out_stride, long long out_distance, int type, long long count,
                      std::size_t* scratch_bytes) = nullptr;
  CufftResult (*set_scratch)(Plan plan, void* scratch) = nullptr;
  CufftResult (*set_stream)(Plan plan, CUstream stream) = nullptr;
  CufftResult (*run_float)(Plan plan, void* from, void* to, int direction) = nullptr;
  CufftResult (*run_double)(Plan plan, void* from, void* to, int direction) = nullptr;

  void check(CufftResult result, const char* what) const {
    if (result == cufft_success) return;
    throw Error(ExitCode::resources, std::string("cuFFT failed while ") + what,
                "its result is " + std::to_string(result),
                "the manual of cuFFT has a table of results");
  }
};

bool Cufft::open(const std::filesystem::path& candidate) {
  FoundLibrary library({candidate.string()});
  if (!library.is_there()) return false;
  library.find(get_version, "cufftGetVersion");
  library.find(create, "cufftCreate");
  library.find(destroy, "cufftDestroy");
  library.find(allocate_itself, "cufftSetAutoAllocation");
  library.find(make, "cufftMakePlanMany64");
  library.find(set_scratch, "cufftSetWorkArea");
  library.find(set_stream, "cufftSetStream");
  library.find(run_float, "cufftExecC2C");
  library.find(run_double, "cufftExecZ2Z");
  int number = 0;
  if (!library.refusal().empty() || get_version(&number) != cufft_success || number < 11000) {
    refusal = candidate.string() + " is older than CUDA 12";
    return false;
  }
  const int major = number / 1000, cuda = major + 1;
  if (const int driver = driver_version() / 1000; driver != 0 && cuda > driver) {
    refusal = "the driver is of CUDA " + std::to_string(driver) + ", " + candidate.string() +
              " of CUDA " + std::to_string(cuda);
    return false;
  }
  version = "cuFFT " + std::to_string(major) + "." + std::to_string(number / 100 % 10);
  refusal.clear();
  return true;
}

Cufft::Cufft() {
  if (is_rehearsal()) return;
  if (const char* named = std::getenv("GOBAN_CUFFT")) {
    if (open(named)) return;
    const std::string why = refusal.empty() ? std::string(named) + " cannot be loaded" : refusal;
    refusal = "no Fourier transforms on GPUs (GOBAN_CUFFT: " + why + ")";
    return;
  }
  if (find_cuda_library({"libcufft.so.12", "libcufft.so.11"},
                        [&](const std::filesystem::path& file) { return open(file); })) {
    return;
  }
  const std::string why = refusal.empty() ? "there is no libcufft.so.12 or .11" : refusal;
  const std::string package = driver_version() / 1000 == 12 ? "nvidia-cufft-cu12" : "nvidia-cufft";
  refusal = "no Fourier transforms on GPUs (" + why + "); install them: pip install " + package +
            ", or the CUDA toolkit; GOBAN_CUFFT may name the library";
}

}  // namespace

const std::string& cufft_refusal() { return Cufft::get().refusal; }
const std::string& cufft_version() { return Cufft::get().version; }

CufftPlan::CufftPlan(ElementType type, Index x, Index y, Index planes) : type_(type) {
  const Cufft& cufft = Cufft::get();
  if (!cufft.refusal.empty()) throw Error(ExitCode::resources, cufft.refusal);
  if (is_rehearsal() || x * y == 1) return;
  constexpr const char* what = "planning transforms";
  std::array<long long, 2> cells{y, x};
  const int rank = x == 1 || y == 1 ? 1 : 2;
  if (rank == 1) cells[0] = x * y;
  cufft.check(cufft.create(&plan_), what);
  std::size_t bytes = 0;
  cufft.check(cufft.allocate_itself(plan_, 0), what);
  cufft.check(
      cufft.make(plan_, rank, cells.data(), nullptr, 1, x * y, nullptr, 1, x * y,
                 type == ElementType::float32 ? complex_float : complex_double, planes, &bytes),
      what);
  if (bytes == 0) return;
  scratch_ = allocate(bytes, what);
  cufft.check(cufft.set_scratch(plan_, scratch_), what);
}

CufftPlan::~CufftPlan() {
  if (plan_ >= 0) Cufft::get().destroy(plan_);
  if (scratch_) free_memory(scratch_);
}

void CufftPlan::run(Direction direction, void* values, CUstream stream) const {
  if (plan_ < 0) return;
  const Cufft& cufft = Cufft::get();
  constexpr const char* what = "transforming";
  cufft.check(cufft.set_stream(plan_, stream), what);
  const auto run = type_ == ElementType::float32 ? cufft.run_float : cufft.run_double;
  cufft.check(run(plan_, values, values, static_cast<int>(direction)), what);
}

}  // namespace goban::cuda
