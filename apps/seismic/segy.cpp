#include "seismic/segy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <vector>

#include "goban/base/error.hpp"
#include "goban/io/file/file.hpp"

namespace goban::seismic {
namespace {

constexpr Index text_bytes = 3200, file_header_bytes = 3600, trace_header_bytes = 240;
constexpr std::int32_t byte_order_mark = 0x01020304;

/// Bytes of the file's header, counted from 1.
enum FileByte : Index {
  samples_byte = 3221,
  format_byte = 3225,
  long_samples_byte = 3269,
  byte_order_byte = 3297,
  revision_byte = 3501,
  texts_byte = 3505
};
enum class Format : std::int16_t { ibm = 1, ieee = 5 };

class ByteOrder {
 public:
  explicit ByteOrder(bool is_little) : is_little_(is_little) {}

  std::uint32_t word(const std::byte* at) const {
    std::uint32_t value = 0;
    for (int n = 0; n < 4; ++n) {
      value = value << 8 | std::to_integer<std::uint32_t>(at[is_little_ ? 3 - n : n]);
    }
    return value;
  }
  std::int32_t integer(const std::byte* at) const { return static_cast<std::int32_t>(word(at)); }
  Index small(const std::byte* at) const {  // of 2 bytes, without a sign
    return std::to_integer<Index>(at[is_little_ ? 1 : 0]) << 8 |
           std::to_integer<Index>(at[is_little_ ? 0 : 1]);
  }

 private:
  bool is_little_;
};

/// Sign, exponent of 16 in excess of 64, fraction of 24 bits.
float ibm_float(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 24 & 0x7f);
  const double value = std::ldexp(bits & 0xffffff, 4 * (exponent - 64) - 24);
  return static_cast<float>(bits >> 31 ? -value : value);
}

/// Numbers of lines along one axis of the map.
struct LineNumbers {
  /// Number of the first line, and steps between successive ones.
  std::int32_t first = 0, step = 0;
  Index count = 1;

  /// The place of the cell with this index: indices grow with the numbers.
  Index place(Index cell) const { return step < 0 ? count - 1 - cell : cell; }
  std::int32_t of_place(Index place) const {
    return first + static_cast<std::int32_t>(place) * step;
  }
};

class SegyVolume : public ImageSource {
 public:
  SegyVolume(InputFile file, Index3 extents, Index begin, ByteOrder order, Format format,
             const SegyLines& lines)
      : ImageSource(ElementType::float32, extents),
        file_(std::move(file)),
        begin_(begin),
        order_(order),
        format_(format),
        line_bytes_{lines.crossline_byte, lines.inline_byte} {
    find_sorting();
    is_checked_.resize(static_cast<std::size_t>(extents[0] * extents[1]));
  }

  Array read(const Box& box) override {
    if (intersection(box, ahead_box_) != box) read_ahead(box);
    return copy_of(box_of(ahead_.view(), box.lower - ahead_box_.lower, box.extents()));
  }

 private:
  Index trace_bytes() const { return trace_header_bytes + 4 * extents()[2]; }

  std::array<std::int32_t, 2> numbers_of(Index trace) const {
    std::array<std::byte, trace_header_bytes> header{};
    file_.read(begin_ + trace * trace_bytes(), header.data(), trace_header_bytes);
    std::array<std::int32_t, 2> numbers{};
    for (std::size_t a = 0; a < 2; ++a) {
      numbers[a] = order_.integer(header.data() + line_bytes_[a] - 1);
    }
    return numbers;
  }

  /// Finds which number changes from trace to trace, and by how much.
  void find_sorting() {
    const auto first = numbers_of(0);
    for (std::size_t a = 0; a < 2; ++a) lines_[a] = {first[a], 1, extents()[static_cast<int>(a)]};
    if (extents()[0] * extents()[1] == 1) return;
    const auto second = numbers_of(1);
    fast_ = second[0] != first[0] ? 0 : 1;
    const std::size_t slow = 1 - fast_;
    lines_[fast_].step = second[fast_] - first[fast_];
    if (lines_[slow].count > 1) {
      lines_[slow].step = numbers_of(lines_[fast_].count)[slow] - first[slow];
    }
    if (lines_[fast_].step != 0 && lines_[slow].step != 0) return;
    throw Error(ExitCode::files, fmt::format("cannot read {}", file_.path().string()),
                fmt::format("bytes {} and {} of the headers of its traces number no lines",
                            line_bytes_[1], line_bytes_[0]),
                "name others in medium.inline_byte and medium.crossline_byte");
  }

  Index trace_of(Index i, Index j) const {
    const std::array place{lines_[0].place(i), lines_[1].place(j)};
    return place[fast_] + lines_[fast_].count * place[1 - fast_];
  }

