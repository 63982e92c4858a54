// SPDX-License-Identifier: GPL-2.0-only
#include "io/row_log/row_log.h"

#include <sys/stat.h>

#include <cstring>
#include <filesystem>

#include "io/row_log/row_log_reader.h"
#include "io/table/table_rows.h"
#include "tests/support/io_test_util.h"

namespace heddle {
namespace {

/// Rows [first, last) of a table with a column of each type.
Table Rows(const std::string& name, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> i64;
  std::vector<std::uint32_t> u32;
  std::vector<std::uint16_t> u16;
  std::vector<std::uint8_t> u8;
  std::vector<double> f64;
  std::vector<std::string> text;
  for (std::int64_t i = first; i < last; ++i) {
    i64.push_back(-i * 1'000'000'007);
    u32.push_back(static_cast<std::uint32_t>(i * 77));
    u16.push_back(static_cast<std::uint16_t>(i * 7));
    u8.push_back(static_cast<std::uint8_t>(i));
    f64.push_back(1.0 / static_cast<double>(i + 1));
    text.push_back(std::string(static_cast<std::size_t>(i % 4), 'a') + (i % 3 == 0 ? "ß" : ""));
  }
  return {name,
          "rows \"of\" every type",
          {{"time_ps", "ps", "signed", i64},
           {"u32", "1", "wide", u32},
           {"u16", "1", "middle", u16},
           {"u8", "1", "narrow", u8},
           {"f64", "bit/s", "real", f64},
           {"text", "1", "words", text}}};
}

/// A log of two tables with three commits: 2, 3 and 7. `at` receives the offset after each of them.
std::string SmallLog(std::vector<std::int64_t>* at = nullptr) {
  const std::string path = TempPath("log");
  RowLogWriter log(path);
  std::vector<std::int64_t> offsets;
  const auto commit = [&](std::uint64_t number) {
    log.Commit(number, {static_cast<std::int64_t>(number) * 100});
    offsets.push_back(log.bytes());
  };
  const std::uint32_t a = log.AddTable({WithoutRows(Rows("a", 0, 0)), {"time_ps", "u8"}});
  log.AddRows(a, Rows("a", 0, 5), 0, 2);
  commit(2);
  commit(3);
  const std::uint32_t b = log.AddTable({WithoutRows(Rows("g/b", 0, 0)), {"u32"}});
  log.AddRows(b, Rows("g/b", 0, 3), 4, 100);
  log.AddRows(a, Rows("a", 5, 6), 0, 100);
  log.AddRows(a, Rows("a", 0, 0), 0, 100);
  commit(7);
  log.Close();
  if (at != nullptr) *at = offsets;
  return path;
}

/// All rows that the reader returns, by table.
std::map<std::string, Table> Shown(const RowLogReader& log) {
  std::map<std::string, Table> tables;
  for (const LoggedTable& table : log.tables()) tables[table.header.name] = table.header;
  for (const RowLogReader::Block& block : log.blocks()) {
    const Table rows = log.ReadBlock(block);
    AppendRows(rows, 0, CheckedRows(rows), &tables.at(rows.name));
  }
  return tables;
}

/// Expects the rows of the small log up to its commit number `commits` (0 to 3).
void ExpectShown(const RowLogReader& log, std::size_t commits) {
  const std::map<std::string, Table> shown = Shown(log);
  ASSERT_EQ(shown.size(), commits == 0 ? 0u : (commits < 3 ? 1u : 2u));
  if (commits == 0) return;
  EXPECT_EQ(Digest(shown.at("a")), Digest(Rows("a", 0, commits < 3 ? 5 : 6)));
  if (commits == 3) {
    EXPECT_EQ(Digest(shown.at("g/b")), Digest(Rows("g/b", 0, 3)));
  }
}

TEST(RowLog, RowsComeBackEqual) {
  const std::string path = SmallLog();
  const RowLogReader log(path);
  ASSERT_EQ(log.tables().size(), 2u);
  const LoggedTable& table = log.tables()[0];
  EXPECT_EQ(table.header.description, "rows \"of\" every type");
  EXPECT_EQ(table.header.columns[4].unit, "bit/s");
  EXPECT_EQ(table.header.columns[4].description, "real");
  EXPECT_EQ(table.keys, (std::vector<std::string>{"time_ps", "u8"}));
  ASSERT_EQ(log.blocks().size(), 5u);
  EXPECT_EQ(log.blocks()[2].rows, 1u);
  EXPECT_EQ(log.blocks()[3].run, 4u);
  ASSERT_EQ(log.commits().size(), 3u);
  EXPECT_EQ(log.commits()[2].number, 7u);
  EXPECT_EQ(log.commits()[2].time.ps, 700);
  EXPECT_EQ(log.damage(), "");
  EXPECT_EQ(log.tail_bytes(), 0u);
  ExpectShown(log, 3);
}

TEST(RowLog, RowsUpToACommit) {
  const std::string path = SmallLog();
  ExpectShown(RowLogReader(path, 2), 1);
  ExpectShown(RowLogReader(path, 3), 2);
  ExpectShown(RowLogReader(path, 7), 3);
  EXPECT_EQ(RowLogReader(path, 2).commits().size(), 3u);
  for (const std::uint64_t number : {0u, 1u, 4u, 8u}) {
    EXPECT_EQ(MessageOf([&] { RowLogReader log(path, number); }, ExitCode::kInputOutput)
                  .find(path + ": has no commit " + std::to_string(number)),
              0u);
  }
}

TEST(RowLog, CutAtEveryByteItShowsTheCommitsBefore) {
  std::vector<std::int64_t> ends;
  const std::string path = SmallLog(&ends);
  const std::string good = ReadBytes(path);
  for (std::size_t size = 0; size <= good.size(); ++size) {
    WriteBytes(path, good.substr(0, size));
    std::size_t commits = 0;
    while (commits < 3 && ends[commits] <= static_cast<std::int64_t>(size)) ++commits;
    const RowLogReader log(path);
    ASSERT_EQ(log.commits().size(), commits) << size << " bytes";
    ExpectShown(log, commits);
    const std::size_t end =
        commits == 0 ? std::min<std::size_t>(size, 8) : log.commits().back().end;
    EXPECT_EQ(log.tail_bytes(), size < 8 ? size : size - end) << size << " bytes";
  }
}

TEST(RowLog, EveryFlippedByteIsFound) {
  std::vector<std::int64_t> ends;
  const std::string path = SmallLog(&ends);
  const std::string good = ReadBytes(path);
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int bit : {0x01, 0x80}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ bit);
      WriteBytes(path, bytes);
      if (at < 8) {
        MessageOf([&] { RowLogReader log(path); }, ExitCode::kInputOutput);
        continue;
      }
      std::size_t commits = 0;
      while (ends[commits] <= static_cast<std::int64_t>(at)) ++commits;
      const RowLogReader log(path);
      EXPECT_NE(log.damage(), "") << at;
      ASSERT_EQ(log.commits().size(), commits) << at;
      ExpectShown(log, commits);
      MessageOf([&] { RowLogReader whole(path, 7); }, ExitCode::kInputOutput);
    }
  }
}

