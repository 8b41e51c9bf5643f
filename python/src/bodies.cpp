// Bodies suspended in a fluid.

#include "bodies.hpp"

#include "calls.hpp"
#include "goban/particle/packing.hpp"

namespace {

using namespace goban;
using namespace goban::python;

/// What Python has of a body: position, quaternion, velocity, angular velocity.
constexpr std::size_t numbers = 13;

Real3 real3_of(const Json& json) { return json.get<Real3>(); }

BodyShape shape_of(const Json& json) {
  BodyShape shape;
  shape.semi_axes = real3_of(json.at("semi_axes"));
  shape.density = json.at("density");
  return in_fluid(shape, json.at("viscosity"));
}

Body body_of_numbers(const double* from) {
  Body body;
  std::copy_n(from, 3, body.position.begin());
  std::copy_n(from + 3, 4, body.quaternion.begin());
  std::copy_n(from + 7, 3, body.velocity.begin());
  std::copy_n(from + 10, 3, body.rotation.begin());
  return body;
}

}  // namespace

/// {"semi_axes", "density", "viscosity", "repulsion", "width", "gravity", "wall_strength"}.
GOBAN_PYTHON_CALL int goban_python_bodies(const Grid* grid, const char* options,
                                          BodiesHandle** made) {
  return guarded([&] {
    const Json json = Json::parse(options);
    const BodyShape shape = shape_of(json);
    *made = new BodiesHandle{
        *grid, shape,
        Bodies(*grid, {.shapes = {shape},
                       .repulsion = {.strength = json.at("repulsion"), .width = json.at("width")},
                       .gravity = real3_of(json.at("gravity")),
                       .wall_strength = json.at("wall_strength")})};
  });
}
GOBAN_PYTHON_CALL void goban_python_bodies_delete(BodiesHandle* handle) { delete handle; }
GOBAN_PYTHON_CALL int goban_python_bodies_place(BodiesHandle* handle, std::int64_t count,
                                                const double* all) {
  return guarded([&] {
    handle->bodies.place(count, [all](Index id) {
      return body_of_numbers(all + numbers * static_cast<std::size_t>(id));
    });
  });
}
GOBAN_PYTHON_CALL int goban_python_bodies_pack(BodiesHandle* handle, double hematocrit,
                                               std::int64_t seed) {
  return guarded([&] {
    handle->bodies.place(
        packed(handle->grid, handle->shape,
               {.hematocrit = hematocrit, .seed = static_cast<std::uint64_t>(seed)}));
  });
}
GOBAN_PYTHON_CALL int goban_python_bodies_count(const BodiesHandle* handle, std::int64_t* count) {
  return guarded([&] { *count = handle->bodies.count(); });
}
/// As many numbers as Python has of all.
GOBAN_PYTHON_CALL int goban_python_bodies_all(const BodiesHandle* handle, double* to) {
  return guarded([&] {
    for (const Body& body : handle->bodies.all()) {
      to = std::copy_n(body.position.begin(), 3, to);
      to = std::copy_n(body.quaternion.begin(), 4, to);
      to = std::copy_n(body.velocity.begin(), 3, to);
      to = std::copy_n(body.rotation.begin(), 3, to);
    }
  });
}
/// `ends`: those of a box; null: the whole grid.
GOBAN_PYTHON_CALL int goban_python_bodies_hematocrit(const BodiesHandle* handle,
                                                     const std::int64_t* ends, double* made) {
  return guarded([&] {
    *made = ends ? handle->bodies.hematocrit(box_of(ends)) : handle->bodies.hematocrit();
  });
}
/// `solid`: null: there is fluid everywhere.
GOBAN_PYTHON_CALL int goban_python_program_couple(Program* program, const BodiesHandle* handle,
                                                  const FieldHandle* velocity,
                                                  const FieldHandle* force,
                                                  const FieldHandle* solid) {
  return guarded([&] {
    for (const FieldHandle* field : {velocity, force}) {
      const FieldRecord& record = *field->record;
      require(record.components == 3 && record.type == velocity->record->type &&
                  (record.type == ElementType::float32 || record.type == ElementType::float64),
              "field '" + record.name + "' does not couple to bodies",
              "velocity and force are of three components each, both float32 or float64");
    }
    require(!solid || (solid->record->type == ElementType::uint8 && solid->record->components == 1),
            "bodies are refused a mask of solid nodes", "it is not of type uint8");
    const auto record = [](const FieldHandle* field) { return field ? field->record : nullptr; };
    program->call(handle->bodies.coupling({record(velocity), record(force), record(solid)}), {},
                  {});
    Stage& stage = *program->stages().back();
    stage.reads = {velocity->record};
    if (solid) stage.reads.push_back(solid->record);
    stage.writes = {force->record};
  });
}