  void check(Index i, Index j) {
    const auto n = static_cast<std::size_t>(i + extents()[0] * j);
    if (is_checked_[n]) return;
    const Index trace = trace_of(i, j);
    const auto found = numbers_of(trace);
    const std::array expected{lines_[0].of_place(lines_[0].place(i)),
                              lines_[1].of_place(lines_[1].place(j))};
    if (found != expected) {
      throw Error(ExitCode::files, fmt::format("cannot read {}", file_.path().string()),
                  fmt::format("trace {} is of inline {} and crossline {}, where {} and {} come "
                              "next",
                              trace + 1, found[1], found[0], expected[1], expected[0]),
                  "sort it by inline and crossline; none may be missing");
    }
    is_checked_[n] = true;
  }

  /// The box and what lies below it, as much as some MiB hold: who asks goes on downwards, and
  /// every trace is a call of its own.
  void read_ahead(Box box) {
    constexpr Index most_bytes = Index{16} << 20;
    const Index columns = box.extent(0) * box.extent(1);
    const Index planes = std::max(box.extent(2), most_bytes / (4 * columns));
    box.upper[2] = std::min(extents()[2], box.lower[2] + planes);
    ahead_box_ = {};
    ahead_ = Array(ElementType::float32, box.extents());
    const auto values = ahead_.as<float>();
    const Index depth = box.extent(2);
    std::vector<std::byte> samples(static_cast<std::size_t>(4 * depth));
    std::size_t column = 0;
    for (Index j = box.lower[1]; j < box.upper[1]; ++j) {
      for (Index i = box.lower[0]; i < box.upper[0]; ++i, ++column) {
        check(i, j);
        file_.read(begin_ + trace_of(i, j) * trace_bytes() + trace_header_bytes + 4 * box.lower[2],
                   samples.data(), 4 * depth);
        for (Index k = 0; k < depth; ++k) {
          const std::uint32_t bits = order_.word(samples.data() + 4 * k);
          values[column + static_cast<std::size_t>(k * columns)] =
              format_ == Format::ibm ? ibm_float(bits) : std::bit_cast<float>(bits);
        }
      }
    }
    ahead_box_ = box;
  }

  InputFile file_;
  Index begin_;  ///< where the first trace begins, bytes
  ByteOrder order_;
  Format format_;
  /// First bytes of the numbers along x and y in a header, from 1 on.
  std::array<Index, 2> line_bytes_;
  std::array<LineNumbers, 2> lines_{};  ///< along x and y
  std::size_t fast_ = 0;                ///< the axis whose number changes from trace to trace
  std::vector<bool> is_checked_;        ///< the headers of traces, by cell of the map
  Box ahead_box_;
  Array ahead_;
};

[[noreturn]] void refuse(const InputFile& file, const std::string& why,
                         const std::string& what_to_do = "") {
  throw Error(ExitCode::files, fmt::format("cannot read {}", file.path().string()), why,
              what_to_do);
}

}  // namespace

bool is_segy(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".sgy" || ending == ".segy";
}

std::shared_ptr<ImageSource> open_segy(const std::filesystem::path& path, Index3 expected,
                                       const SegyLines& lines) {
  InputFile file(path);
  if (file.size() < file_header_bytes + trace_header_bytes) {
    refuse(file, fmt::format("{} bytes are too few for SEG-Y", file.size()));
  }
  std::vector<std::byte> header(file_header_bytes);
  file.read(0, header.data(), file_header_bytes);
  const auto at = [&](Index byte) { return header.data() + byte - 1; };
  // Before revision 2 there is no mark: then the code of the format is small one way alone.
  const bool is_marked = ByteOrder(true).integer(at(byte_order_byte)) == byte_order_mark;
  const bool is_small = ByteOrder(false).small(at(format_byte)) <= 255;
  const ByteOrder order(is_marked || !is_small);
  const Index code = order.small(at(format_byte));
  if (code != static_cast<Index>(Format::ibm) && code != static_cast<Index>(Format::ieee)) {
    refuse(file, fmt::format("its samples have the format {}", code),
           "convert them to IBM floats (1) or IEEE floats (5) of 4 bytes");
  }
  Index samples = order.small(at(samples_byte)), texts = 0;
  const Index revision = std::to_integer<Index>(*at(revision_byte));
  if (revision >= 1) texts = order.small(at(texts_byte));
  if (revision >= 2 && order.integer(at(long_samples_byte)) > 0) {
    samples = order.integer(at(long_samples_byte));
  }
  if (texts > 1000) refuse(file, "nothing says how many text headers it has", "write their number");
  const Index begin = file_header_bytes + texts * text_bytes;
  const Index rest = file.size() - begin, trace = trace_header_bytes + 4 * samples;
  if (samples == 0 || rest <= 0 || rest % trace != 0) {
    refuse(file, fmt::format("{} bytes are no whole number of traces of {} samples", rest, samples),
           "all traces must have as many samples as the file's header says");
  }
  require(samples == expected[2] && rest / trace == expected[0] * expected[1],
          fmt::format("{} does not fit", path.string()),
          fmt::format("it has {} traces of {} samples, the grid {} x {} columns of {} cells",
                      rest / trace, samples, expected[0], expected[1], expected[2]),
          "make them equal; nothing is resampled");
  return std::make_shared<SegyVolume>(std::move(file), expected, begin, order,
                                      static_cast<Format>(code), lines);
}

}  // namespace goban::seismic
