#pragma once
// A random program under construction. Families of functors add sweeps to it; it draws which
// fields they work on, which cells they update, and writes down what was drawn.

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "goban/program/program.hpp"
#include "tests/fuzz/field_pool.hpp"
#include "tests/fuzz/random.hpp"

namespace goban::fuzz {

class ProgramDraft;

/// One compile-time kind of functor; adds a sweep with random coefficients on random fields.
struct Family {
  const char* name;
  void (*add)(ProgramDraft&);
};

/// What a program may contain beside sweeps over all cells.
struct Ingredients {
  bool regions_and_masks = false;
  bool reductions = false;
  bool loops = false;
  bool calls = false;
  bool custom_boundaries = false;
};

/// Cells a functor reads beyond those it updates, the most along each axis.
Index3 reach_of(const Stage& stage);

class ProgramDraft {
 public:
  /// Items (sweeps, swaps, loops ...) whose number is in `dropped` are left out; the others are
  /// drawn as if they were there.
  /// `grids`: each coarsened from the one before.
  ProgramDraft(const std::vector<Grid>& grids, std::uint64_t seed, const Ingredients& ingredients,
               std::vector<int> dropped);

  /// As many items, those in loops not counted.
  Program draw(int items);

  int items_drawn() const { return items_; }
  const std::string& text() const { return text_; }
  const std::map<std::string, int>& families() const { return families_; }
  /// Returns the fields of the first grid.
  const FieldPool& pool() const { return pools_.front(); }
  /// Returns the fields of all grids.
  std::vector<std::shared_ptr<FieldRecord>> fields() const;
  const std::vector<Parameter<double>>& parameters() const { return parameters_; }

  // For families: the arguments of the next sweep.

  Random& random() { return *random_; }
  template <class T, int Components = 1, class Layout = ijk>
  const auto& input() {
    return pools_[grid_].input<T, Components, Layout>(random());
  }
  template <class T, int Components = 1, class Layout = ijk>
  const auto& output() {
    return pools_[grid_].output<T, Components, Layout>(random());
  }
  template <class T, class Layout = ijk>
  const auto& input_at(Location location) {
    return pools_[grid_].input_at<T, Layout>(random(), location);
  }
  template <class T, class Layout = ijk>
  const auto& output_at(Location location) {
    return pools_[grid_].output_at<T, Layout>(random(), location);
  }
  // The stage's grid was coarsened from the finer one; the coarser one was coarsened from it.
  bool has_finer() const { return grid_ > 0; }
  bool has_coarser() const { return grid_ + 1 < pools_.size(); }
  template <class T, int Components = 1, class Layout = ijk>
  const auto& finer() {
    return pools_[grid_ - 1].input<T, Components, Layout>(random());
  }
  template <class T, int Components = 1, class Layout = ijk>
  const auto& coarser() {
    return pools_[grid_ + 1].input<T, Components, Layout>(random());
  }
  Parameter<double> parameter();

  /// A coefficient of the functor.
  double number(double low, double high);
  Index whole(Index low, Index high);
  /// Weights whose magnitudes add up to less than 1: values stay bounded.
  template <class T, std::size_t N>
  std::array<T, N> weights() {
    std::array<T, N> w;
    for (auto& one : w) one = static_cast<T>(number(-1, 1) * 0.95 / N);
    return w;
  }

  /// Adds the sweep, unless it reads beyond the grid.
  template <class F, class... Arguments>
  void apply(const F& functor, const Arguments&... arguments) {
    using Layout = typename detail::CommonLayout<typename Arguments::LayoutType...>::type;
    Program trial = *program_;
    StageHandle handle = trial.apply(functor, arguments...);
    finish<Layout>(std::move(trial), handle);
  }
  /// Adds the sweep that pulls a field stored in place, and the swap after it; on the finest grid
  /// alone, for coarser ones have no such fields.
  template <class F>
  void apply_in_place(const F& functor) {
    if (grid_ != 0) return;
    const InPlacePair& pair = pools_[0].in_place(random());
    Program trial = *program_;
    trial.apply(functor, in(pair.field), out(pair.next));
    if (!fits(*trial.stages().back())) return;
    write_down(*trial.stages().back());
    trial.swap(pair.field, pair.next);
    *program_ = std::move(trial);
    is_added_ = true;
  }
  /// Adds a sweep of columns along some axis, if there is one along which they can lie.
  template <class F, class... Arguments>
  void columns(const F& functor, const Arguments&... arguments) {
    using Layout = typename detail::CommonLayout<typename Arguments::LayoutType...>::type;
    std::vector<Axis> axes;
    for (const Axis axis : all_axes) {
      const bool is_fast = index_of(axis) == Layout::order[0];
      if (!is_fast && !grid().state()->is_periodic(index_of(axis))) axes.push_back(axis);
    }
    if (axes.empty()) return;
    Program trial = *program_;
    StageHandle handle = trial.columns(random().one_of(axes), functor, arguments...);
    finish<Layout>(std::move(trial), handle);
  }
  /// The functor returns what is reduced over the owned cells.
  template <class F, class... Inputs>
  void reduce(const F& functor, const Inputs&... inputs) {
    using Layout = typename detail::CommonLayout<typename Inputs::LayoutType...>::type;
    const auto reduction = random().one_of({sum, minimum, maximum});
    const Parameter<double> target = parameter();
    Program trial = *program_;
    StageHandle handle = trial.reduce(functor, inputs..., reduction, into(target));
    finish<Layout>(std::move(trial), handle);
  }

 private:
  template <class Layout>
  void finish(Program trial, StageHandle handle) {
    const Stage& stage = *trial.stages().back();
    if (!fits(stage)) return;
    if (ingredients_.regions_and_masks && random().chance(0.25)) handle.over(draw_region());
    if (ingredients_.regions_and_masks && random().chance(0.25)) {
      handle.where(input<std::uint8_t, 1, Layout>());
    }
    write_down(stage);
    *program_ = std::move(trial);
    is_added_ = true;
  }

  void draw_items(Program& program, int items, bool inside_loop);
  void draw_item(bool inside_loop);
  void draw_sweep(const std::vector<Family>& families);
  void draw_swap(const FieldRecord* preferred);
  void draw_compute();
  void draw_call();
  void draw_loop();
  void draw_until();
  Box draw_region();
  bool fits(const Stage& stage) const;
  void note(const std::string& coefficient);
  void write_down(const Stage& stage);

  const Grid& grid() const { return pools_[grid_].grid(); }

  std::vector<FieldPool> pools_;  ///< of each grid
  std::size_t grid_ = 0;          ///< that the sweep being drawn works on
  std::uint64_t seed_;
  Ingredients ingredients_;
  std::vector<int> dropped_;
  std::vector<Parameter<double>> parameters_;
  int items_ = 0;
  std::string text_, coefficients_;
  const char* family_ = "";
  std::map<std::string, int> families_;
  Random* random_ = nullptr;    ///< of the item being drawn
  Program* program_ = nullptr;  ///< that it is added to
  bool is_added_ = false;
};

/// Adds next = F(u), the weights F::w at random.
template <class F, class T, class Layout>
void add_weighted(ProgramDraft& draft) {
  using Weights = decltype(F{}.w);
  const auto& u = draft.input<T, 1, Layout>();
  const auto& next = draft.output<T, 1, Layout>();
  draft.apply(F{draft.weights<typename Weights::value_type, std::tuple_size_v<Weights>>()}, in(u),
              out(next));
}

}  // namespace goban::fuzz
