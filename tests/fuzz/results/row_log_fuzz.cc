// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of row logs (RESULT.part.rankN), up to the result that heddle recover makes of one.
///
/// An input is a log. If its first byte is not that of logs, the checksums of its blocks are
/// corrected, so that damage under a valid checksum is tested too.
#include <cstring>

#include "core/base/check.h"
#include "io/result/result_parts.h"
#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/row_log/sort_row_log.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr char kMended = '+';  ///< replaces a log's first byte

std::string Result() { return ScratchFolder() + "/fuzz.h5"; }

/// Corrects the checksums of all blocks up to the first that is invalid or exceeds the file.
void MendChecksums(std::string* log) {
  for (std::size_t at = sizeof kRowLogStart; at + sizeof(BlockHeader) <= log->size();) {
    BlockHeader header;
    std::memcpy(&header, log->data() + at, sizeof header);
    const char* payload = log->data() + at + sizeof header;
    if (header.magic != kBlockMagic || header.bytes > log->size() - at - sizeof header) return;
    header.checksum = Checksum(header, payload);
    std::memcpy(log->data() + at, &header, sizeof header);
    at += sizeof header + header.bytes;
  }
}

void CheckLog(const RowLogReader& log, std::size_t bytes) {
  std::uint64_t last = 0;
  for (const RowLogReader::Commit& commit : log.commits()) {
    if (commit.end > bytes || commit.end <= last)
      Complain("commits that are not in the file, or not in order");
    last = commit.end;
  }
  for (const RowLogReader::Block& block : log.blocks()) {
    if (block.table >= log.tables().size() || block.offset + block.bytes > last)
      Complain("a block outside the commits");
    Table rows;
    if (!Accepts({log.path(), false}, [&] { rows = log.ReadBlock(block); })) continue;
    for (const Column& column : rows.columns) {
      const auto size = std::visit([](const auto& values) { return values.size(); }, column.data);
      if (size != block.rows) Complain("a block with more rows, or fewer, than it says");
    }
  }
  if (log.tail_bytes() > bytes) Complain("more bytes behind the last commit than there are");
}

/// Recovers a result as heddle recover does.
void Recover(const std::string& log, std::uint64_t flush) {
  RunTotals totals;
  totals.flush = flush;
  std::vector<std::string> logs = {log};
  TruncateToLogs(&logs, &totals);
  SortStream(log, totals.flush, {}, SortedPartPath(log));
  {
    ResultWriter writer(Result(), /*force=*/true);
    AssembleResult(totals, logs, &writer, {SortedPartPath(log)});
    writer.Close(totals.ended);
  }
  const ResultReader result(Result());
  for (const std::string& table : result.TableNames()) result.ReadTable(table);
}

bool Check(const std::string& input) {
  std::string bytes = input;
  if (!bytes.empty() && bytes[0] != kRowLogStart[0]) {
    if (bytes[0] == kMended) bytes[0] = kRowLogStart[0];
    MendChecksums(&bytes);
  }
  const std::string path = StreamPartPath(Result(), 0);
  PutBytes(path, bytes);
  bool sound = false;
  const bool read = Accepts({path}, [&] {
    const RowLogReader log(path);
    CheckLog(log, bytes.size());
    sound = !log.blocks().empty();
  });
  if (read) Accepts({ScratchFolder(), false}, [&] { Recover(path, 7); });
  return sound;
}

Table Rows(const std::string& name, std::size_t count) {
  std::vector<std::int64_t> time;
  std::vector<std::uint32_t> node;
  std::vector<std::uint16_t> port;
  std::vector<std::uint8_t> state;
  std::vector<double> rate;
  std::vector<std::string> text;
  for (std::size_t i = 0; i < count; ++i) {
    time.push_back(static_cast<std::int64_t>(100 * i) - 300);
    node.push_back(static_cast<std::uint32_t>(77 * i));
    port.push_back(static_cast<std::uint16_t>(i));
    state.push_back(static_cast<std::uint8_t>(i));
    rate.push_back(1.0 / static_cast<double>(i + 1));
    text.emplace_back(i % 3, 'a');
  }
  return {name,
          "rows",
          {{"time_ps", "ps", "a time", time},
           {"node", "1", "a node", node},
           {"port", "1", "a port", port},
           {"state", "1", "a state", state},
           {"rate", "bit/s", "a rate", rate},
           {"text", "1", "words", text}}};
}

/// Two tables, three commits.
std::string Sound(const std::string& first, const std::vector<std::string>& keys) {
  const std::string path = ScratchFolder() + "/seed.log";
  RowLogWriter log(path);
  const std::uint32_t a = log.AddTable({Rows(first, 0), keys});
  log.AddRows(a, Rows(first, 5), 0, 2);
  log.Commit(2, MicroSeconds(1));
  const std::uint32_t b = log.AddTable({Rows("monitors/queues", 0), {"node"}});
  log.AddRows(b, Rows("monitors/queues", 3), 1, 100);
  log.AddRows(a, Rows(first, 1), 2, 100);
  log.Commit(3, MicroSeconds(2));
  log.AddRows(a, Rows(first, 4), 3, 100);
  log.Commit(7, MicroSeconds(3));
  log.Close();
  return BytesOf(path);
}

std::string Make(Mutator* mutator) {
  std::string bytes = mutator->Binary();
  if (!bytes.empty() && !mutator->Chance(4)) bytes[0] = kMended;
  return bytes;
}

}  // namespace

ReaderFuzz MakeReaderFuzz() {
  ReaderFuzz reader;
  reader.name = "row_log";
  reader.check = &Check;
  reader.make = &Make;
  reader.seeds = {Sound("pfc", {"time_ps", "state"}), Sound("flows", {"node"})};
  for (std::string mended : std::vector<std::string>(reader.seeds)) {
    mended[0] = kMended;
    reader.seeds.push_back(mended);
  }
  reader.words = {"hblk",
                  "\"name\"",
                  "\"keys\"",
                  "\"columns\"",
                  "\"type\"",
                  "\"i64\"",
                  "\"u32\"",
                  "\"text\"",
                  "\"f64\"",
                  "time_ps",
                  std::string("\x07\0\0\0\0\0\0\0", 8),
                  std::string("\0\0\1\0", 4)};
  return reader;
}

}  // namespace heddle
