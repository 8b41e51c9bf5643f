#include "goban/backend/cpu/evaluator/instruction_pairs.hpp"

#include <algorithm>

namespace goban::cpu {
namespace {

using PlaceKind = Place::Kind;

class Joining {
 public:
  explicit Joining(RowProgram& program) : program_(program), all_(program.per_piece) {
    for (std::size_t n = 0; n < all_.size(); ++n) {
      if (all_[n].to.kind == PlaceKind::buffer) made_by(all_[n].to) = static_cast<int>(n);
      for (const Place& operand : all_[n].operands) {
        if (operand.kind == PlaceKind::buffer) ++uses(operand);
      }
    }
  }

  void join() {
    std::vector<bool> is_joined(all_.size());
    for (std::size_t second = 0; second < all_.size(); ++second) {
      for (const std::size_t operand : {0, 1}) {
        const int first = first_for(second, operand);
        if (first < 0 || is_joined[static_cast<std::size_t>(first)]) continue;
        if (!join(static_cast<std::size_t>(first), second, operand)) continue;
        is_joined[static_cast<std::size_t>(first)] = true;
        break;
      }
    }
    std::vector<Instruction> left;
    for (std::size_t n = 0; n < all_.size(); ++n) {
      if (!is_joined[n]) left.push_back(all_[n]);
    }
    all_ = std::move(left);
  }

 private:
  static int& at(std::vector<int>& numbers, const Place& place, int otherwise) {
    const auto n = static_cast<std::size_t>(place.number);
    if (numbers.size() <= n) numbers.resize(n + 1, otherwise);
    return numbers[n];
  }
  int& made_by(const Place& buffer) { return at(made_by_, buffer, -1); }
  int& uses(const Place& buffer) { return at(uses_, buffer, 0); }

  static bool is_simple(const Instruction& it) {
    return it.operation && !it.is_pair &&
           (it.node.op == GraphOp::add || it.node.op == GraphOp::subtract ||
            it.node.op == GraphOp::multiply) &&
           it.operands[1].kind != PlaceKind::none;
  }

  /// Returns the instruction whose result only this operand uses; -1 if there is none.
  int first_for(std::size_t second, std::size_t operand) {
    const Place& place = all_[second].operands[operand];
    if (!is_simple(all_[second]) || place.kind != PlaceKind::buffer || uses(place) != 1) return -1;
    const int first = made_by(place);
    return first >= 0 && is_simple(all_[static_cast<std::size_t>(first)]) ? first : -1;
  }

  /// Returns whether something is stored between the two where the first one reads.
  bool is_overwritten(std::size_t first, std::size_t second) const {
    const bool reads_updated =
        std::any_of(all_[first].operands.begin(), all_[first].operands.end(), [&](const Place& it) {
          if (it.kind != PlaceKind::read) return false;
          const RowRead& read = program_.reads[static_cast<std::size_t>(it.number)];
          return std::any_of(
              program_.outputs.begin(), program_.outputs.end(),
              [&](const RowOutput& output) { return output.parameter == read.parameter; });
        });
    if (!reads_updated) return false;
    return std::any_of(all_.begin() + static_cast<std::ptrdiff_t>(first),
                       all_.begin() + static_cast<std::ptrdiff_t>(second),
                       [](const Instruction& it) { return it.to.kind == PlaceKind::output; });
  }

  bool join(std::size_t first, std::size_t second, std::size_t operand) {
    if (is_overwritten(first, second)) return false;
    const Instruction& a = all_[first];
    Instruction& b = all_[second];
    const Place other = b.operands[1 - operand];
    const auto is_one = [](const Place& place) { return place.kind == PlaceKind::one; };
    const RowOperation operation =
        row_pair({a.node.op, b.node.op, operand == 1}, b.lane,
                 {is_one(a.operands[0]), is_one(a.operands[1]), is_one(other)});
    if (!operation) return false;
    b.operation = operation;
    b.operands = {a.operands[0], a.operands[1], other};
    b.is_pair = true;
    return true;
  }

  RowProgram& program_;
  std::vector<Instruction>& all_;
  std::vector<int> made_by_, uses_;
};

}  // namespace

void join_pairs(RowProgram& program) { Joining(program).join(); }

}  // namespace goban::cpu
