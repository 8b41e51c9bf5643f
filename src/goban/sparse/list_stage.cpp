#include "goban/sparse/list_stage.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>

#include "goban/base/error.hpp"
#include "goban/boundary/ghost_formula.hpp"
#include "goban/stencil/graph/graph.hpp"

namespace goban {
namespace {

using Offset = std::array<int, 3>;
using Kind = BoundaryCondition::Kind;

std::int64_t bits_of(const GraphType& type, double value) {
  if (type.kind != GraphType::Kind::floating) {
    const auto number = static_cast<std::int64_t>(value);
    return type.bytes == 1 ? static_cast<std::uint8_t>(number) : number;
  }
  if (type.bytes == 8) return std::bit_cast<std::int64_t>(value);
  return std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

Offset opposite(const Offset& o) { return {-o[0], -o[1], -o[2]}; }

/// The component of a field that a functor reads at the opposite offset; none, or several: -1.
int opposite_component(const Footprint& footprint, const Read& read) {
  int found = -1;
  for (const Read& other : footprint.reads) {
    if (other.parameter != read.parameter || other.offset != opposite(read.offset)) continue;
    if (found >= 0) return -1;
    found = other.component;
  }
  return found;
}

/// Faces beyond which an offset may lead, 0 for cells within the box that are not active.
std::vector<int> faces_of(const GridState& grid, const Offset& offset) {
  std::vector<int> faces{0};
  for (int a = 0; a < 3; ++a) {
    const int along = offset[static_cast<std::size_t>(a)];
    if (along != 0 && !grid.is_box_periodic(a)) faces.push_back(1 + 2 * a + (along < 0 ? 0 : 1));
  }
  return faces;
}

const BoundaryCondition& condition_at(const FieldRecord& field, int component, int face) {
  if (face == 0) return field.inactive;
  return field.faces[static_cast<std::size_t>(component)]
      .sides[static_cast<std::size_t>((face - 1) / 2)][static_cast<std::size_t>((face - 1) % 2)];
}

/// Along the axis of the face; of inactive cells that of the offset, of which the longest counts.
double distance_to(const GridState& grid, const Offset& offset, int face) {
  const auto along = [&](std::size_t a) { return std::abs(offset[a]) * grid.spacing[a]; };
  if (face > 0) return along(static_cast<std::size_t>((face - 1) / 2));
  return std::max({along(0), along(1), along(2)});
}

class OnList {
 public:
  OnList(const Stage& stage, const ListTables& tables)
      : stage_(stage),
        tables_(tables),
        grid_(grid_of(stage)),
        its_(std::make_shared<Stage>(stage)),
        neighbors_(add(tables.neighbors)),
        places_(add(tables.places)) {}

  std::shared_ptr<Stage> stage() {
    if (tables_.region) {
      its_->mask = tables_.region;
      its_->region.reset();
    }
    its_->list_ghosts = tables_.ghosts;
    its_->footprint.reads.clear();
    for (const Read& read : stage_.footprint.reads) {
      if (read.offset != Offset{})
        its_->list_reads.push_back({read.parameter, read.component, read.offset});
    }
    for (std::size_t n = 0; n < stage_.graph->nodes().size(); ++n) {
      numbers_.push_back(node(stage_.graph->nodes()[n]));
    }
    add_paths(0, {});
    note_reads();
    its_->graph = std::make_shared<const Graph>(std::move(graph_));
    return its_;
  }

 private:
  /// The number of a parameter that the functor does not know.
  int add(const std::shared_ptr<FieldRecord>& table) {
    if (!table) return -1;
    its_->arguments.push_back({StageArgument::Kind::field, Access::in, table, grid_, nullptr});
    its_->footprint.parameters.push_back(
        {ParameterDescription::Kind::field, Access::in, table->type, table->components});
    return static_cast<int>(its_->arguments.size()) - 1;
  }

  int read(int parameter, std::int64_t component, const GraphType& type) {
    return graph_.add({GraphOp::read, type, {-1, -1, -1}, {parameter, component}});
  }
  int constant(GraphType type, double value) {
    type.varies = false;
    return graph_.add({GraphOp::constant, type, {-1, -1, -1}, {bits_of(type, value)}});
  }

  int node(GraphNode node) {
    for (int& operand : node.operands) {
      if (operand >= 0) operand = numbers_[static_cast<std::size_t>(operand)];
    }
    switch (node.op) {
      case GraphOp::read: return value_there(node);
      case GraphOp::index: return read(places_, node.data[0], node.type);
      case GraphOp::position: return position(node);
      default: return graph_.add(node);
    }
  }

  /// See position_at().
  int position(const GraphNode& node) {
    const auto a = static_cast<std::size_t>(node.data[0]);
    const int index = read(places_, node.data[0], GraphType::of<std::int32_t>(true));
    const int counted = graph_.add({GraphOp::convert, node.type, {index, -1, -1}});
    const int along = graph_.add(
        {GraphOp::multiply, node.type, {constant(node.type, grid_->spacing[a]), counted, -1}});
    const double origin = grid_->origin[a] + 0.5 * grid_->spacing[a];
    return graph_.add({GraphOp::add, node.type, {constant(node.type, origin), along, -1}});
  }

  int value_there(const GraphNode& node) {
    const Read what{static_cast<int>(node.data[0]),
                    static_cast<int>(node.data[1]),
                    {static_cast<int>(node.data[2]), static_cast<int>(node.data[3]),
                     static_cast<int>(node.data[4])}};
    if (what.offset == Offset{}) return graph_.add(node);
    const FieldRecord& field = *stage_.arguments[static_cast<std::size_t>(what.parameter)].field;
    const auto slot = std::find(tables_.offsets.begin(), tables_.offsets.end(), what.offset) -
                      tables_.offsets.begin();
    const int there = graph_.add({GraphOp::neighbor,
                                  GraphType::of<std::int32_t>(true),
                                  {-1, -1, -1},
                                  {neighbors_, slot, std::ssize(tables_.offsets)}});
    const auto faces = faces_of(*grid_, what.offset);
    const bool bounces = std::any_of(faces.begin(), faces.end(), [&](int face) {
      return condition_at(field, what.component, face).kind == Kind::bounce_back;
    });
    const int at_wall = bounces ? opposite_component(stage_.footprint, what) : what.component;
    int value = graph_.add(
        {GraphOp::gather, node.type, {there, -1, -1}, {what.parameter, what.component, at_wall}});
    const Kind natural = bounces ? Kind::bounce_back : Kind::mirror;
    for (const int face : faces) {
      const BoundaryCondition& condition = condition_at(field, what.component, face);
      if (condition.kind == natural) continue;
      const GraphType entry = GraphType::of<std::int32_t>(true);
      const int wall = constant(entry, faces.size() == 1 ? 0 : list_wall(face));
      const int is_wall = graph_.add({faces.size() == 1 ? GraphOp::less : GraphOp::equal,
                                      GraphType::mask(4, true),
                                      {there, wall, -1}});
      const int its =
          value_at_wall(node.type, field, what, condition, distance_to(*grid_, what.offset, face));
      value = graph_.add({GraphOp::select, node.type, {is_wall, its, value}});
    }
    return value;
  }

  /// As ghosts of boxes are made, in the arithmetic of the field.
  int value_at_wall(const GraphType& type, const FieldRecord& field, const Read& what,
                    const BoundaryCondition& condition, double distance) {
    const bool is_half = field.type == ElementType::half;
    const GhostFormula ghost = ghost_formula(condition.kind, condition.value, distance);
    if (ghost.form == GhostFormula::Form::number) {
      const half stored(static_cast<float>(ghost.number));
      return constant(type,
                      is_half ? static_cast<double>(static_cast<float>(stored)) : ghost.number);
    }
    const int own = read(what.parameter, what.component, type);
    if (ghost.form == GhostFormula::Form::inside) return own;
    const bool is_difference = ghost.form == GhostFormula::Form::number_minus_inside;
    const int number = constant(type, ghost.number);
    const int made =
        graph_.add(is_difference ? GraphNode{GraphOp::subtract, type, {number, own, -1}}
                                 : GraphNode{GraphOp::add, type, {own, number, -1}});
    return is_half ? graph_.add({GraphOp::stored_as_half, type, {made, -1, -1}}) : made;
  }

  void add_paths(int at, std::vector<GraphDecision> decisions) {
    const Graph::Branch& branch = stage_.graph->branches()[static_cast<std::size_t>(at)];
    const auto here = [&](int n) { return n < 0 ? n : numbers_[static_cast<std::size_t>(n)]; };
    if (branch.condition < 0) {
      std::vector<int> outputs;
      for (const int output : branch.outputs) outputs.push_back(here(output));
      return graph_.add_path(decisions, outputs);
    }
    for (const bool outcome : {false, true}) {
      if (branch.next[outcome] < 0) continue;
      auto longer = decisions;
      longer.push_back({here(branch.condition), outcome});
      add_paths(branch.next[outcome], longer);
    }
  }

  /// Notes what the stage reads for its results: all of it at the cell itself.
  void note_reads() {
    std::set<Read> reads;
    std::vector<int> roots;
    for (const Graph::Branch& branch : graph_.branches()) {
      roots.push_back(branch.condition);
      roots.insert(roots.end(), branch.outputs.begin(), branch.outputs.end());
    }
    for (const int n : graph_.needed_for(roots)) {
      const GraphNode& node = graph_.node(n);
      const auto parameter = static_cast<int>(node.data[0]);
      if (node.op == GraphOp::neighbor) {
        for (int c = 0; c < tables_.neighbors->components; ++c) reads.insert({parameter, c, {}});
      }
      if (node.op != GraphOp::read && node.op != GraphOp::gather) continue;
      reads.insert({parameter, static_cast<int>(node.data[1]), {}});
      if (node.op == GraphOp::gather) reads.insert({parameter, static_cast<int>(node.data[2]), {}});
    }
    its_->footprint.reads.assign(reads.begin(), reads.end());
  }

  const Stage& stage_;
  const ListTables& tables_;
  std::shared_ptr<GridState> grid_;
  std::shared_ptr<Stage> its_;
  Graph graph_;
  int neighbors_, places_;
  std::vector<int> numbers_;  ///< indices in graph_ of the functor's nodes
};

/// What the functor reads of one field at one offset, where that may lead out of the list.
void check_read(const Stage& stage, const FieldRecord& field, const GridState& grid,
                const Read& read) {
  for (const int face : faces_of(grid, read.offset)) {
    const BoundaryCondition& condition = condition_at(field, read.component, face);
    const std::string refused =
        "boundary of field '" + field.name + "' is refused in stage '" + stage.name + "'";
    require(!condition.varying && condition.kind != Kind::custom, refused,
            "on grids of active cells conditions are neither custom nor do they vary",
            "compute what changes in the functor, from a param");
    require(condition.kind != Kind::bounce_back || opposite_component(stage.footprint, read) >= 0,
            refused,
            "component " + std::to_string(read.component) +
                " bounces back, but the functor does not read one component at the opposite offset",
            "read every population where it comes from, or choose mirror");
  }
}

}  // namespace

ListOffsets list_offsets(const Stage& sweep) {
  std::set<Offset> offsets;
  for (const Read& read : sweep.footprint.reads) {
    if (read.offset != Offset{}) offsets.insert(read.offset);
  }
  return {offsets.begin(), offsets.end()};
}

int list_reach(const ListOffsets& offsets) {
  int reach = 0;
  for (const Offset& offset : offsets) {
    for (const int along : offset) reach = std::max(reach, std::abs(along));
  }
  return reach;
}

bool asks_for_place(const Stage& sweep) {
  const auto& nodes = sweep.graph->nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const GraphNode& node) {
    return node.op == GraphOp::index || node.op == GraphOp::position;
  });
}