/// A log of one block with a valid checksum.
std::string OneBlock(BlockHeader header, const std::string& payload) {
  const std::uint64_t claimed = header.bytes;
  header.bytes = std::min<std::uint64_t>(claimed, payload.size());
  BlockHeader hashed = header;
  hashed.bytes = payload.size();
  header.bytes = claimed;
  header.checksum = claimed == payload.size() ? Checksum(hashed, payload.data()) : 0;
  std::string bytes(kRowLogStart, sizeof kRowLogStart);
  bytes.append(reinterpret_cast<const char*>(&header), sizeof header);
  return bytes + payload;
}

std::string DamageOf(const std::string& bytes) {
  const std::string path = TempPath("hostile");
  WriteBytes(path, bytes);
  const RowLogReader log(path);
  EXPECT_TRUE(log.tables().empty() && log.blocks().empty());
  return log.damage();
}

TEST(RowLog, HostileBlocksAreRefused) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const auto refused = [](BlockHeader header, const std::string& payload, const std::string& why) {
    header.magic = kBlockMagic;
    const std::string damage = DamageOf(OneBlock(header, payload));
    EXPECT_EQ(damage.find(why), 0u) << damage;
  };
  for (const std::uint64_t bytes : {kHuge, kHuge / 2, kHuge - 39, std::uint64_t{5}}) {
    refused({0, LogBlockKind::kRows, 0, 0, 1, bytes, 0}, "1234", "half a block");
  }
  refused({0, LogBlockKind::kRows, 0, 0, 1, 3, 0}, "1234", "a wrong checksum");
  refused({0, LogBlockKind::kRows, 0, 0, 1, 4, 0}, "1234", "rows of an unknown table");
  refused({0, LogBlockKind{9}, 0, 0, 0, 0, 0}, "", "a block of an unknown kind");
  refused({0, LogBlockKind::kCommit, 0, 0, 0, 15, 0}, std::string(15, '\0'),
          "a commit of another size");
  refused({0, LogBlockKind::kCommit, 0, 0, 0, 16, 0}, std::string(16, '\xff'),
          "a commit out of turn");
  const std::string good = EncodeTable({Rows("a", 0, 0), {"u8"}});
  refused({0, LogBlockKind::kTable, 1, 0, 0, good.size(), 0}, good, "a table out of turn");
  refused({0, LogBlockKind::kTable, 0, 0, 0, good.size(), 0}, good, "");
  const auto table = [&](const std::string& json, const std::string& why) {
    refused({0, LogBlockKind::kTable, 0, 0, 0, json.size(), 0}, json, "a table with " + why);
  };
  table("", "no JSON object");
  table(std::string(500'000, '['), "no JSON object");
  table("[1]", "no JSON object");
  table("{}", "no name");
  for (const char* name : {"", "/a", "a/", ".", "a.b", "a\\u0000b"}) {
    table(std::string("{\"name\":\"") + name + "\"}", "no name");
  }
  table(R"({"name":"a"})", "no description");
  table(R"({"name":"a","description":""})", "no columns");
  table(R"({"name":"a","description":"","columns":[1]})", "no keys");
  const std::string head = R"({"name":"a","description":"","keys":["k"],"columns":[)";
  const std::string k = R"({"name":"k","unit":"1","description":"","type":")";
  table(head + "1]}", "a column that is not described");
  table(head + k + "i32\"}]}", "a column that is not described");
  table(head + k + "i64\"}," + k + "i64\"}]}", "a column without a name of its own");
  table(head + k + "f64\"}]}", "a key that is no integer column");
  table(R"({"name":"a","description":"","keys":[7],"columns":[)" + k + "u8\"}]}",
        "a key that is no text");
}

TEST(RowLog, IntegersTakeTheWidthOfTheLargest) {
  struct Case {
    std::vector<std::int64_t> values;
    std::size_t width;
  };
  for (const Case& c : {Case{{0, 0}, 1}, Case{{255, 1}, 1}, Case{{0, 256}, 2}, Case{{65535}, 2},
                        Case{{65536, 3}, 4}, Case{{0xffffffff}, 4}, Case{{0x100000000}, 8},
                        Case{{-1, 5}, 8}, Case{{INT64_MIN, INT64_MAX}, 8}}) {
    const Table table{"a", "", {{"time_ps", "ps", "", c.values}}};
    std::vector<char> payload;
    EncodeRows(table, 0, c.values.size(), &payload);
    EXPECT_EQ(payload.size(), 1 + c.width * c.values.size());
    Table rows;
    ASSERT_TRUE(DecodeRows(payload.data(), payload.size(), c.values.size(), table, &rows));
    EXPECT_EQ(GetColumn<std::int64_t>(rows, "time_ps"), c.values);
    for (int width = 0; width < 20; ++width) {
      payload[0] = static_cast<char>(width);
      EXPECT_EQ(DecodeRows(payload.data(), payload.size(), c.values.size(), table, &rows),
                static_cast<std::size_t>(width) == c.width);
    }
  }
  // A width above that of the column.
  const Table bytes{"a", "", {{"u8", "1", "", std::vector<std::uint8_t>{1}}}};
  Table rows;
  EXPECT_TRUE(DecodeRows("\1\7", 2, 1, bytes, &rows));
  EXPECT_FALSE(DecodeRows("\2\7\0", 3, 1, bytes, &rows));
}

TEST(RowLog, RowsOfAnotherSizeAreRefused) {
  const Table header = WithoutRows(Rows("a", 0, 0));
  std::vector<char> payload;
  EncodeRows(Rows("a", 0, 10), 0, 10, &payload);
  Table rows;
  EXPECT_TRUE(DecodeRows(payload.data(), payload.size(), 10, header, &rows));
  for (const std::size_t count : {std::size_t{0}, std::size_t{9}, std::size_t{11},
                                  std::size_t{65536}, std::size_t{1} << 61, ~std::size_t{0}}) {
    EXPECT_FALSE(DecodeRows(payload.data(), payload.size(), count, header, &rows)) << count;
  }
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(DecodeRows(payload.data(), size, 10, header, &rows)) << size;
  }
}

