#include "goban/solver/real_transform.hpp"

#include <cmath>
#include <mutex>
#include <numbers>
#include <string>

#include "goban/base/aligned_memory.hpp"
#include "goban/base/error.hpp"
#include "goban/base/found_library.hpp"

namespace goban {
namespace {

/// What FFTW's header declares, as far as it is needed here; stable since 3.0.
struct Dimension {
  int n, stride_in, stride_out;
};
struct Fftw {
  void* (*plan)(int rank, const Dimension* axes, int count_rank, const Dimension* counts,
                double* in, double* out, const int* kinds, unsigned flags) = nullptr;
  void (*run)(const void* plan, double* in, double* out) = nullptr;
  void (*destroy)(void* plan) = nullptr;
  std::string refusal;

  Fftw() {
    FoundLibrary library({"libfftw3.so.3"}, "GOBAN_FFTW");
    library.find(plan, "fftw_plan_guru_r2r");
    library.find(run, "fftw_execute_r2r");
    library.find(destroy, "fftw_destroy_plan");
    refusal = library.refusal();
  }
};

const Fftw& fftw() {
  static const Fftw library;
  if (!library.refusal.empty()) {
    throw Error(ExitCode::resources, "Fourier transforms are not available", library.refusal,
                "install libfftw3-double3, or choose another solver");
  }
  return library;
}

/// The plan that FFTW takes without trying some, whose bits would be those of chance.
constexpr unsigned estimate = 1u << 6;
std::mutex planning;  // FFTW plans for one thread at a time

/// FFTW's number of the transform back.
int back(Waves waves) {
  switch (waves) {
    case Waves::periodic: return 1;  // HC2R
    case Waves::even: return 4;      // REDFT01
    case Waves::odd: return 8;       // RODFT01
    default: return static_cast<int>(waves);
  }
}

}  // namespace

void require_transforms() { fftw(); }

Waves waves_between(const BoundaryCondition& low, const BoundaryCondition& high) {
  using Kind = BoundaryCondition::Kind;
  if (low.kind == Kind::periodic) return Waves::periodic;
  const auto is_odd = [](const BoundaryCondition& side) {
    require(side.kind != Kind::constant && side.kind != Kind::custom && !side.varying,
            "a Fourier solver refuses a boundary condition",
            side.varying ? "it varies" : "no waves fulfil it, being constant or custom",
            "use wall_value, gradient, mirror or periodic, or multigrid");
    return side.kind == Kind::wall_value;
  };
  if (is_odd(low)) return is_odd(high) ? Waves::odd : Waves::odd_even;
  return is_odd(high) ? Waves::even_odd : Waves::even;
}

double second_difference(Waves waves, Index cells, Index place) {
  const auto half_angle = [&](double halves) {
    return std::numbers::pi * halves / (2 * static_cast<double>(cells));
  };
  const auto n = static_cast<double>(place);
  const double angle = [&] {
    switch (waves) {
      case Waves::periodic:
        return half_angle(2 * static_cast<double>(std::min(place, cells - place)));
      case Waves::even: return half_angle(n);
      case Waves::odd: return half_angle(n + 1);
      default: return half_angle(n + 0.5);
    }
  }();
  const double sine = 2 * std::sin(angle);
  return -sine * sine;
}

double size_of(Waves waves, Index cells) {
  return static_cast<double>(waves == Waves::periodic ? cells : 2 * cells);
}

RealTransform::RealTransform(const std::vector<Axis>& axes, Index count, Direction direction,
                             double* memory) {
  std::vector<Dimension> dimensions;
  std::vector<int> kinds;
  for (const Axis& axis : axes) {
    const int stride = static_cast<int>(axis.stride);
    dimensions.push_back({static_cast<int>(axis.cells), stride, stride});
    kinds.push_back(direction == Direction::to_waves ? static_cast<int>(axis.waves)
                                                     : back(axis.waves));
  }
  const Dimension neighbours{static_cast<int>(count), 1, 1};
  const std::lock_guard lock(planning);
  void* const plan = fftw().plan(static_cast<int>(axes.size()), dimensions.data(), 1, &neighbours,
                                 memory, memory, kinds.data(), estimate);
  if (plan == nullptr) throw Error(ExitCode::resources, "FFTW has no plan for a transform");
  plan_ = std::shared_ptr<void>(plan, [](void* it) {
    const std::lock_guard lock(planning);
    fftw().destroy(it);
  });
}

void RealTransform::run(double* values) const { fftw().run(plan_.get(), values, values); }

std::shared_ptr<double[]> transform_memory(Index count) {
  const auto size = static_cast<std::size_t>(count);
  std::shared_ptr<std::byte> memory = aligned_memory(size * sizeof(double), 64);
  auto* const values = reinterpret_cast<double*>(memory.get());
  std::fill_n(values, size, 0.0);
  return {std::move(memory), values};
}

}  // namespace goban