void check_list_stage(const Stage& stage) {
  const std::string refused = "stage '" + stage.name + "' is refused on active cells";
  require(stage.kind != Stage::Kind::sample, refused, "samples are taken on grids of boxes",
          "write an output instead");
  if (!stage.is_sweep()) return;
  require(!stage.columns, refused, "their columns have gaps", "use a grid of the whole box");
  require(!stage.region || !stage.mask, refused, "it has a region and a mask",
          "make the region part of the mask");
  for (const Handover& handover : stage.handovers) {
    const bool is_beside = std::any_of(handover.beside.begin(), handover.beside.end(),
                                       [](bool beside) { return beside; });
    require(!is_beside, refused,
            "'" + handover.reader + "' reads '" + handover.field->name + "' at neighbours",
            "apply the functors one by one");
  }
  for (const GraphNode& node : stage.graph->nodes()) {
    require(node.op != GraphOp::random, refused, "it asks for random numbers",
            "store them in a field, or use a grid of the whole box");
  }
  require(list_reach(list_offsets(stage)) <= ActiveCells::side, refused,
          "it reads cells that are more than " + std::to_string(ActiveCells::side) + " away",
          "read nearer ones in several stages");
  for (const Read& read : stage.footprint.reads) {
    const StageArgument& argument = stage.arguments[static_cast<std::size_t>(read.parameter)];
    if (argument.field && read.offset != Offset{}) {
      check_read(stage, *argument.field, *argument.grid, read);
    }
  }
}

std::shared_ptr<Stage> on_list(const Stage& sweep, const ListTables& tables) {
  return OnList(sweep, tables).stage();
}

}  // namespace goban
