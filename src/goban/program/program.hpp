#pragma once
// What one time step does, declared once and analysed before it runs.

#include <tuple>
#include <type_traits>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/program/arguments.hpp"
#include "goban/program/fuse_plan.hpp"
#include "goban/program/samples.hpp"
#include "goban/program/scalar_stage.hpp"
#include "goban/stencil/columns.hpp"

namespace goban {

inline constexpr Reduction sum = Reduction::sum;
inline constexpr Reduction minimum = Reduction::minimum;
inline constexpr Reduction maximum = Reduction::maximum;

namespace detail {

/// A reduction's functor returns a value; as a sweep it writes it to a first, double-valued output.
template <class F>
struct ReturningFunctor {
  F function;
  template <class Result, class... Inputs>
  GOBAN_FUNCTION void operator()(Result result, Inputs... inputs) const {
    result = function(inputs...);
  }
};
using ReductionResult = FieldParameter<Access::out, double, 1>;

}  // namespace detail

/// Limits a sweep to part of the grid; returned by Program::apply, fuse and reduce.
class StageHandle {
 public:
  explicit StageHandle(Stage& stage) : stage_(&stage) {}
  StageHandle& name(const std::string& name) {
    stage_->name = name;
    return *this;
  }
  /// Only the cells of this global box; others keep their values. What of the box lies beyond the
  /// grid counts for nothing.
  StageHandle& over(const Box& region) {
    stage_->region = region;
    return *this;
  }
  /// Only cells whose mask is not zero; others keep their values.
  template <class Layout>
  StageHandle& where(const Field<std::uint8_t, 1, Layout>& mask) {
    stage_->mask = mask.record();
    return *this;
  }

