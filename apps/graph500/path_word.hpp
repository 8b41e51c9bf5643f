#pragma once
// What kernel 3 knows of a vertex, as one number: the smaller the better.

#include <bit>
#include <limits>

#include "graph500/bitmap.hpp"

namespace goban::graph500 {

/// From the highest bit: distance, `steps`, label of the parent. Steps are the edges that follow
/// each other up to the vertex without adding to its distance, as they weigh nothing or too little;
/// they order vertices at one distance, so that parents are no cycle. The smallest number over all
/// ways to a vertex, and with it the parent, does not depend on the order in which ways are found.
class PathWords {
 public:
  static constexpr Word unreached = ~Word{0};

  explicit PathWords(Index labels) {
    while (labels >> parent_bits_ != 0) ++parent_bits_;
  }

  Word start(Vertex root) const { return root; }
  float distance(Word word) const {
    if (word == unreached) return std::numeric_limits<float>::infinity();
    return std::bit_cast<float>(static_cast<std::uint32_t>(word >> distance_shift));
  }
  Vertex parent(Word word) const {
    return static_cast<Vertex>(word & ((Word{1} << parent_bits_) - 1));
  }
  /// Distance and steps.
  Word place(Word word) const { return word >> parent_bits_; }
  Word at_place(Word place) const { return place << parent_bits_; }
  /// There may be more steps than are counted.
  bool has_most_steps(Word word) const {
    return word != unreached && (place(word) & most_steps()) == most_steps();
  }
  Word most_steps() const { return (Word{1} << (distance_shift - parent_bits_)) - 1; }

  /// The word of a neighbour of vertex `label`, which has `word`.
  Word beyond(Word word, float weight, Vertex label) const {
    const float here = distance(word), there = here + weight;
    Word steps = 0;
    if (!(there > here)) steps = std::min(most_steps(), (place(word) & most_steps()) + 1);
    return static_cast<Word>(std::bit_cast<std::uint32_t>(there)) << distance_shift |
           steps << parent_bits_ | label;
  }

  int parent_bits() const { return parent_bits_; }

 private:
  static constexpr int distance_shift = 33;  ///< distances have no sign
  int parent_bits_ = 0;
};

}  // namespace goban::graph500
