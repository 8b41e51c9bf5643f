#include "goban/io/file/npy.hpp"

#include <cstring>
#include <numeric>

#include "tests/io/scratch.hpp"

namespace goban::npy_test {
namespace {

using NpyTest = ScratchTest;

/// A version-1 file with this dictionary and these bytes behind it.
std::string npy(std::string_view dictionary, std::string_view payload) {
  std::string file = "\x93NUMPY";
  file += '\1';
  file += '\0';
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  return file.append(dictionary).append(payload);
}

TEST_F(NpyTest, EveryTypeReadsBackToTheSameBytes) {
  for (const auto type : {ElementType::uint8, ElementType::int32, ElementType::half,
                          ElementType::float32, ElementType::float64})
    for (const int components : {1, 3}) {
      Array array(type, {5, 3, 2}, components, "f");
      for (std::size_t n = 0; n < array.bytes.size(); ++n)
        array.bytes[n] = static_cast<std::byte>(n * 37 % 101);
      write_npy(path("f.npy"), array.view());
      const Array back = read_npy(path("f.npy"));
      EXPECT_EQ(back.type, type);
      EXPECT_EQ(back.extents, array.extents);
      EXPECT_EQ(back.components, components);
      EXPECT_EQ(back.bytes, array.bytes);
      EXPECT_EQ(back.name, "f");
    }
}

TEST_F(NpyTest, ValuesBeginAtAMultipleOf64Bytes) {
  const Array array(ElementType::float64, {7, 1, 1});
  const Index begin = write_npy(path("f.npy"), array.type, array.extents, 1,
                                [](const Box&, void* out) { std::memset(out, 0, 7 * 8); });
  EXPECT_EQ(begin % 64, 0);
  EXPECT_EQ(content("f.npy").size(), static_cast<std::size_t>(begin) + 7 * 8);
  EXPECT_EQ(content("f.npy")[static_cast<std::size_t>(begin) - 1], '\n');
}

TEST_F(NpyTest, ValuesMadeOnDemandComeInOrder) {
  const Index3 extents = {1000, 700, 9};
  std::vector<Box> boxes;
  write_npy(path("f.npy"), ElementType::float32, extents, 1, [&](const Box& box, void* out) {
    boxes.push_back(box);
    for (Index n = 0; n < box.volume(); ++n) {
      static_cast<float*>(out)[n] = static_cast<float>(box.lower[2] + n / 700'000);
    }
  });
  EXPECT_GT(boxes.size(), 1u);
  const Array back = read_npy(path("f.npy"));
  for (Index k = 0; k < 9; ++k) {
    EXPECT_EQ(back.at(0, 0, k), static_cast<double>(k));
    EXPECT_EQ(back.at(999, 699, k), static_cast<double>(k));
  }
}

TEST_F(NpyTest, FewerAxesAndBothOrdersReadWithXLast) {
  std::string payload(6, '\0');
  std::iota(payload.begin(), payload.end(), '\0');
  store("c.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }\n", payload));
  store("f.npy", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }\n", payload));
  store("x.npy", npy("{\"shape\":(6,),\"fortran_order\":False,\"descr\":\"u1\"}", payload));
  const Array c = read_npy(path("c.npy"));
  EXPECT_EQ(c.extents, (Index3{3, 2, 1}));
  EXPECT_EQ(c.at(2, 0, 0), 2);
  EXPECT_EQ(c.at(0, 1, 0), 3);
  const Array f = read_npy(path("f.npy"));
  EXPECT_EQ(f.extents, (Index3{3, 2, 1}));
  EXPECT_EQ(f.at(2, 0, 0), 4);
  EXPECT_EQ(f.at(0, 1, 0), 1);
  EXPECT_EQ(read_npy(path("x.npy")).extents, (Index3{6, 1, 1}));
}

TEST_F(NpyTest, MisalignedValuesReadRight) {
  const double values[] = {1.5, -2.25};
  std::string payload(16, '\0');
  std::memcpy(payload.data(), values, 16);
  for (int pad = 0; pad < 8; ++pad) {
    store("f.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}" +
                           std::string(static_cast<std::size_t>(pad), ' '),
                       payload));
    EXPECT_EQ(read_npy(path("f.npy")).at(1, 0, 0), -2.25);
  }
}

TEST_F(NpyTest, RefusesWhatItCannotReadAndSaysWhy) {
  const auto reads = [&](const std::string& bytes) {
    store("f.npy", bytes);
    return refusal([&] { read_npy(path("f.npy")); }, ExitCode::files);
  };
  const auto with = [&](const std::string& descr, const std::string& shape, std::size_t bytes) {
    return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n",
               std::string(bytes, 'x'));
  };
  EXPECT_EQ(reads(""), "cannot read f.npy (it is not a .npy file)");
  EXPECT_EQ(reads("PK\3\4 something else"), "cannot read f.npy (it is not a .npy file)");
  EXPECT_EQ(
      reads(std::string("\x93NUMPY\3\0\0\0\0\0", 12)),
      "cannot read f.npy (.npy format 3.0 is not supported); save it with a plain numpy.save");
  EXPECT_EQ(reads(with("'<f4'", "(2,)", 8).substr(0, 40)),
            "cannot read f.npy (the .npy header is cut short)");
  EXPECT_EQ(reads(npy("{'descr': '<f4'}", "")), "cannot read f.npy (the .npy header is damaged)");
  EXPECT_EQ(reads(with("[('a', '<f4')]", "(2,)", 8)),
            "cannot read f.npy (the .npy header is damaged)");
  EXPECT_EQ(reads(with("'<f\n4'", "(2,)", 8)), "cannot read f.npy (the .npy header is damaged)");
  EXPECT_EQ(reads(with("'<c8'", "(2,)", 16)),
            "cannot read f.npy (element type '<c8' is not supported); convert it with astype to "
            "integers or reals of up to 64 bits");
  EXPECT_EQ(reads(with("'<f4'", "(2, 3)", 23)),
            "cannot read f.npy (shape (2, 3) of '<f4' needs 24 bytes, the file holds 23)");
  EXPECT_EQ(reads(with("'<f4'", "(2, 3)", 25)),
            "cannot read f.npy (shape (2, 3) of '<f4' needs 24 bytes, the file holds 25)");
  EXPECT_EQ(reads(with("'<f4'", "()", 4)),
            "cannot read f.npy (it has 0 axes); save it with shape (z, y, x) or (z, y, x, "
            "component)");
  EXPECT_EQ(reads(with("'<f4'", "(1, 1, 1, 1, 1)", 4)),
            "cannot read f.npy (it has 5 axes); save it with shape (z, y, x) or (z, y, x, "
            "component)");
  EXPECT_EQ(reads(with("'<f4'", "(0, 3)", 0)), "cannot read f.npy (shape (0, 3) is not usable)");
  EXPECT_EQ(reads(with("'<f8'", "(4294967296, 4294967296)", 8)),
            "cannot read f.npy (shape (4294967296, 4294967296) is not usable)");
  EXPECT_EQ(reads(with("'<f4'", "(-2, 3)", 24)), "cannot read f.npy (shape (-2, 3) is not usable)");
}

