// SPDX-License-Identifier: GPL-2.0-only
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>

#include "io/hdf5/file_seal.h"
#include "io/result/result_reader.h"
#include "io/result/result_writer.h"
#include "io/schema/result_schema.h"
#include "io/table/result_format.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

Table EveryType(std::size_t rows) {
  std::mt19937_64 random(rows);
  Table table{"every type", "a column of each type", {}};
  std::vector<std::int64_t> i64(rows);
  std::vector<std::uint32_t> u32(rows);
  std::vector<std::uint16_t> u16(rows);
  std::vector<std::uint8_t> u8(rows);
  std::vector<double> f64(rows);
  std::vector<std::string> text(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    i64[i] = static_cast<std::int64_t>(random());
    u32[i] = static_cast<std::uint32_t>(random());
    u16[i] = static_cast<std::uint16_t>(random());
    u8[i] = static_cast<std::uint8_t>(random());
    f64[i] = i == 0 ? INFINITY : std::ldexp(static_cast<double>(random()), -70);
    text[i] = i % 3 == 0 ? "" : "Größe " + std::to_string(i);
  }
  // Not in alphabetical order: the file must keep the order of columns.
  table.columns = {{"z_i64", "ps", "signed", i64}, {"u32", "1", "wide", u32},
                   {"u16", "1", "middle", u16},    {"u8", "1", "narrow", u8},
                   {"f64", "bit/s", "real", f64},  {"a_text", "1", "words", text},
                   {"i64", "ps", "signed", i64},   {"j64", "ps", "signed", i64},
                   {"k64", "byte", "signed", i64}};
  return table;
}