TEST(RowLog, RandomDamageOnlyGivesErrors) {
  const std::string path = SmallLog();
  const std::string good = ReadBytes(path);
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = good.substr(0, random() % 2 == 0 ? good.size() : random() % good.size());
    for (auto i = random() % 6; i > 0 && bytes.size() > 8; --i) {
      const std::uint64_t value =
          random() % 2 == 0 ? random() : ~std::uint64_t{0} >> (random() % 64);
      const std::size_t width = std::size_t{1} << (random() % 4);
      const std::size_t at = random() % bytes.size();
      std::memcpy(bytes.data() + at, &value, std::min(width, bytes.size() - at));
    }
    // Recomputes the checksums, so that the damage is not detected by them.
    for (std::size_t at = 8; at + sizeof(BlockHeader) <= bytes.size();) {
      BlockHeader header;
      std::memcpy(&header, bytes.data() + at, sizeof header);
      if (header.bytes > bytes.size() - at - sizeof header) break;
      header.checksum = Checksum(header, bytes.data() + at + sizeof header);
      std::memcpy(bytes.data() + at, &header, sizeof header);
      at += sizeof header + header.bytes;
    }
    WriteBytes(path, bytes);
    try {
      Shown(RowLogReader(path));
    } catch (const FileError&) {
    }
  }
}

