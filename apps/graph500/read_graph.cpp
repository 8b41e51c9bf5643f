#include "graph500/read_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/base/mix.hpp"
#include "goban/io/file/file.hpp"

namespace goban::graph500 {
namespace {

class OwnGraph : public EdgeSource {
 public:
  OwnGraph(std::string name, Index vertices, std::vector<Edge> edges, std::vector<float> weights)
      : name_(std::move(name)),
        vertices_(vertices),
        edges_(std::move(edges)),
        weights_(std::move(weights)) {}
  Index vertices() const override { return vertices_; }
  Index edges() const override { return static_cast<Index>(edges_.size()); }
  void edges(Index begin, std::span<Edge> edges) const override {
    std::copy_n(edges_.begin() + begin, edges.size(), edges.begin());
  }
  void weights(Index begin, std::span<float> weights) const override {
    if (weights_.empty()) {
      std::fill(weights.begin(), weights.end(), 1.0f);
    } else {
      std::copy_n(weights_.begin() + begin, weights.size(), weights.begin());
    }
  }
  float most_weight() const override {
    return weights_.empty() ? 1 : *std::max_element(weights_.begin(), weights_.end());
  }
  Index draw_key(Index n) const override {
    return static_cast<Index>(mix(static_cast<std::uint64_t>(n)) %
                              static_cast<std::uint64_t>(vertices_));
  }
  std::string description() const override {
    return fmt::format("{}: {} vertices, {} edges", name_, vertices_, edges_.size());
  }

 private:
  std::string name_;
  Index vertices_;
  std::vector<Edge> edges_;
  std::vector<float> weights_;
};

/// Numbers of a line, one after the other.
class Line {
 public:
  Line(const std::filesystem::path& file, Index number, std::string_view text)
      : file_(file), number_(number), text_(text) {}

  bool is_over() {
    const std::size_t begin = text_.find_first_not_of(separators);
    text_ = begin == std::string_view::npos ? std::string_view() : text_.substr(begin);
    return text_.empty();
  }
  /// The number that is the next word.
  template <class T>
  T next(const char* what) {
    T value{};
    if (is_over()) fail(fmt::format("{} is expected", what));
    const std::string_view word = text_.substr(0, text_.find_first_of(separators));
    const auto end = std::from_chars(word.data(), word.data() + word.size(), value);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size())
      fail(fmt::format("{} is expected, not '{}'", what, word));
    text_.remove_prefix(word.size());
    return value;
  }
  void expect_end() {
    if (!is_over()) fail(fmt::format("'{}' is too much", text_));
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ExitCode::files, fmt::format("cannot read {}", file_.string()),
                fmt::format("line {}: {}", number_, why));
  }

 private:
  static constexpr const char* separators = " \t\r,";
  const std::filesystem::path& file_;
  Index number_;
  std::string_view text_;
};

constexpr Index most_vertices = Index{1} << 48;

struct Lists {
  GraphWeights wanted = GraphWeights::kept;
  Index vertices = 0;
  std::size_t weighted = 0;  ///< edges whose line has a weight
  std::vector<Edge> edges = {};
  std::vector<float> weights = {};

  void add(Line& line, Index first_vertex) {
    const Index a = line.next<Index>("a vertex") - first_vertex;
    const Index b = line.next<Index>("a second vertex") - first_vertex;
    if (a < 0 || b < 0 || a >= most_vertices || b >= most_vertices)
      line.fail("there is no such vertex");
    vertices = std::max({vertices, a + 1, b + 1});
    edges.emplace_back(a, b);
    if (line.is_over()) {
      if (weighted > 0) line.fail("a weight is expected");
      return;
    }
    const auto weight = line.next<double>("a weight");
    line.expect_end();
    if (++weighted != edges.size()) line.fail("earlier edges have no weights");
    if (wanted == GraphWeights::left_out) return;
    weights.push_back(static_cast<float>(weight) + 0.0f);  // -0 is 0
    if (!(weight >= 0 && weight <= 1e28)) line.fail("weights are at least 0 and at most 1e28");
  }
};