 private:
  Stage* stage_;
};

class Program {
 public:
  explicit Program(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  const std::vector<std::shared_ptr<Stage>>& stages() const { return stages_; }
  /// A stage that has been made elsewhere, as the calls below make them.
  Stage& add(std::shared_ptr<Stage> stage);

  /// One sweep of the functor over the grid; arguments map one to one to its parameters.
  template <class F, class... Arguments>
  requires(ProgramArgument<Arguments>&&...) StageHandle
      apply(F functor, const Arguments&... arguments) {
    using Layout = detail::CommonLayout<typename Arguments::LayoutType...>;
    static_assert(Layout::agree, "goban: the fields of one apply must share a layout");
    static_assert((!is_scratch<typename Arguments::Description> && ...),
                  "goban: scratch belongs to columns");
    detail::check_callable<F, typename Arguments::Description...>();
    return StageHandle(add(sweep(record<typename Arguments::Description...>(functor),
                                 type_name(typeid(F)), {arguments.argument()...})));
  }
  template <class F, class... Arguments>
  requires(!(ProgramArgument<Arguments> && ...)) StageHandle apply(F, const Arguments&...) {
    static_assert(!sizeof(F),
                  "goban: apply takes fields as in(u), out(u) or inout(u), numbers as param(p), "
                  "and site");
    return StageHandle(*stages_.back());
  }

  /// Sweeps columns along an axis, level after level: forward() of the functor from the first to
  /// the last, then backward() back; see stencil/columns.hpp. Functors read neighbours of fields as
  /// anywhere, along the axis, too, but those they write at the level at hand alone.
  ///   step.columns(Axis::z, Thomas{}, in(a), in(b), in(c), in(d), out(x), scratch<double, 2>);
  /// No decomposition cuts the axis. Columns lie side by side in memory: the axis is not the one
  /// that is fastest there (x; z with layout kij), and it has two ends: it is not periodic. Errors
  /// (ExitCode::usage).
  template <class F, class... Arguments>
  requires(ProgramArgument<Arguments>&&...) StageHandle
      columns(Axis axis, F functor, const Arguments&... arguments) {
    using Layout = detail::CommonLayout<typename Arguments::LayoutType...>;
    static_assert(Layout::agree, "goban: the fields of one stage must share a layout");
    detail::check_columns<F, typename Arguments::Description...>();
    return StageHandle(add(column_stage<F, Layout, typename Arguments::Description...>(
        axis, functor, type_name(typeid(F)), {arguments.argument()...})));
  }

  /// One sweep of functors that follow each other. Where a later one reads what an earlier one
  /// writes, the earlier one is evaluated again at the cell that is read: arithmetic instead of a
  /// way through memory. Results have the bits of as many stages of apply.
  ///   Field<float, 2> flux(grid, "flux");         // or Intermediate<float, 2>: not stored at all
  ///   step.fuse(
  ///       [&](auto u, auto flux, auto next) {
  ///         return stages(stage(Flux{}, in(u), out(flux)),
  ///                       stage(Divergence{r}, in(u), in(flux), out(next)));
  ///       },
  ///       u, flux, next);
  /// The function gets a name for each argument that follows it (fields, intermediates, site,
  /// param(p)) and lists the stages as apply would have them; it is called here, once.
  /// What is made again needs boundary conditions: periodic ones come by themselves, and constant
  /// ones with walled(flux) for flux. Other ones are refused where they matter, as is a region or a
  /// mask if stages would read old values outside; errors (ExitCode::usage) come when an engine is
  /// made.
  template <class List, class... Arguments>
  requires(detail::is_fuse_argument<Arguments>&&...) StageHandle
      fuse(const List& list, const Arguments&... arguments) {
    return [&]<int... I>(std::integer_sequence<int, I...>) {
      return fuse_stages(list(FuseArgument<I>{}...), arguments...);
    }
    (std::make_integer_sequence<int, sizeof...(Arguments)>{});
  }

  template <class List, class... Arguments>
  requires(!(detail::is_fuse_argument<Arguments> && ...)) StageHandle
      fuse(const List&, const Arguments&...) {
    static_assert(!sizeof(List),
                  "goban: fuse takes fields as they are, in(u) and out(u) stand in its stages; "
                  "numbers as param(p), and site");
    return StageHandle(*stages_.back());
  }

  /// target = sum | minimum | maximum over the owned cells of what the functor returns, computed in
  /// double; sums are exact, so they do not depend on the decomposition. Where a NaN is among the
  /// values, each of the three is NaN.
  template <class F, class... Rest>
  requires(detail::are_of_a_reduction<Rest...>()) StageHandle
      reduce(F functor, const Rest&... rest) {
    return reduce_from(functor, std::make_index_sequence<sizeof...(Rest) - 2>{},
                       std::tuple<const Rest&...>(rest...));
  }
  template <class F, class... Rest>
  requires(!detail::are_of_a_reduction<Rest...>()) StageHandle reduce(F, const Rest&...) {
    static_assert(!sizeof(F),
                  "goban: reduce takes a functor and its arguments, as apply does, then sum, "
                  "minimum or maximum, then into(p)");
    return StageHandle(*stages_.back());
  }

  /// Afterwards each name stands for what the other stood for; no data moves.
  template <class T, int C, class L>
  Program& swap(const Field<T, C, L>& a, const Field<T, C, L>& b) {
    return rotate(a, b);
  }
  /// Afterwards the first name stands for what the second stood for, and so on, the last for the
  /// first.
  template <class T, int C, class L, class... More>
  Program& rotate(const Field<T, C, L>& first, const More&... more) {
    static_assert((std::is_same_v<Field<T, C, L>, More> && ...),
                  "goban: fields that are swapped must have the same type");
    auto stage = std::make_shared<Stage>();
    stage->kind = Stage::Kind::permute;
    stage->names = {first.record(), more.record()...};
    stage->grid = first.grid();
    add(std::move(stage));
    return *this;
  }

  /// A scalar stage: the function gets a value for each in(p), a reference for out(p), inout(p).
  /// One that holds nothing and takes numbers of any type is recorded, as functors of sweeps are,
  /// so that devices can compute it without the host; the host evaluates what was recorded:
  ///   step.compute([](auto a, auto b, auto& c) { c = select(b != 0, a / b, 0); }, in(a), in(b),
  ///                out(c));
  template <class F, class... Arguments>
  requires(detail::is_parameter_argument<Arguments>&&...) Program& compute(
      F function, const Arguments&... parameters) {
    auto stage = detail::scalar_stage({parameters.parameter.record()...}, {parameters.access...});
    if constexpr (detail::RecordableScalar<F, typename Arguments::Description::Value...>) {
      stage->as_sweep = detail::scalar_as_sweep<F, typename Arguments::Description::Value...>(
          stage->name, {parameters.access...});
    }
    if (stage->as_sweep) {
      stage->function = detail::scalar_function(stage->as_sweep, stage->parameters);
    } else {
      stage->function = [function, tuple = std::make_tuple(parameters...)] {
        std::apply(
            [&](const auto&... p) {
              auto values = std::make_tuple(p.parameter.value()...);
              std::apply([&](auto&... v) { function(v...); }, values);
              std::apply([&](auto&... v) { (p.store(v), ...); }, values);
            },
            tuple);
      };
    }
    add(std::move(stage));
    return *this;
  }

  template <class F, class... Arguments>
  requires(!(detail::is_parameter_argument<Arguments> &&
             ...)) Program& compute(F, const Arguments&...) {
    static_assert(!sizeof(F), "goban: compute takes parameters as in(p), out(p) or inout(p)");
    return *this;
  }

  /// The function gets the values of parameters and throws if something is wrong with them. The
  /// host calls it as soon as it knows them: where a device repeats steps by itself, after some of
  /// them, so that a number that tells of something wrong has to keep it.
  template <class F, class... Values>
  Program& verify(F function, const Parameter<Values>&... parameters) {
    auto stage = detail::scalar_stage({parameters.record()...}, {in(parameters).access...});
    stage->function = [=] { function(parameters.value()...); };
    stage->is_check = true;
    add(std::move(stage));
    return *this;
  }

  /// From here on in every step the parameter is what the function makes of the simulated time of
  /// the step: step.follow(wind, [](double time) { return std::sin(time); }).
  template <class T, class F>
  Program& follow(const Parameter<T>& parameter, F function) {
    static_assert(std::is_invocable_r_v<double, const F&, double>,
                  "goban: follow takes a parameter and a function that makes a number of a time");
    auto stage = std::make_shared<Stage>();
    stage->kind = Stage::Kind::compute;
    stage->name = "follow";
    stage->parameters = {parameter.record()};
    stage->parameter_access = {Access::out};
    stage->timed_function = [function, record = parameter.record()](double time) {
      record->value = static_cast<double>(static_cast<T>(function(time)));
    };
    add(std::move(stage));
    return *this;
  }

  /// A host function between sweeps; it sees complete fields through their own access functions.
  template <class... Reads, class... Writes>
  Program& call(std::function<void()> function, const std::tuple<Reads...>& reads,
                const std::tuple<Writes...>& writes) {
    auto stage = std::make_shared<Stage>();
    stage->kind = Stage::Kind::call;
    stage->name = "call";
    stage->function = std::move(function);
    stage->reads = std::apply([](auto&... f) { return records(f...); }, reads);
    stage->writes = std::apply([](auto&... f) { return records(f...); }, writes);
    add(std::move(stage));
    return *this;
  }

  /// A function that works on memory of fields where it lies, for each patch of this rank: kernels
  /// and libraries of others. It gets a DeviceView of each field, of const values for those that it
  /// reads: step.call_on_device([](auto u, auto next) { ... }, std::tie(u), std::tie(next)). On a
  /// GPU it puts its work into u.stream, in which that of the stages before and after is, too, and
  /// returns; nobody waits, if that is the only GPU. On a CPU it does its work. All fields are of
  /// one grid.
  template <class F, class... Reads, class... Writes>
  Program& call_on_device(F function, const std::tuple<Reads...>& reads,
                          const std::tuple<Writes...>& writes) {
    const auto viewed = [](ViewAccess access) {
      return [access](auto&... f) { return std::vector<ViewedField>{{f.record(), access}...}; };
    };
    std::vector<ViewedField> fields = std::apply(viewed(ViewAccess::read), reads);
    const auto written = std::apply(viewed(ViewAccess::write), writes);
    fields.insert(fields.end(), written.begin(), written.end());
    const auto grid = std::get<0>(std::tuple_cat(reads, writes)).grid();
    return call_on_device(grid, std::move(fields), [=](std::span<const MemoryView> views) mutable {
      auto next = [&, n = std::size_t{0}]() mutable -> const MemoryView& { return views[n++]; };
      std::apply(function,
                 std::tuple{DeviceView<const typename std::decay_t<Reads>::Element>(next())...,
                            DeviceView<typename std::decay_t<Writes>::Element>(next())...});
    });
  }
  /// The same of fields of any types; all are of the family of the grid.
  Program& call_on_device(const std::shared_ptr<GridState>& grid, std::vector<ViewedField> fields,
                          DeviceFunction function);

  /// Takes the values of these cells, as they are between the stages before and after: they stay
  /// with whoever computes them, several steps of them, and come to the host together.
  Program& sample(const std::shared_ptr<Samples>& samples);

  Program& repeat(Index times, const Program& body);
  /// Runs `body` until the condition holds: before the first step and after every `check_every` of
  /// them `check` runs, which sets the parameter, then the condition is evaluated. Error
  /// (ExitCode::diverged) when it does not hold after `limit` steps, or the parameter is NaN.
  Program& until(Condition condition, Index check_every, Index limit, const Program& body,
                 const Program& check);

  /// Checks what a column stage does, and keeps the axis of its grid whole.
  static void prepare_columns(const Stage& stage, Axis unit);

 private:
  static std::shared_ptr<Stage> sweep(const RecordedFunctor& recorded, const std::string& name,
                                      std::vector<StageArgument> arguments);

  template <class F, class Layout, class... Descriptions>
  static std::shared_ptr<Stage> column_stage(Axis axis, const F& functor, const std::string& name,
                                             std::vector<StageArgument> arguments) {
    constexpr auto unit = static_cast<Axis>(Layout::type::order[0]);
    auto stage = std::make_shared<Stage>();
    auto recorded = record_columns<Descriptions...>(functor);
    stage->footprint = recorded.whole;
    stage->graph = recorded.backward.graph ? recorded.backward.graph : recorded.forward.graph;
    stage->columns = {axis, std::move(recorded.forward), std::move(recorded.backward)};
    stage->name = name;
    stage->arguments = std::move(arguments);
    prepare_columns(*stage, unit);
    return stage;
  }

  template <class... F, class... Arguments>
  StageHandle fuse_stages(const std::tuple<F...>& stages, const Arguments&... arguments) {
    using Plan = detail::FusePlan<std::tuple<Arguments...>, std::tuple<F...>>;
    Plan::check();
    static_assert(Plan::Layout::agree, "goban: the fields of one fuse must share a layout");
    return StageHandle(
        add(Plan::stage(stages, {type_name(typeid(typename F::Functor))...}, arguments...)));
  }

  template <class F, std::size_t... I, class Tuple>
  StageHandle reduce_from(F functor, std::index_sequence<I...>, const Tuple& all) {
    constexpr std::size_t inputs = sizeof...(I);
    using Layout = detail::CommonLayout<
        typename std::remove_cvref_t<std::tuple_element_t<I, Tuple>>::LayoutType...>;
    static_assert(Layout::agree, "goban: the fields of one reduce must share a layout");
    using Functor = detail::ReturningFunctor<F>;
    detail::check_callable<
        F, typename std::remove_cvref_t<std::tuple_element_t<I, Tuple>>::Description...>();
    const Functor returning{functor};
    auto stage =
        sweep(record<detail::ReductionResult,
                     typename std::remove_cvref_t<std::tuple_element_t<I, Tuple>>::Description...>(
                  returning),
              type_name(typeid(F)),
              {StageArgument{StageArgument::Kind::value, Access::out, nullptr, nullptr, nullptr},
               std::get<I>(all).argument()...});
    stage->kind = Stage::Kind::reduce;
    stage->reduction = std::get<inputs>(all);
    stage->target = std::get<inputs + 1>(all).parameter.record();
    return StageHandle(add(std::move(stage)));
  }

  template <class... Fields>
  static std::vector<std::shared_ptr<FieldRecord>> records(const Fields&... fields) {
    return {fields.record()...};
  }

  static std::string type_name(const std::type_info& type);

  std::string name_;
  std::vector<std::shared_ptr<Stage>> stages_;
};

}  // namespace goban
