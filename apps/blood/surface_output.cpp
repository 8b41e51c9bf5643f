#include "blood/surface_output.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "goban/geometry/vector.hpp"
#include "goban/io/file/point_file.hpp"
#include "goban/simulation/output/numbered_files.hpp"

namespace goban::blood {
namespace {

using namespace vectors;

class SurfaceOutput : public SimulationOutput {
 public:
  SurfaceOutput(AnyField shear, ShearAt shear_at, const Vessel& vessel, const CellPlace& place,
                When when)
      : SimulationOutput("surface", std::move(when)),
        shear_(std::move(shear)),
        shear_at_(std::move(shear_at)),
        place_of_cells_(place) {
    for (const RimCell& rim : vessel.rim) {
      if (rim.to_wall != Real3{} && rim.opening < 0) points_.push_back(rim);
    }
    sums_.resize(4 * points_.size());
  }

  std::vector<AnyField> fields() const override { return {shear_}; }
  Index bytes_needed() const override {
    return static_cast<Index>(points_.size() * (7 * sizeof(double) + sizeof(RimCell)));
  }
  Index writes(Index, double) const override { return 1; }
  bool is_last() const override { return true; }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string describe() const override { return "shear of the wall as VTK PolyData"; }

  void open(const RunPlace& place, std::optional<Index> keep_until) override {
    place_ = place;
    if (keep_until && place.writes)
      files_ = keep_numbered(place.directory, stem(), {".vtp"}, *keep_until);
    if (!keep_until) {
      samples_ = 0;
      std::fill(sums_.begin(), sums_.end(), 0.0);
    }
  }
  bool acts_on(const Moment& moment) const override {
    return moment.due || moment.snapshot || moment.over;
  }
  void write(const Moment& moment) override {
    const Index step = moment.clock.step;
    if (moment.due && sampled_ != step) {
      now_ = shear_at_(points_);
      for (std::size_t n = 0; n < points_.size(); ++n) {
        const Real3 t = {now_[3 * n], now_[3 * n + 1], now_[3 * n + 2]};
        for (std::size_t a = 0; a < 3; ++a) sums_[4 * n + a] += t[a];
        sums_[4 * n + 3] += norm(t);
      }
      ++samples_;
      sampled_ = step;
    }
    if ((moment.snapshot || moment.over) && last() != step) {
      if (sampled_ != step) now_ = shear_at_(points_);
      set_last(step);
      if (place_.writes) write_file(step);
    }
  }

  std::vector<CheckpointArray> arrays() override {
    const auto count = static_cast<Index>(points_.size());
    CheckpointArray array{.name = "shear of walls",
                          .type = ElementType::float64,
                          .extents = {count, 1, 1},
                          .components = 4,
                          .optional = true};
    // All ranks have all of it.
    array.copy_out = [this, count](const Box& box, void* elements) {
      auto* to = static_cast<double*>(elements);
      for (Index c = 0; c < 4; ++c) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i)
          *to++ = sums_[static_cast<std::size_t>(4 * i + c)];
      }
    };
    array.copy_in = [this](const Box& box, const void* elements) {
      const auto* from = static_cast<const double*>(elements);
      for (Index c = 0; c < 4; ++c) {
        for (Index i = box.lower[0]; i < box.upper[0]; ++i)
          sums_[static_cast<std::size_t>(4 * i + c)] = *from++;
      }
    };
    return {array};
  }
  nlohmann::ordered_json state() const override {
    return {{"samples", samples_}, {"sampled", sampled_}};
  }
  void restore(const nlohmann::ordered_json& state) override {
    samples_ = state.at("samples");
    sampled_ = state.at("sampled");
  }

 private:
  std::string stem() const { return place_.name + "_" + name(); }

  void write_file(Index step) {
    std::vector<PointArray> arrays;
    for (const char* name : {"points", "normal", "wall_shear_stress"}) {
      arrays.push_back({name, ElementType::float32, 3});
    }
    if (samples_ > 0) {
      arrays.push_back({"mean_wall_shear_stress", ElementType::float32, 3});
      arrays.push_back({"mean_size", ElementType::float32, 1});
      arrays.push_back({"oscillatory_shear_index", ElementType::float32, 1});
    }
    std::vector<std::vector<float>> values(arrays.size());
    const auto add = [&](std::size_t n, double value) {
      values[n].push_back(static_cast<float>(value));
    };
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const RimCell& rim = points_[n];
      const Real3 point = place_of_cells_.center(rim.cell) + place_of_cells_.spacing * rim.to_wall;
      const Real3 normal = direction(rim.to_wall);
      for (std::size_t a = 0; a < 3; ++a) {
        add(0, point[a]);
        add(1, normal[a]);
        add(2, now_[3 * n + a]);
      }
      if (samples_ == 0) continue;
      Real3 mean;
      for (std::size_t a = 0; a < 3; ++a) {
        mean[a] = sums_[4 * n + a] / static_cast<double>(samples_);
        add(3, mean[a]);
      }
      const double size = sums_[4 * n + 3] / static_cast<double>(samples_);
      add(4, size);
      add(5, size > 0 ? std::max(0.0, (1 - norm(mean) / size) / 2) : 0);
    }
    files_.push_back(place_.directory / numbered_name(stem(), step, ".vtp"));
    PointFile file(files_.back(), arrays, "Normals=\"normal\"",
                   {static_cast<Index>(points_.size())});
    for (const auto& array : values) file.append(array.data());
    file.commit();
  }

  AnyField shear_;
  ShearAt shear_at_;
  CellPlace place_of_cells_;
  std::vector<RimCell> points_;
  std::vector<double> now_;   ///< t of points
  std::vector<double> sums_;  ///< sums over samples of t and |t|
  Index samples_ = 0, sampled_ = -1;
  RunPlace place_;
  std::vector<std::filesystem::path> files_;
};

}  // namespace

std::unique_ptr<SimulationOutput> surface_output(AnyField shear, ShearAt shear_at,
                                                 const Vessel& vessel, const CellPlace& place,
                                                 When when) {
  return std::make_unique<SurfaceOutput>(std::move(shear), std::move(shear_at), vessel, place,
                                         std::move(when));
}

}  // namespace goban::blood
