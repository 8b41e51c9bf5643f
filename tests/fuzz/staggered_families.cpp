// Values on faces and edges of the staggered grid that drive each other.

#include "goban/stencil/operators.hpp"
#include "tests/fuzz/families.hpp"

namespace goban::fuzz {
namespace {

/// Pressure differences accelerate the three face velocities.
struct Accelerate {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto p, auto u, auto v, auto w) const {
    u = 0.5f * u() + r * (p(-1, 0, 0) - p());
    v = 0.5f * v() + r * (p(0, -1, 0) - p());
    w = 0.5f * w() + r * (p(0, 0, -1) - p());
  }
};
struct Compress {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto v, auto w, auto p) const {
    p = 0.5f * p() + r * (u() - u(1, 0, 0) + v() - v(0, 1, 0) + w() - w(0, 0, 1));
  }
};

/// Mean between cells and faces along one axis.
template <Axis A, Onto onto>
struct Interpolate {
  float r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto next) const { next = r * average<A, onto, 4>(u); }
};

/// The curl of two face fields on the edge between them.
struct Curl {
  double r = 0;
  GOBAN_FUNCTION void operator()(auto u, auto v, auto edge) const {
    edge = r * (u() - u(0, -1, 0)) + r * (v(-1, 0, 0) - v());
  }
};

template <class Layout>
void add_accelerate(ProgramDraft& draft) {
  const auto& u = draft.output_at<float, Layout>(Location::face_x);
  const auto& v = draft.output_at<float, Layout>(Location::face_y);
  const auto& w = draft.output_at<float, Layout>(Location::face_z);
  const auto& p = draft.input_at<float, Layout>(Location::cell);
  draft.apply(Accelerate{static_cast<float>(draft.number(0, 0.25))}, in(p), inout(u), inout(v),
              inout(w));
}
template <class Layout>
void add_compress(ProgramDraft& draft) {
  const auto& u = draft.input_at<float, Layout>(Location::face_x);
  const auto& v = draft.input_at<float, Layout>(Location::face_y);
  const auto& w = draft.input_at<float, Layout>(Location::face_z);
  const auto& p = draft.output_at<float, Layout>(Location::cell);
  draft.apply(Compress{static_cast<float>(draft.number(0, 0.0625))}, in(u), in(v), in(w), inout(p));
}
void add_onto_faces(ProgramDraft& draft) {
  const auto& u = draft.input_at<float>(Location::cell);
  const auto& next = draft.output_at<float>(Location::face_y);
  draft.apply(Interpolate<Axis::y, Onto::face>{static_cast<float>(draft.number(-0.5, 0.5))}, in(u),
              out(next));
}
void add_onto_cells(ProgramDraft& draft) {
  const auto& u = draft.input_at<float>(Location::face_x);
  const auto& next = draft.output_at<float>(Location::cell);
  draft.apply(Interpolate<Axis::x, Onto::center>{static_cast<float>(draft.number(-0.5, 0.5))},
              in(u), out(next));
}
void add_curl(ProgramDraft& draft) {
  const auto& u = draft.input_at<double>(Location::face_x);
  const auto& v = draft.input_at<double>(Location::face_y);
  const auto& edge = draft.output_at<double>(Location::edge_z);
  draft.apply(Curl{draft.number(-0.2, 0.2)}, in(u), in(v), out(edge));
}

}  // namespace

std::vector<Family> staggered_families() {
  return {{"Accelerate", add_accelerate<ijk>},
          {"Accelerate<kij>", add_accelerate<kij>},
          {"Compress", add_compress<ijk>},
          {"Compress<kij>", add_compress<kij>},
          {"OntoFaces<y>", add_onto_faces},
          {"OntoCells<x>", add_onto_cells},
          {"Curl", add_curl}};
}

}  // namespace goban::fuzz
