// Fuses whose results would not have the bits of their stages one by one are refused.

#include <gtest/gtest.h>

#include "goban/domain/engine/engine.hpp"
#include "goban/runtime/runtime.hpp"
#include "tests/domain/fused_functors.hpp"
#include "tests/domain/same_bits.hpp"
#include "tests/error_text.hpp"

namespace goban::fuse_refusal_test {
namespace {

using test::Across;
using test::Along;
using test::Divergence;
using test::error_of;
using test::Flux;

class FuseRefusal : public testing::Test {
 protected:
  std::string refusal() {
    return error_of([&] { Engine(program_).prepare(); });
  }
  template <class Handed>
  StageHandle fuse(const Field<float>& u, const Handed& flux, const Field<float>& next) {
    return program_.fuse(
        [](auto u, auto flux, auto next) {
          return stages(stage(Flux{0.2f}, in(u), out(flux)),
                        stage(Divergence{}, in(u), in(flux), out(next)));
        },
        u, flux, next);
  }
  template <class Handed>
  void fuse_along(const Field<float>& u, const Handed& flux, const Field<float>& next,
                  const Field<float>& total) {
    program_.fuse(
        [](auto u, auto flux, auto next, auto total) {
          return stages(stage(Along{}, in(u), out(flux)),
                        stage(Across{}, in(u), in(flux), out(next), inout(total)));
        },
        u, flux, next, total);
  }

  Runtime runtime_{test::plainest()};
  Grid grid_{runtime_, {.cells = {8, 8, 8}, .boundary = periodic}};
  Grid walled_{runtime_, {.cells = {8, 8, 8}, .boundary = {periodic, mirror, mirror}}};
  Program program_{"program"};
};

TEST_F(FuseRefusal, ReadsBeyondTheEndsOfAnAxisThatIsNotPeriodic) {
  Field<float> u(walled_, "u"), next(walled_, "next");
  Intermediate<float, 2> flux(walled_, "flux");
  fuse(u, flux, next);
  EXPECT_EQ(
      refusal(),
      "stage 'Flux + Divergence' cannot be fused ('Divergence' reads 'flux' beyond the "
      "ends along y, where it is neither periodic nor constant); apply the functors one by one");
}
TEST_F(FuseRefusal, FacesAtTheEndsOfAnAxisThatIsNotPeriodic) {
  Field<float> u(walled_, "u"), next(walled_, "next", {Location::face_y}), total(walled_, "total");
  Field<float> flux(walled_, "flux");
  fuse_along(u, flux, next, total);
  EXPECT_EQ(refusal(),
            "stage 'Along + Across' cannot be fused ('Across' reads 'flux' beyond the ends "
            "along y, where it is neither periodic nor constant); apply the functors one by one");
}
TEST_F(FuseRefusal, FacesThatAWallSets) {
  const BoundarySet walls(periodic, wall_value(1), mirror);
  const FieldOptions faces{Location::face_y, &walls};
  Field<float> u(walled_, "u"), next(walled_, "next", faces), total(walled_, "total", faces);
  Intermediate<float> flux(walled_, "flux", faces);
  fuse_along(u, flux, next, total);
  EXPECT_EQ(refusal(),
            "stage 'Along + Across' cannot be fused ('Across' reads 'flux' beyond the ends "
            "along y, where it is neither periodic nor constant); apply the functors one by one");
}
TEST_F(FuseRefusal, ConstantsThatNobodyAskedFor) {
  const BoundarySet walls(periodic, constant(1), mirror);
  Field<float> u(walled_, "u"), next(walled_, "next");
  Field<float, 2> flux(walled_, "flux", {Location::cell, &walls});
  fuse(u, flux, next);
  EXPECT_EQ(refusal(),
            "stage 'Flux + Divergence' cannot be fused ('Divergence' reads 'flux' beyond the ends "
            "along y, where it is constant); pass the field as walled(flux)");
}
TEST_F(FuseRefusal, ConstantsThatChange) {
  const BoundarySet walls(periodic, constant(1), mirror);
  Field<float> u(walled_, "u"), next(walled_, "next");
  Field<float, 2> flux(walled_, "flux", {Location::cell, &walls});
  fuse(u, walled(flux), next);
  EXPECT_EQ(refusal(), "");
  flux.boundary(Axis::y, Side::low, constant(2));
  EXPECT_EQ(refusal(),
            "stage 'Flux + Divergence' cannot be fused (the boundary of 'flux' has changed since); "
            "set it before");
}
TEST_F(FuseRefusal, ConstantsThatDifferBetweenComponents) {
  const BoundarySet walls(periodic, constant(1), mirror);
  Field<float> u(walled_, "u"), next(walled_, "next");
  Field<float, 2> flux(walled_, "flux", {Location::cell, &walls});
  flux.boundary(Axis::y, Side::low, constant(2), 1);
  fuse(u, walled(flux), next);
  EXPECT_EQ(refusal(),
            "stage 'Flux + Divergence' cannot be fused ('Divergence' reads 'flux' beyond the ends "
            "along y, where its components have different constants); apply the functors one by "
            "one");
}
TEST_F(FuseRefusal, StoredFieldsInAPartOfTheGrid) {
  Field<float> u(grid_, "u"), next(grid_, "next");
  Field<float, 2> flux(grid_, "flux");
  fuse(u, flux, next).over({{1, 1, 1}, {4, 4, 4}});
  EXPECT_EQ(refusal(),
            "stage 'Flux + Divergence' cannot be limited to a part of the grid ('Divergence' would "
            "read values of 'flux' that the stage does not renew); make it an Intermediate, or "
            "apply the functors one by one");
}
TEST_F(FuseRefusal, OneFieldUnderTwoNames) {
  Field<float> u(grid_, "u");
  Intermediate<float, 2> flux(grid_, "flux");
  fuse(u, flux, u);
  EXPECT_EQ(refusal(),
            "stage 'Flux + Divergence' uses field 'u' twice (it is both written and passed again); "
            "use inout once, or a second field and swap");
}
TEST_F(FuseRefusal, IntermediatesOfAnotherGrid) {
  Field<float> u(grid_, "u"), next(grid_, "next");
  Intermediate<float, 2> flux(walled_, "flux");
  fuse(u, flux, next);
  EXPECT_EQ(
      refusal(),
      "stage 'Flux + Divergence' mixes grids ('u' and 'flux' live on two); one stage works on "
      "one grid");
}

struct Forget {
  GOBAN_FUNCTION void operator()(auto u, auto flux) const { flux[0] = u(); }
};
TEST_F(FuseRefusal, FunctorsThatForgetAnOutput) {
  Field<float> u(grid_, "u"), next(grid_, "next");
  Intermediate<float, 2> flux(grid_, "flux");
  EXPECT_EQ(error_of([&] {
              program_.fuse(
                  [](auto u, auto flux, auto next) {
                    return stages(stage(Forget{}, in(u), out(flux)),
                                  stage(Divergence{}, in(u), in(flux), out(next)));
                  },
                  u, flux, next);
            }),
            "functor Forget does not assign every out (component 1 of 'flux' keeps no value on "
            "some path); assign it exactly once on every path, or pass the field as inout");
}

}  // namespace
}  // namespace goban::fuse_refusal_test