template <class F>
void each_line(const std::filesystem::path& file, const std::string& text, const F& f) {
  Index number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    f(Line(file, ++number, std::string_view(text).substr(begin, end - begin)),
      text[begin] == '#' || text[begin] == '%');
    begin = end + 1;
  }
}

Lists read_text_list(const std::filesystem::path& file, GraphWeights weights) {
  Lists lists{.wanted = weights};
  each_line(file, read_text(file, Index{1} << 40), [&](Line line, bool is_remark) {
    if (!is_remark && !line.is_over()) lists.add(line, 0);
  });
  return lists;
}

Lists read_matrix_market(const std::filesystem::path& file, GraphWeights weights) {
  const std::string text = read_text(file, Index{1} << 40);
  const std::string_view head = std::string_view(text).substr(0, text.find('\n'));
  if (!head.starts_with("%%MatrixMarket matrix coordinate ") ||
      head.find(" complex") != std::string_view::npos) {
    throw Error(ExitCode::files, "cannot read " + file.string(),
                "it does not begin with %%MatrixMarket matrix coordinate, or is complex");
  }
  Lists lists{.wanted = weights};
  Index expected = -1, size = 0;
  each_line(file, text, [&](Line line, bool is_remark) {
    if (is_remark || line.is_over()) return;
    if (expected >= 0) return lists.add(line, 1);
    size = line.next<Index>("the number of rows");
    size = std::max(size, line.next<Index>("the number of columns"));
    expected = line.next<Index>("the number of entries");
    line.expect_end();
    if (expected < 0 || size > most_vertices) line.fail("there is no matrix of that size");
  });
  if (static_cast<Index>(lists.edges.size()) != expected || lists.vertices > size) {
    throw Error(ExitCode::files, "cannot read " + file.string(),
                fmt::format("{} entries up to vertex {} do not agree with its size line",
                            lists.edges.size(), lists.vertices));
  }
  lists.vertices = size;
  return lists;
}

Lists read_binary(const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = read_bytes(file);
  if (bytes.size() % 16 != 0) {
    throw Error(ExitCode::files, "cannot read " + file.string(),
                "its size is no multiple of two 64-bit numbers");
  }
  Lists lists;
  lists.edges.reserve(bytes.size() / 16);
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    std::uint64_t ends[2];
    std::memcpy(ends, bytes.data() + at, sizeof(ends));
    if (ends[0] >> 48 != 0 || ends[1] >> 48 != 0) {
      throw Error(ExitCode::files, "cannot read " + file.string(),
                  fmt::format("edge {} names a vertex beyond 2^48", at / 16));
    }
    lists.edges.emplace_back(static_cast<Index>(ends[0]), static_cast<Index>(ends[1]));
    lists.vertices =
        std::max<Index>(lists.vertices, static_cast<Index>(std::max(ends[0], ends[1])) + 1);
  }
  return lists;
}

}  // namespace

std::unique_ptr<EdgeSource> read_graph(const std::filesystem::path& file, GraphWeights weights) {
  const std::string ending = file.extension().string();
  const bool is_text = ending == ".txt" || ending == ".el" || ending == ".wel";
  require(is_text || ending == ".mtx" || ending == ".bin", "cannot read " + file.string(),
          "the ending " + ending + " is unknown", "it may be .txt, .el, .wel, .mtx or .bin");
  Lists lists = is_text            ? read_text_list(file, weights)
                : ending == ".mtx" ? read_matrix_market(file, weights)
                                   : read_binary(file);
  if (lists.edges.empty()) throw Error(ExitCode::files, file.string() + " has no edges");
  return std::make_unique<OwnGraph>(file.filename().string(), lists.vertices,
                                    std::move(lists.edges), std::move(lists.weights));
}

}  // namespace goban::graph500