void WriteResult(const std::string& path, const std::vector<Table>& tables) {
  ResultWriter writer(path, true);
  writer.WriteAttributes({{"program", std::string("heddle")},
                          {"seed", std::int64_t{-5}},
                          {"seconds", 0.1},
                          {"empty", std::string()},
                          {"config", std::string(200'000, 'x')}});
  for (const Table& table : tables) writer.Write(table);
  writer.Close();
}

/// Replaces the format version of a result.
void SetVersion(const std::string& path, int major_version, int minor_version) {
  const int version[] = {major_version, minor_version};
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT, version), 0);
  H5Aclose(attribute);
  EXPECT_GE(H5Fclose(file), 0);
  EXPECT_TRUE(AppendSeal(path));
}

TEST(Result, TablesComeBackEqual) {
  const std::string path = TempPath("r.h5");
  for (const std::size_t rows : {0, 1, 1000, 65536, 65537, 200'000}) {
    const Table table = EveryType(rows);
    WriteResult(path, {table});
    const ResultReader reader(path);
    EXPECT_TRUE(reader.complete());
    const Table back = reader.ReadTable("every type");
    EXPECT_EQ(Digest(back), Digest(table)) << rows << " rows";
    EXPECT_EQ(back.description, table.description);
    ASSERT_EQ(back.columns.size(), table.columns.size());
    EXPECT_EQ(back.columns[4].unit, "bit/s");
    EXPECT_EQ(back.columns[4].description, "real");
  }
}

TEST(Result, TablesMayBeNested) {
  const std::string path = TempPath("r.h5");
  Table links = EveryType(3);
  links.name = "topology/links";
  Table shape = EveryType(1);
  shape.name = "topology/shape";
  WriteResult(path, {links, shape, EveryType(2)});
  const ResultReader reader(path);
  EXPECT_EQ(reader.TableNames(),
            (std::vector<std::string>{"every type", "topology/links", "topology/shape"}));
  EXPECT_EQ(Digest(reader.ReadTable("topology/shape")), Digest(shape));
  EXPECT_EQ(MessageOf([&] { reader.ReadTable("topology/link"); }),
            path +
                ": no table 'topology/link'. Expected: a table of the result; the nearest is "
                "topology/links");
}

TEST(Result, AttributesComeBack) {
  const std::string path = TempPath("r.h5");
  WriteResult(path, {});
  const std::vector<Attribute> attributes = ResultReader(path).ReadAttributes();
  ASSERT_EQ(attributes.size(), 7u);
  EXPECT_EQ(attributes[0].name, "complete");
  EXPECT_EQ(std::get<std::int64_t>(attributes[0].value), 1);
  EXPECT_EQ(std::get<std::string>(attributes[1].value), std::string(200'000, 'x'));
  EXPECT_EQ(std::get<std::string>(attributes[2].value), "");
  EXPECT_EQ(std::get<std::string>(attributes[3].value), kResultFileType);
  EXPECT_EQ(std::get<std::string>(attributes[4].value), "heddle");
  EXPECT_EQ(std::get<double>(attributes[5].value), 0.1);
  EXPECT_EQ(std::get<std::int64_t>(attributes[6].value), -5);
}

TEST(Result, LaterAttributeReplaces) {
  const std::string path = TempPath("r.h5");
  ResultWriter writer(path, true);
  writer.WriteAttributes({{"x", std::int64_t{1}}, {"x", std::string("two")}});
  writer.Close();
  EXPECT_EQ(std::get<std::string>(ResultReader(path).ReadAttributes().back().value), "two");
}

TEST(Result, EqualContentsGiveEqualBytes) {
  const std::string path = TempPath("r.h5");
  Table nested = EveryType(10);
  nested.name = "deep/in/groups";
  WriteResult(path + "1", {EveryType(1000), nested});
  usleep(1'100'000);  // HDF5's time stamps count seconds
  WriteResult(path + "2", {EveryType(1000), nested});
  EXPECT_TRUE(ReadBytes(path + "1") == ReadBytes(path + "2"));
}

TEST(Result, OnlyAClosedResultHasItsName) {
  const std::string path = TempPath("r.h5");
  std::filesystem::remove(path);
  {
    ResultWriter writer(path, false);
    EXPECT_TRUE(std::filesystem::exists(path + ".part"));
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.Write(EveryType(5));
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_FALSE(std::filesystem::exists(path));
  ResultWriter writer(path, false);
  writer.Close();
  writer.Close();
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
}

TEST(Result, UnusablePathsAreRefusedAtOnce) {
  const auto message = [](const std::string& path, bool force = false) {
    return MessageOf([&] { ResultWriter writer(path, force); }, ExitCode::kInputOutput);
  };
  const std::string path = TempPath("r.h5");
  WriteBytes(path, "precious");
  EXPECT_EQ(message(path), path + ": exists. Give another path, or --force to replace it");
  EXPECT_EQ(ReadBytes(path), "precious");
  EXPECT_EQ(message(::testing::TempDir(), true),
            ::testing::TempDir() + ": is a directory. Give the name of a file");
  EXPECT_EQ(message(path + "/r.h5"),
            path + "/r.h5: " + path + " is not a directory. Create it, or give another path");
  EXPECT_NE(message("").find("empty"), std::string::npos);
  WriteResult(path, {});
  EXPECT_TRUE(ResultReader(path).complete());
}

TEST(Result, UnwritableDirectoryIsRefused) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string directory = TempPath("locked");
  std::filesystem::create_directory(directory);
  chmod(directory.c_str(), 0500);
  const std::string message =
      MessageOf([&] { ResultWriter writer(directory + "/r.h5", true); }, ExitCode::kInputOutput);
  EXPECT_NE(message.find(directory + " cannot be written"), std::string::npos) << message;
}

TEST(Result, UnevenColumnsAreOurMistake) {
  ResultWriter writer(TempPath("r.h5"), true);
  Table table = EveryType(2);
  table.columns[1].data = std::vector<std::uint32_t>(3);
  MessageOf([&] { writer.Write(table); }, ExitCode::kInvariantViolated);
  table.columns = {{"a", "1", "", std::vector<std::string>{std::string("a\0b", 3)}}};
  MessageOf([&] { writer.Write(table); }, ExitCode::kInvariantViolated);
}

TEST(Result, OtherFilesAreRefused) {
  const std::string path = TempPath("r.h5");
  WriteBytes(path, "0,0,1,4096\n");
  const std::string message = MessageOf([&] { ResultReader reader(path); });
  EXPECT_NE(message.find(path + ": cannot open it as an HDF5 file"), std::string::npos) << message;
  EXPECT_NE(message.find("Expected: a whole result file of heddle"), std::string::npos) << message;
  EXPECT_NE(MessageOf([&] { ResultReader reader(path + ".none"); }).find("cannot be read"),
            std::string::npos);
  MessageOf([&] { ResultReader reader(::testing::TempDir()); });
}

TEST(Result, OtherTypesAndVersionsAreRefused) {
  const std::string path = TempPath("r.h5");
  WriteResult(path, {});
  const std::string good = ReadBytes(path);
  {
    ResultWriter writer(path, true);
    writer.WriteAttributes({{"filetype", std::string("HEDDLE result")}});
    writer.Close();
  }
  EXPECT_EQ(MessageOf([&] { ResultReader reader(path); }),
            path +
                ": an HDF5 file, but not a result of heddle. Expected: the root attribute "
                "filetype to be 'heddle result'");
  WriteBytes(path, good);
  SetVersion(path, 9, ResultFormatMinor());
  EXPECT_EQ(MessageOf([&] { ResultReader reader(path); }),
            path + ": format version 9." + std::to_string(ResultFormatMinor()) +
                ". Expected: version 3.x; read it with the heddle that wrote it");
}

TEST(Result, ThePageNamesTheVersion) {
  const std::string page = ReadBytes(HEDDLE_TEST_DATA "/../../docs/formats/result.md");
  const std::string version =
      std::to_string(kResultFormatMajor) + "." + std::to_string(ResultFormatMinor());
  EXPECT_NE(page.find("format version **" + version + "**"), std::string::npos);
  EXPECT_NE(page.find("`[" + std::to_string(kResultFormatMajor) + ", " +
                      std::to_string(ResultFormatMinor()) + "]`"),
            std::string::npos);
}

/// HDF5's global heap, which holds texts of variable length, is not compressed, and libhdf5 crashes
/// on a damaged one.
TEST(Result, HasNoGlobalHeap) {
  const std::string path = TempPath("r.h5");
  WriteResult(path, {EveryType(1000)});
  EXPECT_EQ(ReadBytes(path).find("GCOL"), std::string::npos);
}

TEST(Result, TextsOfAnyLengthComeBack) {
  const std::string path = TempPath("r.h5");
  std::vector<std::string> texts(20'000, "common");
  texts[5] = "";
  texts[19'999] = std::string(3000, 'x') + "\xff";
  const Table table{"texts", "", {{"text", "1", "", texts}}};
  const Table empty{"empty", "", {{"text", "1", "", std::vector<std::string>(3)}}};
  WriteResult(path, {table, empty});
  EXPECT_LT(std::filesystem::file_size(path), 500'000U) << "60 MB of padding are compressed";
  const ResultReader reader(path);
  EXPECT_EQ(Digest(reader.ReadTable("texts")), Digest(table));
  EXPECT_EQ(Digest(reader.ReadTable("empty")), Digest(empty));
  EXPECT_EQ(GetColumn<std::string>(reader.ReadRows("texts", 19'998, 2), "text")[0], "common");
}

/// Adds objects to a result by `edit`, which gets the file.
template <class Edit>
void Add(const std::string& path, Edit edit) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t ordered = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_link_creation_order(ordered, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  const hid_t group = H5Gcreate2(file, "flows", H5P_DEFAULT, ordered, H5P_DEFAULT);
  edit(group);
  H5Pclose(ordered);
  H5Gclose(group);
  EXPECT_GE(H5Fclose(file), 0);
  EXPECT_TRUE(AppendSeal(path));
}

TEST(Result, LinksAreRefused) {
  const std::string path = TempPath("r.h5");
  const auto message = [&](auto edit) {
    WriteResult(path, {});
    Add(path, edit);
    return MessageOf([&] { ResultReader reader(path); });
  };
  const std::string expected =
      path +
      ": /flows/fct_ps is a link, which may lead to other files. Expected: tables that are in the "
      "result itself";
  EXPECT_EQ(message([](hid_t group) {
              H5Lcreate_external("/etc/other.h5", "/x", group, "fct_ps", H5P_DEFAULT, H5P_DEFAULT);
            }),
            expected);
  EXPECT_EQ(message([](hid_t group) {
              H5Lcreate_soft("/run", group, "fct_ps", H5P_DEFAULT, H5P_DEFAULT);
            }),
            expected);
}

TEST(Result, ValuesInOtherFilesAreRefused) {
  const std::string path = TempPath("r.h5"), other = TempPath("secret");
  WriteBytes(other, "secret!!");
  const auto message = [&](const std::function<void(hid_t)>& store) {
    WriteResult(path, {});
    Add(path, [&](hid_t group) {
      const hsize_t one = 1;
      const hid_t space = H5Screate_simple(1, &one, nullptr),
                  layout = H5Pcreate(H5P_DATASET_CREATE);
      store(layout);
      H5Dclose(H5Dcreate2(group, "fct_ps", H5T_STD_I64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT));
      H5Sclose(space);
      H5Pclose(layout);
    });
    const ResultReader reader(path);
    EXPECT_NE(MessageOf([&] { reader.CountRows("flows"); }), "");
    return MessageOf([&] { reader.ReadTable("flows"); });
  };
  const std::string expected =
      path +
      ": dataset fct_ps has its values in other files. Expected: values in the result itself";
  EXPECT_EQ(message([&](hid_t layout) { H5Pset_external(layout, other.c_str(), 0, 8); }), expected);
  EXPECT_EQ(message([&](hid_t layout) {
              const hsize_t one = 1;
              const hid_t space = H5Screate_simple(1, &one, nullptr);
              H5Pset_virtual(layout, space, "other.h5", "/x", space);
              H5Sclose(space);
            }),
            expected);
}

TEST(Result, TextsOfVariableLengthAreRefused) {
  const std::string path = TempPath("r.h5");
  WriteResult(path, {});
  Add(path, [](hid_t group) {
    const hsize_t one = 1;
    const hid_t space = H5Screate_simple(1, &one, nullptr), type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    H5Dclose(H5Dcreate2(group, "op", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Tclose(type);
  });
  EXPECT_EQ(MessageOf([&] { ResultReader(path).ReadTable("flows"); }),
            path +
                ": dataset op has a type that heddle does not write. Expected: i64, u32, u16, u8, "
                "f64 or text of fixed length");
}

/// Minor versions only add, so files of later ones can be read.
TEST(Result, LaterMinorVersionsAreRead) {
  const std::string path = TempPath("r.h5");
  const Table drops{"drops",
                    "",
                    {{"node", "1", "", std::vector<std::uint32_t>{3}},
                     {"port", "1", "", std::vector<std::uint32_t>{1}},
                     {"packets", "1", "", std::vector<std::int64_t>{7}}}};
  WriteResult(path, {drops});
  SetVersion(path, kResultFormatMajor, ResultFormatMinor() + 1);
  EXPECT_EQ(Digest(ResultReader(path).ReadTable("drops")), Digest(drops));
}

TEST(Result, CutFilesOnlyGiveErrors) {
  const std::string path = TempPath("r.h5");
  WriteResult(path, {EveryType(500)});
  const std::string good = ReadBytes(path);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    WriteBytes(path, good.substr(0, random() % good.size()));
    const std::string message = MessageOf([&] { ResultReader(path).ReadTable("every type"); });
    EXPECT_NE(message.find(path), std::string::npos);
  }
}

TEST(Result, LoadsNoPlugins) {
  ResultWriter(TempPath("plain.h5"), /*force=*/true).Close();
  unsigned kinds = 1;
  ASSERT_GE(H5PLget_loading_state(&kinds), 0);
  EXPECT_EQ(kinds, 0U) << "HDF5 would run code from the folder that HDF5_PLUGIN_PATH names";
}

}  // namespace
}  // namespace heddle
