#pragma once
// The sweeps of a program by their own kernels on a few cells that stay in a cache of the core:
// what arithmetic allows, without memory, threads and ghosts.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "goban/backend/cpu/stage_kernel.hpp"
#include "goban/goban.hpp"

namespace goban::benchmarks {

/// Runs the sweeps of a program on fields of floats that stay in cache.
class CellsInCache {
 public:
  /// What lies beyond the ends of the cells.
  enum class Ends { mirror, periodic };

  /// `reach`: of the program's functors, across rows at most.
  CellsInCache(const Program& program, Index3 cells, Ends ends, Index reach = 2)
      : cells_(cells), ends_(ends), reach_(reach) {
    Index floats = 0;
    for (const auto& stage : program.stages()) {
      if (!stage->is_sweep()) continue;
      sweeps_.push_back({stage, {}});
      for (const StageArgument& argument : stage->arguments) {
        const FieldRecord* field = argument.field.get();
        if (field && places_.emplace(field, floats).second) {
          floats += field->components * component();
        }
      }
    }
    const auto bytes = static_cast<std::size_t>(round_up(floats * 4, 4096));
    memory_.reset(static_cast<float*>(std::aligned_alloc(4096, bytes)));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_.get(), 0, bytes);
    for (Sweep& sweep : sweeps_) {
      for (const StageArgument& argument : sweep.stage->arguments) {
        FieldBinding& binding = sweep.fields.emplace_back();
        if (!argument.field) continue;
        binding.write = reinterpret_cast<std::byte*>(cell(argument.field.get(), 0, 0, 0, 0));
        binding.read = binding.write;
        binding.stride = {1, pitch(), plane()};
        binding.component_stride = component();
        binding.clip = Box{{0, 0, 0}, cells_};
      }
    }
  }

  /// Takes over what a field of as many cells holds.
  template <int C>
  void fill(const Field<float, C>& field) {
    const std::vector<float> values = field.copy_out();
    each_cell<C>(*field.record(), [&](float& value, std::size_t n) { value = values[n]; });
    make_ghosts(field.record().get());
  }
  /// The cells of `field` hold what `expected` does.
  template <int C>
  bool holds(const FieldRecord& field, const Field<float, C>& expected) {
    const std::vector<float> values = expected.copy_out();
    bool is_equal = true;
    each_cell<C>(field,
                 [&](float& value, std::size_t n) { is_equal = is_equal && value == values[n]; });
    return is_equal;
  }

  /// One step; ghosts stay as they are.
  void evaluate() {
    for (const Sweep& sweep : sweeps_) evaluate(sweep);
  }
  /// One step with the ghosts that it needs.
  void step() {
    for (const Sweep& sweep : sweeps_) {
      evaluate(sweep);
      for (const auto& [field, place] : places_) make_ghosts(field);
    }
  }

 private:
  static constexpr Index pad = 16;
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  struct Sweep {
    std::shared_ptr<Stage> stage;
    std::vector<FieldBinding> fields;  ///< one per argument
  };

  Index pitch() const { return round_up(cells_[0], pad) + 2 * pad; }
  Index plane() const { return (cells_[1] + 2 * reach_) * pitch(); }
  /// Components do not start at the same place of a page.
  Index component() const { return round_up((cells_[2] + 2 * reach_) * plane(), 1024) + 17 * pad; }
  float* cell(const FieldRecord* field, int component_number, Index i, Index j, Index k) {
    return memory_.get() + places_.at(field) + component_number * component() +
           (k + reach_) * plane() + (j + reach_) * pitch() + i + pad;
  }

  template <int C, class Visit>
  void each_cell(const FieldRecord& field, const Visit& visit) {
    std::size_t n = 0;
    for (int c = 0; c < C; ++c) {
      for (Index k = 0; k < cells_[2]; ++k) {
        for (Index j = 0; j < cells_[1]; ++j) {
          for (Index i = 0; i < cells_[0]; ++i) visit(*cell(&field, c, i, j, k), n++);
        }
      }
    }
  }

  void make_ghosts(const FieldRecord* field) {
    const auto inside = [&](Index i, Index n) {
      return ends_ == Ends::periodic ? (i + n) % n : std::clamp<Index>(i, 0, n - 1);
    };
    for (int c = 0; c < field->components; ++c) {
      for (Index k = -reach_; k < cells_[2] + reach_; ++k) {
        for (Index j = -reach_; j < cells_[1] + reach_; ++j) {
          for (Index i = -reach_; i < cells_[0] + reach_; ++i) {
            *cell(field, c, i, j, k) =
                *cell(field, c, inside(i, cells_[0]), inside(j, cells_[1]), inside(k, cells_[2]));
          }
        }
      }
    }
  }

  void evaluate(const Sweep& sweep) {
    SweepCall call;
    call.fields = sweep.fields.data();
    call.box = call.tile = Box{{0, 0, 0}, cells_};
    cpu::StageRun(cpu::kernel_of(sweep.stage), call, true)(call);
  }

  Index3 cells_;
  Ends ends_;
  Index reach_;
  std::vector<Sweep> sweeps_;
  std::map<const FieldRecord*, Index> places_;  ///< floats from the start
  std::unique_ptr<float, Free> memory_;
};

}  // namespace goban::benchmarks
