#include "goban/stencil/graph/graph.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/stencil/graph/graph_recorder.hpp"

namespace goban {

std::size_t Graph::Hash::operator()(const GraphNode& node) const {
  std::uint64_t hash =
      static_cast<std::uint64_t>(node.op) << 24 | static_cast<std::uint64_t>(node.type.kind) << 16 |
      static_cast<std::uint64_t>(node.type.bytes) << 8 | (node.type.varies ? 1 : 0);
  for (const int operand : node.operands) hash = mix(hash ^ static_cast<std::uint64_t>(operand));
  for (const auto datum : node.data) hash = mix(hash ^ static_cast<std::uint64_t>(datum));
  return hash;
}

int Graph::add(const GraphNode& node) {
  const auto [at, is_new] = numbers_.try_emplace(node, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back(node);
  return at->second;
}

void Graph::add_path(const std::vector<GraphDecision>& decisions, std::vector<int> outputs) {
  if (branches_.empty()) branches_.emplace_back();
  std::size_t at = 0;
  for (const GraphDecision& decision : decisions) {
    branches_[at].condition = decision.condition;
    int next = branches_[at].next[decision.outcome];
    if (next < 0) {
      next = static_cast<int>(branches_.size());
      branches_[at].next[decision.outcome] = next;
      branches_.emplace_back();
    }
    at = static_cast<std::size_t>(next);
  }
  branches_[at].outputs = std::move(outputs);
}

std::vector<int> Graph::needed_for(const std::vector<int>& roots) const {
  std::vector<bool> is_needed(nodes_.size());
  for (const int root : roots) {
    if (root >= 0) is_needed[static_cast<std::size_t>(root)] = true;
  }
  for (std::size_t n = nodes_.size(); n-- > 0;) {  // operands come before what is made of them
    if (!is_needed[n]) continue;
    for (const int operand : nodes_[n].operands) {
      if (operand >= 0) is_needed[static_cast<std::size_t>(operand)] = true;
    }
  }
  std::vector<int> needed;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (is_needed[n]) needed.push_back(static_cast<int>(n));
  }
  return needed;
}

bool is_literal(const GraphNode& constant) {
  const std::int64_t bits = constant.data[0];
  switch (constant.type.kind) {
    case GraphType::Kind::mask: return true;
    case GraphType::Kind::floating: {
      const double value =
          constant.type.bytes == 4
              ? static_cast<double>(std::bit_cast<float>(static_cast<std::int32_t>(bits)))
              : std::bit_cast<double>(bits);
      const double scaled = 16 * value;
      return std::abs(value) <= 64 && std::round(scaled) == scaled &&
             !(value == 0 && std::signbit(value));
    }
    default: return bits >= -64 && bits <= 64;
  }
}

std::vector<int> Graph::argument_constants() const {
  std::vector<int> found;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].op == GraphOp::constant && !is_literal(nodes_[n])) {
      found.push_back(static_cast<int>(n));
    }
  }
  return found;
}

std::string Graph::signature() const {
  std::string text;
  const auto add_number = [&](std::int64_t number) {
    text += std::to_string(number);
    text += ' ';
  };
  for (const GraphNode& node : nodes_) {
    add_number(static_cast<std::int64_t>(node.op));
    add_number(static_cast<std::int64_t>(node.type.kind) * 100 + node.type.bytes * 2 +
               (node.type.varies ? 1 : 0));
    for (const int operand : node.operands) add_number(operand);
    if (node.op == GraphOp::constant && !is_literal(node)) {
      text += "argument;";
      continue;
    }
    for (const auto datum : node.data) add_number(datum);
    text += ';';
  }
  for (const Branch& branch : branches_) {
    text += '|';
    add_number(branch.condition);
    for (const int next : branch.next) add_number(next);
    for (const int output : branch.outputs) add_number(output);
  }
  return text;
}

namespace detail {

namespace {

Recorder*& at_work() {
  static thread_local Recorder* recorder = nullptr;
  return recorder;
}

/// Functors may be recorded while others are.
class AtWork {
 public:
  explicit AtWork(Recorder& recorder) : before_(std::exchange(at_work(), &recorder)) {}
  ~AtWork() { at_work() = before_; }
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

 private:
  Recorder* before_;
};

}  // namespace

Recorder* recorder_at_work() { return at_work(); }

StaticFootprint record_paths(GraphRecorder& graph, const Recordable& functor) {
  Recorder recorder(graph);
  const AtWork is_recording(recorder);
  recorder.set_role(functor.role);
  for (const ParameterDescription& parameter : functor.parameters) recorder.describe(parameter);
  recorder.explore([&] { functor.call(functor.functor, recorder); });
  return recorder.footprint();
}

namespace {

bool selects_numbers(const Graph& graph, int n) {
  const GraphNode& node = graph.node(n);
  if (!node.type.varies) return true;
  return node.op == GraphOp::select && selects_numbers(graph, node.operands[1]) &&
         selects_numbers(graph, node.operands[2]);
}

/// Numbers of which some are selected are converted before, so that cells have them in one type.
int selected_as(Graph& graph, int n, GraphType type) {
  GraphNode made = graph.node(n);
  type.varies = made.type.varies;
  if (!type.varies) return graph.add({GraphOp::convert, type, {n, -1, -1}});
  made.type = type;
  for (std::size_t which = 1; which <= 2; ++which) {
    made.operands[which] = selected_as(graph, made.operands[which], type);
  }
  return graph.add(made);
}

}  // namespace

int record_node(GraphRecorder& recorder, const GraphNode& node) {
  Graph& graph = recorder.graph;
  const bool is_made_anew =
      node.op == GraphOp::convert && node.type.varies && selects_numbers(graph, node.operands[0]);
  return is_made_anew ? selected_as(graph, node.operands[0], node.type) : graph.add(node);
}
void record_decision(GraphRecorder& recorder, int condition, bool outcome) {
  recorder.decisions.push_back({condition, outcome});
}
void record_output(GraphRecorder& recorder, int output, int node) {
  recorder.outputs[static_cast<std::size_t>(output)] = node;
}
int recorded_output(const GraphRecorder& recorder, int output) {
  return recorder.outputs[static_cast<std::size_t>(output)];
}
void require_fit(std::int64_t number, const GraphType& type) {
  if (type.bytes == 8) return;
  const std::int64_t values = std::int64_t{1} << (8 * type.bytes);
  require(number >= -values / 2 && number < values,
          "the number " + std::to_string(number) + " beside whole values of " +
              std::to_string(8 * type.bytes) + " bits is refused",
          "they cannot hold it", "convert the values: convert<double>(u())");
}
void begin_path(GraphRecorder& recorder, int outputs) {
  recorder.decisions.clear();
  recorder.outputs.assign(static_cast<std::size_t>(outputs), -1);
}
void end_path(GraphRecorder& recorder) {
  recorder.graph.add_path(recorder.decisions, recorder.outputs);
}

}  // namespace detail

RecordedFunctor record(const detail::Recordable& functor) {
  detail::GraphRecorder graph;
  RecordedFunctor recorded;
  recorded.footprint = detail::record_paths(graph, functor);
  recorded.graph = std::make_shared<const Graph>(std::move(graph.graph));
  return recorded;
}

}  // namespace goban