TEST_F(NpyTest, EveryTruncationIsRefused) {
  write_npy(path("f.npy"), Array(ElementType::float32, {3, 2, 1}).view());
  const std::string whole = content("f.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    store("f.npy", whole.substr(0, size));
    EXPECT_NE(refusal([&] { read_npy(path("f.npy")); }, ExitCode::files), "") << size;
  }
}

TEST_F(NpyTest, NumPyReadsWhatIsWrittenAndWritesWhatIsRead) {
  Array array(ElementType::float32, {4, 3, 2}, 2, "v");
  auto values = array.as<float>();
  std::iota(values.begin(), values.end(), 0.0f);
  write_npy(path("v.npy"), array.view());
  const auto output =
      python("numpy", "import numpy as n\na=n.load('" + path("v.npy").string() +
                          "')\nprint(a.shape,a.dtype,a[1,2,3,0],a[1,2,3,1])\n"
                          "n.save('" +
                          path("w.npy").string() + "',n.asfortranarray(a[...,1].astype('f8')))");
  if (!output) GTEST_SKIP() << "no Python with NumPy";
  EXPECT_EQ(*output, "(2, 3, 4, 2) float32 23.0 47.0\n");
  const Array back = read_npy(path("w.npy"));
  EXPECT_EQ(back.type, ElementType::float64);
  EXPECT_EQ(back.at(3, 2, 1), 47);
  EXPECT_EQ(back.at(1, 0, 0), 25);
}

TEST_F(NpyTest, TypesOfNumPyBecomeThoseOfGoban) {
  const auto said =
      python("numpy",
             "import numpy as np\n"
             "for t in '?', 'i1', 'u2', '>i2', 'u4', 'i8', '>u8', '>f4', '>f8', '>f2':\n"
             "  np.save('" +
                 directory().string() +
                 "/' + t.strip('>?') + ('b' if '>' in t else '') + "
                 "('bool' if t == '?' else '') + '.npy', np.array([[0, 1, 1]] if t == '?' else "
                 "[[0, 1, 100]], "
                 "t))\n"
                 "np.save('" +
                 path("large.npy").string() + "', [2**31])\n");
  if (!said) GTEST_SKIP() << "there is no NumPy";
  const std::pair<const char*, ElementType> files[] = {
      {"bool", ElementType::uint8}, {"i1", ElementType::int32},    {"u2", ElementType::int32},
      {"i2b", ElementType::int32},  {"u4", ElementType::int32},    {"i8", ElementType::int32},
      {"u8b", ElementType::int32},  {"f4b", ElementType::float32}, {"f8b", ElementType::float64},
      {"f2b", ElementType::half}};
  for (const auto& [name, type] : files) {
    const Array array = read_npy(path(std::string(name) + ".npy"));
    EXPECT_EQ(array.type, type) << name;
    EXPECT_EQ(array.at(1, 0, 0), 1) << name;
    EXPECT_EQ(array.at(2, 0, 0), type == ElementType::uint8 ? 1 : 100) << name;
  }
  EXPECT_EQ(refusal([&] { read_npy(path("large.npy")); }, ExitCode::files),
            "cannot read large.npy (it holds 2147483648, integers of 32 bits are taken)");
}

}  // namespace
}  // namespace goban::npy_test
