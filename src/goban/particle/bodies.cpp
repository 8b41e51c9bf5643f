#include "goban/particle/bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "goban/domain/ranks/rank_reductions.hpp"
#include "goban/particle/body_array.hpp"
#include "goban/particle/body_outline.hpp"
#include "goban/particle/body_output.hpp"
#include "goban/particle/inside.hpp"

namespace goban {
namespace {

/// Nodes of a region inside of a body.
Index nodes_inside(const device::BodyState& body, const BodyShape& shape, const Box& region,
                   const FluidNodes& nodes) {
  Index count = 0;
  visit_nodes_inside(body, shape, [&](Index3 node) {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto n = static_cast<Index>(nodes.period()[a]);
      if (n > 0) node[a] = (node[a] + n) % n;
    }
    count += region.contains(node) ? 1 : 0;
  });
  return count;
}

}  // namespace

Bodies::Bodies(const Grid& grid, BodyOptions options)
    : nodes_(std::make_shared<FluidNodes>(grid.state())),
      population_(std::make_shared<Population>(nodes_, std::move(options))) {
  require(grid.state()->number == 0, "bodies on a coarser grid are refused",
          "they live on the finest of a family");
}

Bodies& Bodies::place(const std::vector<Body>& bodies) {
  return place(static_cast<Index>(bodies.size()),
               [&](Index id) { return bodies[static_cast<std::size_t>(id)]; });
}

Bodies& Bodies::place(Index count, const std::function<Body(Index id)>& body) {
  if (nodes_->is_on_paper()) return *this;
  population_->place(count, body);
  return *this;
}

Bodies& Bodies::recirculate(std::vector<BodyOpening> openings) {
  openings_ = std::move(openings);
  return *this;
}

void Bodies::count_steps(Program& step) const {
  if (!openings_.empty()) step.compute([](double& steps) { steps += 1; }, inout(steps_));
}

std::function<void()> Bodies::coupling(CoupledFields fields) const {
  const auto& family = nodes_->grid()->root->fields;
  for (const auto& field : {fields.velocity, fields.force, fields.solid}) {
    const bool is_there = std::find(family.begin(), family.end(), field) != family.end();
    require(!field || (is_there && field->grid == nodes_->grid()->number &&
                       field->location == Location::cell),
            fmt::format("field '{}' does not couple to bodies", field ? field->name : ""),
            "its values must lie at the cells of their grid");
  }
  const auto values = std::make_shared<NodeValues>(nodes_, std::move(fields));
  return StatefulCall{
      [population = population_, values, openings = openings_, steps = steps_,
       between_looks = static_cast<double>(steps_between_looks(openings_))] {
        population->step(*values);
        const bool looks = !openings.empty() && std::fmod(steps.value(), between_looks) == 0;
        if (looks) goban::recirculate(*population, openings);
      },
      [population = population_] { return std::vector<CheckpointArray>{array_of(population)}; }};
}

Index Bodies::count() const { return population_->count(); }
const FixedUnits& Bodies::units() const { return population_->units(); }

std::vector<Body> Bodies::all() const {
  std::vector<Body> all;
  for (const device::BodyState& state : population_->collect(0, count())) {
    all.push_back(body_of(state));
  }
  return all;
}

double Bodies::hematocrit(const Box& region) const {
  require(!region.empty(), "a hematocrit is refused",
          fmt::format("the box {} has no nodes", to_string(region)));
  const std::vector<device::BodyState>& own = population_->own();
  std::atomic<Index> all = 0;
  nodes_->parallel(static_cast<Index>(own.size()), [&](Index begin, Index end) {
    Index some = 0;
    for (auto n = static_cast<std::size_t>(begin); n < static_cast<std::size_t>(end); ++n) {
      const auto shape = static_cast<std::size_t>(own[n].shape);
      some += nodes_inside(own[n], population_->options().shapes[shape], region, *nodes_);
    }
    all += some;
  });
  std::array<std::uint64_t, 1> inside{static_cast<std::uint64_t>(all.load())};
  nodes_->communicator().sum(inside);
  return static_cast<double>(inside[0]) / static_cast<double>(nodes_->count(region));
}

double Bodies::hematocrit() const { return hematocrit({{0, 0, 0}, nodes_->grid()->box_cells()}); }

Real3 Bodies::transport(const Box& region) const {
  std::array<ExactSum, 3> sums;
  for (const device::BodyState& body : population_->own()) {
    Index3 node{};
    for (std::size_t a = 0; a < 3; ++a) node[a] = device::floor_of(body.position[a]);
    if (!region.contains(node)) continue;
    const auto shape = static_cast<std::size_t>(body.shape);
    const double volume = population_->options().shapes[shape].volume();
    for (std::size_t a = 0; a < 3; ++a) sums[a].add(volume * body.velocity[a]);
  }
  Real3 transport{};
  for (std::size_t a = 0; a < 3; ++a) {
    sum_over_ranks(nodes_->communicator(), sums[a]);
    transport[a] = sums[a].value();
  }
  return transport;
}

std::vector<Polyline> Bodies::outlines(Axis axis, double position) const {
  const GridState& grid = *nodes_->grid();
  const auto normal = static_cast<std::size_t>(index_of(axis));
  const double at = (position - grid.origin[normal]) / grid.spacing[normal];
  const bool is_first = nodes_->communicator().rank() == 0;
  std::vector<Polyline> all;
  for (const device::BodyState& body : population_->collect(0, is_first ? count() : 0)) {
    const BodyShape& shape = population_->options().shapes[static_cast<std::size_t>(body.shape)];
    for (Polyline& line : outlines_of(body, shape, axis, at, nodes_->period())) {
      for (Point& p : line) {
        const std::size_t across = normal == 0 ? 1 : 0, up = normal == 2 ? 1 : 2;
        p = {grid.origin[across] + grid.spacing[across] * p.x,
             grid.origin[up] + grid.spacing[up] * p.y};
      }
      all.push_back(std::move(line));
    }
  }
  return all;
}

Real3 Bodies::momentum() const {
  Real3 momentum{};
  for (std::size_t a = 0; a < 3; ++a) {
    ExactSum sum;
    for (const device::BodyState& body : population_->own()) {
      const auto shape = static_cast<std::size_t>(body.shape);
      sum.add(population_->options().shapes[shape].mass() * body.velocity[a]);
    }
    sum_over_ranks(nodes_->communicator(), sum);
    momentum[a] = sum.value();
  }
  return momentum;
}

std::vector<Column> Bodies::columns() const {
  std::vector<Column> columns;
  for (std::size_t a = 0; a < 3; ++a) {
    columns.emplace_back(fmt::format("momentum of bodies along {}", "xyz"[a]), "",
                         [bodies = *this, a] { return bodies.momentum()[a]; });
  }
  columns.emplace_back("largest speed of a body", "", [bodies = *this] {
    double most = 0;
    for (const device::BodyState& body : bodies.population_->own()) {
      const double* const v = body.velocity;
      most = std::max(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    return -minimum_of_ranks(bodies.nodes_->communicator(), -std::sqrt(most));
  });
  return columns;
}

double Bodies::share() const {
  return -minimum_of_ranks(nodes_->communicator(), -population_->share());
}

Column Bodies::hematocrit_in(const Box& region) const {
  return {fmt::format("hematocrit in {}", to_string(region)), "",
          [bodies = *this, region] { return bodies.hematocrit(region); }};
}

std::unique_ptr<SimulationOutput> Bodies::output(When when) const {
  return std::make_unique<BodyOutput>(population_, std::move(when));
}

}  // namespace goban
