#include "goban/io/snapshot/xdmf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "goban/base/error.hpp"
#include "goban/io/file/atomic_file.hpp"
#include "goban/io/file/file.hpp"

namespace goban {
namespace {

constexpr std::string_view head =
    "<?xml version=\"1.0\" ?>\n"
    "<!DOCTYPE Xdmf SYSTEM \"Xdmf.dtd\" []>\n"
    "<Xdmf Version=\"2.0\">\n"
    "  <Domain>\n"
    "    <Grid Name=\"series\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
constexpr std::string_view tail =
    "    </Grid>\n"
    "  </Domain>\n"
    "</Xdmf>\n";
constexpr std::string_view step_begin = "      <Grid Name=\"step ";
constexpr std::string_view time_begin = "<Time Value=\"";
constexpr std::string_view values_end = "</DataItem>";
constexpr std::string_view step_end = "      </Grid>\n";

constexpr std::pair<char, std::string_view> entities[] = {
    {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto* const entity = std::find_if(std::begin(entities), std::end(entities),
                                            [c](const auto& one) { return one.first == c; });
    result += entity == std::end(entities) ? std::string(1, c) : std::string(entity->second);
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto* const entity =
        std::find_if(std::begin(entities), std::end(entities),
                     [text](const auto& one) { return text.starts_with(one.second); });
    const bool is_plain = entity == std::end(entities);
    result += is_plain ? text.front() : entity->first;
    text.remove_prefix(is_plain ? 1 : entity->second.size());
  }
  return result;
}

std::string number_type(ElementType type) {
  switch (type) {
    case ElementType::uint8: return "NumberType=\"UChar\" Precision=\"1\"";
    case ElementType::int32: return "NumberType=\"Int\" Precision=\"4\"";
    default: return fmt::format("NumberType=\"Float\" Precision=\"{}\"", size_of(type));
  }
}

std::string attribute_type(int components) {
  return components == 1 ? "Scalar" : components == 3 ? "Vector" : "Matrix";
}

std::string three_numbers(const Real3& xyz) {
  return fmt::format(
      "<DataItem Dimensions=\"3\" NumberType=\"Float\" Precision=\"8\" Format=\"XML\">"
      "{} {} {}</DataItem>",
      xyz[2], xyz[1], xyz[0]);
}

std::string location(const XdmfField& field) {
  return escaped(field.hdf5_dataset.empty() ? field.file : field.file + ":" + field.hdf5_dataset);
}

std::string field_text(const XdmfField& field, const XdmfStep& step) {
  const Index3 extents = step.extents;
  std::string dimensions = fmt::format("{} {} {}", extents[2], extents[1], extents[0]);
  if (step.mesh.points > 0) dimensions = std::to_string(extents[0]);
  if (field.components > 1) dimensions += fmt::format(" {}", field.components);
  std::string format = "Format=\"HDF\"";
  if (field.hdf5_dataset.empty())
    format = fmt::format("Format=\"Binary\" Endian=\"Little\" Seek=\"{}\"", field.offset);
  return fmt::format(
      "        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"Cell\">\n"
      "          <DataItem {} {} Dimensions=\"{}\">{}</DataItem>\n"
      "        </Attribute>\n",
      escaped(field.name), attribute_type(field.components), format, number_type(field.type),
      dimensions, location(field));
}

std::string mesh_text(const XdmfStep& step) {
  return fmt::format(
      "        <Topology TopologyType=\"Hexahedron\" NumberOfElements=\"{0}\">\n"
      "          <DataItem Format=\"HDF\" NumberType=\"Int\" Precision=\"8\" "
      "Dimensions=\"{0} 8\">{1}:/VTKHDF/Connectivity</DataItem>\n"
      "        </Topology>\n"
      "        <Geometry GeometryType=\"XYZ\">\n"
      "          <DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"8\" "
      "Dimensions=\"{2} 3\">{1}:/VTKHDF/Points</DataItem>\n"
      "        </Geometry>\n",
      step.extents[0], escaped(step.mesh.file), step.mesh.points);
}

std::string nodes_text(const XdmfStep& step) {
  const std::string nodes =
      fmt::format("{} {} {}", step.extents[2] + 1, step.extents[1] + 1, step.extents[0] + 1);
  return fmt::format(
      "        <Topology TopologyType=\"3DSMesh\" Dimensions=\"{0}\"/>\n"
      "        <Geometry GeometryType=\"XYZ\">\n"
      "          <DataItem Format=\"Binary\" Endian=\"Little\" Seek=\"{1}\" NumberType=\"Float\" "
      "Precision=\"4\" Dimensions=\"{0} 3\">{2}</DataItem>\n"
      "        </Geometry>\n",
      nodes, step.nodes.offset, escaped(step.nodes.file));
}

std::string grid_text(const XdmfStep& step) {
  if (step.mesh.points > 0) return mesh_text(step);
  if (!step.nodes.file.empty()) return nodes_text(step);
  return fmt::format(
      "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{} {} {}\"/>\n"
      "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n"
      "          {}\n"
      "          {}\n"
      "        </Geometry>\n",
      step.extents[2] + 1, step.extents[1] + 1, step.extents[0] + 1, three_numbers(step.origin),
      three_numbers(step.spacing));
}

std::string step_text(const XdmfStep& step) {
  std::string text = fmt::format(
      "{}{}\" GridType=\"Uniform\">\n"
      "        {}{}\"/>\n{}",
      step_begin, step.step, time_begin, step.time, grid_text(step));
  for (const XdmfField& field : step.fields) text += field_text(field, step);
  return text + std::string(step_end);
}

template <class T>
bool read_number(std::string_view text, T& value) {
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
}

/// The file of the first attribute of a step written by step_text.
std::string first_file(std::string_view text) {
  const auto attribute = text.find("<Attribute ");
  if (attribute == std::string_view::npos) return {};
  const auto end = text.find(values_end, attribute);
  const auto begin = text.rfind('>', end);
  if (end == std::string_view::npos) return {};
  const std::string_view file = text.substr(begin + 1, end - begin - 1);
  return unescaped(file.substr(0, file.find(":/")));
}

std::vector<XdmfSeries::Entry> entries_of(std::string_view text) {
  std::vector<XdmfSeries::Entry> entries;
  while (text.starts_with(step_begin)) {
    const auto end = text.find(step_end);
    const auto time = text.find(time_begin);
    XdmfSeries::Entry entry{};
    if (end == std::string_view::npos || time > end ||
        !read_number(text.substr(step_begin.size()), entry.step) ||
        !read_number(text.substr(time + time_begin.size()), entry.time))
      return {};
    entry.text = text.substr(0, end + step_end.size());
    entry.file = first_file(entry.text);
    entries.push_back(std::move(entry));
    text.remove_prefix(end + step_end.size());
  }
  if (text != tail) entries.clear();
  return entries;
}

}  // namespace

XdmfSeries::XdmfSeries(std::filesystem::path path, std::optional<Index> keep_until)
    : path_(std::move(path)) {
  if (!keep_until || !is_there(path_)) return;
  const std::string text = read_text(path_);
  if (text.starts_with(head)) entries_ = entries_of(std::string_view(text).substr(head.size()));
  if (entries_.empty() && text != std::string(head) + std::string(tail))
    throw Error(ExitCode::files, fmt::format("cannot continue {}", path_.string()),
                "it is not an index written by goban, or it was edited", "move it away");
  std::erase_if(entries_, [&](const Entry& entry) { return entry.step > *keep_until; });
}

void XdmfSeries::add(const XdmfStep& step) {
  std::vector<Entry> entries = entries_;
  std::erase_if(entries, [&](const Entry& entry) { return entry.step == step.step; });
  const auto later = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.step > step.step; });
  entries.insert(later, {.step = step.step,
                         .time = step.time,
                         .file = step.fields.empty() ? std::string() : step.fields.front().file,
                         .text = step_text(step)});
  std::string text(head);
  for (const Entry& entry : entries) text += entry.text;
  text += tail;
  write_file(path_, text);
  entries_ = std::move(entries);
}

}  // namespace goban