TEST(RowLog, OtherFilesAreRefused) {
  const std::string path = TempPath("log");
  const auto message = [&](const std::string& file) {
    return MessageOf([&] { RowLogReader log(file); }, ExitCode::kInputOutput);
  };
  WriteBytes(path, "\x89HDF\r\n\x1a\n and more");
  EXPECT_EQ(message(path).find(path + ": is no part of a result of heddle. Expected: "), 0u);
  WriteBytes(path, "\x89H");
  message(path);
  WriteBytes(path, std::string("hddllog\x3") + "more");
  EXPECT_EQ(message(path).find(path + ": is of version 3 of the format"), 0u);
  EXPECT_NE(message(path + ".none").find("cannot be read (No such file"), std::string::npos);
  message(::testing::TempDir());
}

TEST(RowLog, AFullDiskIsAnErrorOfFiles) {
  RowLogWriter log("/dev/full");
  const std::uint32_t a = log.AddTable({WithoutRows(Rows("a", 0, 0)), {"u8"}});
  const std::string message = MessageOf([&] { log.Commit(1, {0}); }, ExitCode::kInputOutput);
  EXPECT_EQ(message.find("/dev/full: cannot be written (No space left on device): "), 0u)
      << message;
  EXPECT_NE(message.find(std::to_string(log.bytes()) + " bytes had no room"), std::string::npos)
      << message;
  // Later calls must fail, too.
  MessageOf([&] { log.Commit(2, {0}); }, ExitCode::kInvariantViolated);
  MessageOf([&] { log.AddRows(a, Rows("a", 0, 1), 0, 1); }, ExitCode::kInvariantViolated);
  RowLogWriter many("/dev/full");
  many.AddTable({WithoutRows(Rows("a", 0, 0)), {"u8"}});
  MessageOf([&] { many.AddRows(0, Rows("a", 0, 200'000), 0, 8192); }, ExitCode::kInputOutput);
}

TEST(RowLog, TheFileHasTheModeOfTheUmask) {
  const std::string path = TempPath("log");
  std::filesystem::remove(path);
  const mode_t before = umask(027);
  RowLogWriter(path).Close();
  umask(before);
  struct stat about;
  ASSERT_EQ(stat(path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0640u);
  EXPECT_NE(MessageOf([&] { RowLogWriter log(path + "/x"); }, ExitCode::kInputOutput)
                .find("cannot be made (Not a directory)"),
            std::string::npos);
}

TEST(RowLog, NoticesThatItsFileIsGone) {
  const std::string path = TempPath("log");
  for (const bool replaced : {false, true}) {
    RowLogWriter log(path);
    log.Commit(1, Time{1});
    std::filesystem::remove(path);
    if (replaced) RowLogWriter another(path);
    EXPECT_THROW(log.Commit(2, Time{2}), FileError);
  }
  RowLogWriter log(path);
  std::filesystem::rename(path, path + ".moved");
  try {
    log.Commit(1, Time{1});
    FAIL() << "the log was moved, and a commit went to it";
  } catch (const FileError& error) {
    EXPECT_NE(std::string(error.what()).find(path + ": was deleted or moved"), std::string::npos)
        << error.what();
  }
}

TEST(RowLog, GoesOnWithNoLink) {
  const std::string path = TempPath("log");
  {
    RowLogWriter log(path + ".target");
    log.Commit(1, Time{1});
  }
  const auto size = std::filesystem::file_size(path + ".target");
  std::filesystem::remove(path);
  std::filesystem::create_symlink(path + ".target", path);
  EXPECT_THROW(RowLogWriter(path, size, 0, 1), FileError);
  EXPECT_EQ(std::filesystem::file_size(path + ".target"), size);
}

}  // namespace
}  // namespace heddle
