#include "goban/io/image/stl.hpp"

#include <cstring>

#include "tests/io/image/shapes.hpp"
#include "tests/io/scratch.hpp"

namespace goban::stl_test {
namespace {

using StlTest = ScratchTest;

TEST_F(StlTest, BinaryAndAsciiGiveTheSameTriangles) {
  const TriangleMesh cube = box_mesh({-1, 0, 2}, {1, 3, 2.5f});
  store("b.stl", binary_stl(cube));
  store("a.stl", ascii_stl(cube));
  EXPECT_EQ(read_stl(path("b.stl")).triangles, cube.triangles);
  EXPECT_EQ(read_stl(path("a.stl")).triangles, cube.triangles);
}

TEST_F(StlTest, BinaryFilesThatBeginWithSolidAreBinary) {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  store("b.stl", binary_stl(cube, "solid made by a program that lies"));
  EXPECT_EQ(read_stl(path("b.stl")).triangles, cube.triangles);
}

TEST_F(StlTest, BytesAfterTheLastTriangleAreNotRead) {
  const TriangleMesh cube = box_mesh({0, 0, 0}, {1, 1, 1});
  for (const char* header : {"made somewhere", "solid cube"}) {
    store("b.stl", binary_stl(cube, header) + std::string(4, '\0'));
    EXPECT_EQ(read_stl(path("b.stl")).triangles, cube.triangles) << header;
  }
}

TEST_F(StlTest, AsciiIsReadInAnyCaseSpacingAndNumberFormat) {
  store("a.stl",
        "  SOLID a name of facet normal words\r\n"
        "FACET NORMAL nan nan nan OUTER LOOP\r\n\tVERTEX +1 -2.5e-1 1E2\r\n"
        "Vertex 0 1 0 vertex 1e-60 .5 3.\r\nendloop endfacet\r\nENDSOLID a name\r\n"
        "solid second\nendsolid second");
  const TriangleMesh mesh = read_stl(path("a.stl"));
  ASSERT_EQ(mesh.triangles.size(), 1u);
  EXPECT_EQ(mesh.triangles[0], (Triangle{{{1, -0.25f, 100}, {0, 1, 0}, {0, 0.5f, 3}}}));
}

TEST_F(StlTest, SolidsOfOneFileAreOneMesh) {
  const TriangleMesh one = box_mesh({0, 0, 0}, {1, 1, 1});
  store("a.stl", ascii_stl(one) + ascii_stl(one));
  EXPECT_EQ(read_stl(path("a.stl")).triangles.size(), 24u);
}

TEST_F(StlTest, RefusesWhatItCannotReadAndSaysWhy) {
  const auto reads = [&](std::string_view bytes) {
    store("s.stl", bytes);
    return refusal([&] { read_stl(path("s.stl")); }, ExitCode::files);
  };
  EXPECT_EQ(reads(""), "cannot read s.stl (it is not an STL file)");
  EXPECT_EQ(reads("ply\nformat ascii 1.0\n"), "cannot read s.stl (it is not an STL file)");
  EXPECT_EQ(reads("solid empty\nendsolid\n"), "cannot read s.stl (it holds no triangles)");
  EXPECT_EQ(reads("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 zero\n"),
            "cannot read s.stl:4 (a coordinate is not a finite number)");
  EXPECT_EQ(reads("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n"),
            "cannot read s.stl:4 (a coordinate is not a finite number)");
  EXPECT_EQ(reads("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e39\n"),
            "cannot read s.stl:4 (a coordinate is not a finite number)");
  EXPECT_EQ(reads("solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nendloop\n"),
            "cannot read s.stl:5 (vertex expected, not 'endloop')");
  EXPECT_EQ(reads("solid x\nfacette\n"),
            "cannot read s.stl:2 (facet or endsolid expected, not 'facette')");
  EXPECT_EQ(reads("solid x\nfacet normal 0 0 1\nouter loop\n"),
            "cannot read s.stl:4 (it is cut short)");
  std::string binary = binary_stl(box_mesh({0, 0, 0}, {1, 1, 1}));
  EXPECT_EQ(reads(binary.substr(0, binary.size() - 1)),
            "cannot read s.stl (12 triangles of binary STL are 684 bytes, the file has 683); it is "
            "damaged or not an STL file");
  std::string lying = binary_stl(box_mesh({0, 0, 0}, {1, 1, 1}), "solid cube");
  EXPECT_EQ(reads(lying.substr(0, 600)),
            "cannot read s.stl (12 triangles of binary STL are 684 bytes, the file has 600); it is "
            "damaged or not an STL file");
  std::memset(lying.data() + 80, 0, 4);
  EXPECT_EQ(reads(lying), "cannot read s.stl (it says that it holds no triangles)");
  std::memset(binary.data() + 80, 0xff, 4);
  EXPECT_EQ(reads(binary),
            "cannot read s.stl (4294967295 triangles of binary STL are 214748364834 bytes, the "
            "file has 684); it is damaged or not an STL file");
  EXPECT_EQ(reads(std::string(84, '\0')), "cannot read s.stl (it says that it holds no triangles)");
  const float not_finite = HUGE_VALF;
  binary = binary_stl(box_mesh({0, 0, 0}, {1, 1, 1}));
  std::memcpy(binary.data() + 84 + 50 + 12, &not_finite, 4);
  EXPECT_EQ(reads(binary), "cannot read s.stl (triangle 1 has a coordinate that is not finite)");
}

TEST_F(StlTest, TruncatedAsciiFilesAreRefused) {
  const std::string whole = ascii_stl(box_mesh({0, 0, 0}, {1, 1, 1}));
  const std::size_t end = whole.rfind("endsolid") + 8;
  for (std::size_t size = 0; size < end; size += 5) {
    store("s.stl", whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_stl(path("s.stl")); }, ExitCode::files), "") << size;
  }
}

}  // namespace
}  // namespace goban::stl_test
