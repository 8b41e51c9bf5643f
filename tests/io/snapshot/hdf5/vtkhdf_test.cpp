#include "goban/io/snapshot/hdf5/vtkhdf.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <thread>

#include "tests/file_calls.hpp"
#include "tests/io/scratch.hpp"
#include "tests/io/snapshot/snapshot_example.hpp"

namespace goban::vtkhdf_test {
namespace {

class VtkhdfTest : public ScratchTest {
 protected:
  std::filesystem::path written(Index step = 100) const {
    const SnapshotExample example(step);
    hdf5::write_vtkhdf(path("s.vtkhdf"), example.snapshot);
    return path("s.vtkhdf");
  }
  std::string refused(const SnapshotSelection& selection = {},
                      ExitCode code = ExitCode::files) const {
    return refusal([&] { hdf5::read_vtkhdf(path("s.vtkhdf"), selection); }, code);
  }
  /// Runs h5py statements on the open file f; false if there is no h5py.
  bool edited(const std::string& statements) const {
    return python("h5py,numpy", "import h5py,numpy as n\nf=h5py.File('" +
                                    path("s.vtkhdf").string() + "','a')\ng=f['VTKHDF']\n" +
                                    statements)
        .has_value();
  }
};

TEST_F(VtkhdfTest, EveryFieldReadsBackToTheSameBits) {
  const SnapshotExample example;
  hdf5::write_vtkhdf(path("s.vtkhdf"), example.snapshot);
  EXPECT_EQ(file_count(), 1u);
  const StoredSnapshot back = hdf5::read_vtkhdf(path("s.vtkhdf"));
  EXPECT_EQ(back.origin, example.snapshot.origin);
  EXPECT_EQ(back.spacing, example.snapshot.spacing);
  EXPECT_EQ(back.time, 50);
  EXPECT_EQ(back.step, 100);
  EXPECT_EQ(back.config, example.snapshot.config);
  EXPECT_EQ(back.provenance, (std::vector<std::pair<std::string, std::string>>{
                                 {"machine", ""}, {"version", "0.1.0"}}));
  ASSERT_EQ(back.fields.size(), 6u);
  for (const SnapshotField& field : example.snapshot.fields) {
    const auto stored = std::find_if(back.fields.begin(), back.fields.end(),
                                     [&](const Array& a) { return a.name == field.name; });
    ASSERT_NE(stored, back.fields.end()) << field.name;
    EXPECT_EQ(stored->type, stored_type(field.type));
    EXPECT_EQ(stored->extents, example.extents);
    ASSERT_EQ(stored->components, field.components);
    EXPECT_EQ(back.units[static_cast<std::size_t>(stored - back.fields.begin())], field.unit);
    const Array values = example.values_of(field);
    for (Index k = 0; k < 3; ++k)
      for (Index j = 0; j < 4; ++j)
        for (Index i = 0; i < 5; ++i)
          for (int c = 0; c < field.components; ++c)
            ASSERT_EQ(stored->at(i, j, k, c), values.at(i, j, k, c)) << field.name;
  }
}

TEST_F(VtkhdfTest, OneFieldAndOnePlaneCanBeReadAlone) {
  written();
  const StoredSnapshot back = hdf5::read_vtkhdf(
      path("s.vtkhdf"), {.fields = {"velocity"}, .plane = std::pair{Axis::y, Index{2}}});
  ASSERT_EQ(back.fields.size(), 1u);
  EXPECT_EQ(back.fields[0].extents, (Index3{5, 1, 3}));
  const SnapshotExample example;
  EXPECT_EQ(back.fields[0].at(3, 0, 1, 2), example.velocity[2 * 60 + 20 + 10 + 3]);
  EXPECT_EQ(refused({.fields = {"T"}, .plane = {}}, ExitCode::usage),
            "there is no field 'T' in the file (it holds alive, f & <g>, moisture, number, "
            "temperature, velocity)");
  EXPECT_EQ(refused({.fields = {"alive"}, .plane = std::pair{Axis::x, Index{5}}}, ExitCode::usage),
            "there is no plane 5 of field 'alive' (the planes along that axis are 0 to 4)");
}

TEST_F(VtkhdfTest, FieldsOfManyChunksReadBack) {
  // Chunks of planes, the last of fewer; chunks of rows, the last of every plane of fewer.
  for (const Index3 extents : {Index3{300, 200, 9}, {600, 400, 5}}) {
    std::vector<double> values(static_cast<std::size_t>(product(extents)));
    for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(n);
    Snapshot snapshot{.extents = extents, .fields = {}, .config = {}, .provenance = {}};
    snapshot.fields.push_back(SnapshotField(dense_view(values.data(), extents, "u")));
    hdf5::write_vtkhdf(path("s.vtkhdf"), snapshot);
    const StoredSnapshot back = hdf5::read_vtkhdf(path("s.vtkhdf"));
    const auto stored = back.fields.at(0).as<double>();
    EXPECT_TRUE(std::equal(stored.begin(), stored.end(), values.begin(), values.end()));
  }
}

TEST_F(VtkhdfTest, TheStructureIsThatOfTheSpecification) {
  written();
  const auto output = python("h5py", R"(import h5py
f=h5py.File(')" + path("s.vtkhdf").string() +
                                         R"(','r')
g=f['VTKHDF']
a=g.attrs
print(sorted(n for n in f if n not in g['CellData']), sorted(g), sorted(a))
print(a['Version'].dtype, a['Version'].tolist(), a['Type'], h5py.h5a.open(g.id,b'Type').get_type().get_size(), h5py.h5a.open(g.id,b'Type').get_type().is_variable_str())
print(a['WholeExtent'].tolist(), a['Origin'].tolist(), a['Spacing'].tolist(), a['Direction'].tolist())
c=g['CellData']
for n in sorted(c): print(n, c[n].shape, c[n].dtype, c[n].fletcher32, {k: bytes(v) for k, v in c[n].attrs.items() if k == 'units'})
print(c['temperature'][1,2,3], c['velocity'][1,2,3,2])
print(f['goban'].attrs['time'], f['goban'].attrs['step'], f['goban/config'][()].decode(), f['goban/provenance/version'][()])
)");
  if (!output) GTEST_SKIP() << "no Python with h5py";
  EXPECT_EQ(
      *output,
      R"(['VTKHDF', 'component_19', 'component_3', 'goban', 'time', 'x', 'y', 'z'] ['CellData'] ['Direction', 'Origin', 'Spacing', 'Type', 'Version', 'WholeExtent']
int64 [1, 0] b'ImageData' 9 False
[0, 5, 0, 4, 0, 3] [1.0, 2.0, 3.0] [0.1, 0.2, 0.25] [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
alive (3, 4, 5) uint8 True {}
f & <g> (3, 4, 5, 19) float32 True {}
moisture (3, 4, 5) float32 True {}
number (3, 4, 5) int32 True {}
temperature (3, 4, 5) float32 True {'units': b'K'}
velocity (3, 4, 5, 3) float64 True {'units': b'm/s'}
83.0 0.153
50.0 100 a = 1
# caf)"
      "\xc3\xa9"
      R"(
 b'0.1.0'
)");
}

TEST_F(VtkhdfTest, CoordinatesAreThoseOfNetcdf) {
  SnapshotExample example;
  example.snapshot.length_unit = "m";
  example.snapshot.time_unit = "s";
  example.snapshot.fields[1].location = Location::face_x;
  example.snapshot.fields[1].name = "time";  // the coordinate gives way
  example.snapshot.fields[2].location = Location::node;
  for (SnapshotField& field : example.snapshot.fields) {
    if (field.name == "moisture") field.name = "height";
  }
  example.snapshot.fields[5].name = "latitude";
  example.snapshot.node = [](Index3) { return Real3{}; };  // levels follow the ground
  hdf5::write_vtkhdf(path("s.vtkhdf"), example.snapshot);
  const auto output = python("h5py", R"(import h5py
f=h5py.File(')" + path("s.vtkhdf").string() +
                                         R"(','r')
print(f.attrs['Conventions'], f['x_face'].attrs['axis'], f['z'].attrs['axis'])
for n in ('temperature', 'time', 'number', 'velocity', 'height'):
  d=f[n]
  scales=[s.values()[0] for s in d.dims]
  print(n, d == f['VTKHDF/CellData/'+n], d.attrs['location'].decode(), d.attrs['coordinates'].decode(), [s.name for s in scales])
  print([[round(float(v), 6) for v in s] for s in scales[:3]], scales[2].attrs['units'])
print(f['velocity'].dims[3][0][()].tolist(), f['time_'][()], f['time_'].attrs['units'], f['x'].attrs['CLASS'], f['x'].fletcher32)
)");
  if (!output) GTEST_SKIP() << "no Python with h5py";
  EXPECT_EQ(*output,
            R"(b'CF-1.8' b'X' b'Z'
temperature True cell time_ height latitude ['/z', '/y', '/x']
[[3.125, 3.375, 3.625], [2.1, 2.3, 2.5, 2.7], [1.05, 1.15, 1.25, 1.35, 1.45]] b'm'
time True face_x time_ ['/z', '/y', '/x_face']
[[3.125, 3.375, 3.625], [2.1, 2.3, 2.5, 2.7], [1.0, 1.1, 1.2, 1.3, 1.4]] b'm'
number True node time_ ['/z_face', '/y_face', '/x_face']
[[3.0, 3.25, 3.5], [2.0, 2.2, 2.4, 2.6], [1.0, 1.1, 1.2, 1.3, 1.4]] b'm'
velocity True cell time_ height latitude ['/z', '/y', '/x', '/component_3']
[[3.125, 3.375, 3.625], [2.1, 2.3, 2.5, 2.7], [1.05, 1.15, 1.25, 1.35, 1.45]] b'm'
height True cell time_ latitude ['/z', '/y', '/x']
[[3.125, 3.375, 3.625], [2.1, 2.3, 2.5, 2.7], [1.05, 1.15, 1.25, 1.35, 1.45]] b'm'
[0.0, 1.0, 2.0] 50.0 b's' b'DIMENSION_SCALE' True
)");
}

TEST_F(VtkhdfTest, FilesOfOtherProgramsAreRead) {
  written();
  if (!edited("del f['goban']\ndel g['CellData']\np=g.create_group('PointData')\n"
              "p.create_dataset('T',data=n.arange(120,dtype='i2').reshape(4,5,6),compression=9)\n"
              "g.attrs['WholeExtent']=[2,7,0,4,0,3]\n"))
    GTEST_SKIP() << "no Python with h5py";
  const StoredSnapshot back = hdf5::read_vtkhdf(path("s.vtkhdf"));
  ASSERT_EQ(back.fields.size(), 1u);
  EXPECT_EQ(back.fields[0].type, ElementType::int32);
  EXPECT_EQ(back.fields[0].extents, (Index3{6, 5, 4}));
  EXPECT_EQ(back.fields[0].at(1, 2, 3), 103);
  EXPECT_DOUBLE_EQ(back.origin[0], 1 + 0.2 - 0.05);
  EXPECT_EQ(back.time, 0);
}

TEST_F(VtkhdfTest, RefusesWhatItCannotReadAndSaysWhy) {
  EXPECT_EQ(refused(), "cannot read s.vtkhdf (No such file or directory); check the path");
  store("s.vtkhdf", "\x89HDF\r\n\x1a\n and then nothing");
  EXPECT_TRUE(refused().ends_with("it is damaged or not an HDF5 file")) << refused();
  store("s.vtkhdf", "no HDF5 at all");
  EXPECT_TRUE(refused().ends_with("it is damaged or not an HDF5 file")) << refused();
}

TEST_F(VtkhdfTest, OtherKindsOfVtkhdfAreRefused) {
  const auto after = [&](const std::string& statements) {
    written();
    return edited(statements) ? refused() : std::string();
  };
  if (after("") == "" && !edited("")) GTEST_SKIP() << "no Python with h5py";
  EXPECT_EQ(after("f.move('VTKHDF','other')\n"), "cannot read s.vtkhdf (it has no group VTKHDF)");
  EXPECT_EQ(after("g.attrs['Type']=n.bytes_('UnstructuredGrid')\n"),
            "cannot read s.vtkhdf (it holds 'UnstructuredGrid', only ImageData is read)");
  EXPECT_EQ(after("g.create_group('Steps')\n"),
            "cannot read s.vtkhdf (it holds several time steps in one file); save one file per "
            "step");
  EXPECT_EQ(after("del g.attrs['WholeExtent']\n"),
            "cannot read s.vtkhdf (attribute WholeExtent is missing)");
  EXPECT_EQ(after("g.attrs['WholeExtent']=[0,-5,0,4,0,3]\n"),
            "cannot read s.vtkhdf (attribute WholeExtent is damaged)");
  EXPECT_EQ(after("g.attrs['WholeExtent']=[0,5,0,4]\n"),
            "cannot read s.vtkhdf (attribute WholeExtent is not 6 numbers)");
  EXPECT_EQ(after("g.attrs['WholeExtent']=[0,6,0,4,0,3]\n"),
            "cannot read s.vtkhdf (field 'alive' has 5 x 4 x 3 cells, the grid 6 x 4 x 3)");
  EXPECT_EQ(after("c=g['CellData']\ndel c['alive']\nc['alive']=n.zeros((4,5))\n"),
            "cannot read s.vtkhdf (field 'alive' has 2 axes)");
  EXPECT_EQ(after("c=g['CellData']\ndel c['alive']\nc['alive']=n.zeros((3,4,5),dtype='S3')\n"),
            "cannot read s.vtkhdf (field 'alive' does not hold numbers)");
}

TEST_F(VtkhdfTest, AShapeThatTheFileCannotHoldTakesNoMemory) {
  written();
  if (!edited("c=g['CellData']\nfor m in list(c): del c[m]\n"
              "c.create_dataset('u',shape=(60000,60000,60000),dtype='f8',chunks=(1,8,8))\n"
              "g.attrs['WholeExtent']=[0,60000,0,60000,0,60000]\n"))
    GTEST_SKIP() << "no Python with h5py";
  EXPECT_EQ(refused(), "cannot read s.vtkhdf (field 'u' needs 1.5 PiB, the file holds 0 bytes)");
}

TEST_F(VtkhdfTest, AChangedValueIsFoundByItsChecksum) {
  written();
  std::string file = content("s.vtkhdf");
  const float value = 57.0f;  // temperature of cell 7
  const auto at = file.find(std::string(reinterpret_cast<const char*>(&value), 4));
  ASSERT_NE(at, std::string::npos);
  file[at + 1] = static_cast<char>(file[at + 1] ^ 4);
  store("s.vtkhdf", file);
  const std::string text = refused({.fields = {"temperature"}, .plane = {}});
  EXPECT_TRUE(text.starts_with("cannot read s.vtkhdf (HDF5: ")) << text;
  EXPECT_EQ(refused({.fields = {"alive"}, .plane = {}}), "");
}

TEST_F(VtkhdfTest, AFailedWriteKeepsTheOldFile) {
  written();
  const std::string before = content("s.vtkhdf");
  SnapshotExample example;
  example.snapshot.provenance.push_back({"version", "twice"});
  EXPECT_NE(
      refusal([&] { hdf5::write_vtkhdf(path("s.vtkhdf"), example.snapshot); }, ExitCode::files),
      "");
  EXPECT_EQ(content("s.vtkhdf"), before);
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(VtkhdfTest, NoCallThatFailsIsSwallowed) {
  written();
  const std::string whole = content("s.vtkhdf");
  const SnapshotExample example;
  const auto write = [&] { hdf5::write_vtkhdf(path("t.vtkhdf"), example.snapshot); };
  const long calls = test::count_file_calls({.under = directory()}, write);
  EXPECT_GT(calls, 20);
  for (const int error_number : {EIO, ENOSPC}) {
    for (long at = 0; at < calls; ++at) {
      std::filesystem::remove(path("t.vtkhdf"));
      const std::string text = refusal(
          [&] {
            test::count_file_calls({.under = directory(), .at = at, .error_number = error_number},
                                   write);
          },
          ExitCode::files);
      if (text.empty()) {
        EXPECT_EQ(content("t.vtkhdf"), whole) << "call " << at << " failed, and nobody said so";
      } else {
        EXPECT_NE(text.find(error_number == EIO ? "Input/output error" : "No space left"),
                  std::string::npos)
            << text;
      }
    }
  }
}

TEST_F(VtkhdfTest, ThreadsTakeTurns) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([this, t] {
      const SnapshotExample example(t);
      for (int n = 0; n < 5; ++n) {
        const auto file = path(fmt::format("t{}", t));
        hdf5::write_vtkhdf(file, example.snapshot);
        if (hdf5::read_vtkhdf(file).step != t) ADD_FAILURE() << "thread " << t;
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Hdf5, NamesItsVersion) { EXPECT_TRUE(hdf5::library_version().starts_with("HDF5 1.")); }

}  // namespace
}  // namespace goban::vtkhdf_test
