#include "goban/performance/predict/told_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "goban/base/error.hpp"
#include "goban/base/named_numbers.hpp"
#include "goban/field/record.hpp"

namespace goban {
namespace {

constexpr const char* suggestion = "write flops=13,bytes=32,halo=4";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ExitCode::usage, "--work " + text + " is refused", why, suggestion);
}

/// What reads of neighbours and of the cell itself make of a sweep.
Footprint footprint_of(const ToldWork& work) {
  Footprint footprint;
  footprint.flops = static_cast<Index>(std::llround(work.flops));
  for (int c = 0; c < static_cast<int>(work.fields); ++c) {
    footprint.reads.push_back({0, c, {0, 0, 0}});
    footprint.outputs.push_back({1, c, 1, 1});
    if (c >= work.values_sent()) continue;
    for (std::size_t a = 0; a < 3; ++a) {
      for (int n = 1; n <= static_cast<int>(work.reach); ++n) {
        for (const int offset : {-n, n}) {
          Read read{0, c, {}};
          read.offset[a] = offset;
          footprint.reads.push_back(read);
        }
      }
    }
  }
  std::sort(footprint.reads.begin(), footprint.reads.end());
  return footprint;
}

}  // namespace

ToldWork told_work(const std::string& text, ElementType type) {
  auto numbers =
      named_numbers("--work", text, {"flops", "bytes", "halo", "fields", "reach"}, suggestion);
  for (const char* needed : {"flops", "bytes", "halo"}) {
    if (numbers.count(needed) == 0) refuse(text, std::string(needed) + " is missing");
  }
  numbers.try_emplace("reach", 1);
  for (const auto& [name, number] : numbers) {
    if (number > 1e9) refuse(text, name + " is beyond 1e9");
    if (name != "bytes" && number != std::floor(number)) refuse(text, name + " is no whole number");
  }
  ToldWork work{numbers["flops"],
                numbers["bytes"],
                static_cast<Index>(numbers["halo"]),
                static_cast<Index>(numbers["fields"]),
                static_cast<Index>(numbers["reach"]),
                type};
  if (work.bytes == 0) refuse(text, "an update moves bytes");
  if (work.reach < 1 || work.reach > 100) refuse(text, "reach is not between 1 and 100");
  const auto layer = work.reach * static_cast<Index>(size_of(type));
  if (work.halo == 0 || work.halo % layer != 0) {
    refuse(text, fmt::format("halo is no multiple of {} bytes, a value in each of {} layers", layer,
                             work.reach));
  }
  if (work.fields == 0) work.fields = work.values_sent();
  if (work.values_sent() > work.fields || work.fields > 1000) {
    refuse(text, fmt::format("halo sends {} values a layer of {} fields (of 1000 at most)",
                             work.values_sent(), work.fields));
  }
  return work;
}

StraightRun run_of(const ToldWork& work, Index3 cells, GridContext& context) {
  const auto grid = std::make_shared<GridState>();
  grid->context = &context;
  grid->cells = cells;
  grid->spacing = {1, 1, 1};
  grid->boundary = BoundarySet{constant(0)};
  StraightRun run;
  run.grid = grid;
  const auto stage = std::make_shared<Stage>();
  stage->name = "update";
  stage->footprint = footprint_of(work);
  for (const auto& [name, access] : {std::pair{"old", Access::in}, {"new", Access::out}}) {
    FieldRecord record;
    record.name = name;
    record.type = work.type;
    record.components = static_cast<int>(work.fields);
    record.boundary.assign(static_cast<std::size_t>(work.fields), grid->boundary);
    StageArgument argument;
    argument.access = access;
    argument.field = declare_field(*grid, std::move(record));
    argument.grid = grid;
    run.slots.add(argument.field, grid);
    stage->arguments.push_back(std::move(argument));
  }
  const auto swap = std::make_shared<Stage>();
  swap->kind = Stage::Kind::permute;
  swap->names = {stage->arguments[0].field, stage->arguments[1].field};
  swap->grid = grid;
  run.stages = {stage, swap};
  run.alive = {true, false};
  run.repeats = true;
  run.bytes_told = work.bytes;
  return run;
}

}  // namespace goban
