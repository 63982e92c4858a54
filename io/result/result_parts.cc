// SPDX-License-Identifier: GPL-2.0-only
#include "io/result/result_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "core/base/check.h"
#include "io/result/merge_row_logs.h"
#include "io/result/output_path.h"
#include "io/result/result_reader.h"
#include "io/row_log/rank_log.h"
#include "io/row_log/row_log_reader.h"
#include "io/table/result_format.h"

namespace heddle {
namespace {

constexpr const char* kFlush = "part_flush";
constexpr const char* kUntil = "part_until_ps";
constexpr const char* kEnded = "part_ended";
constexpr const char* kLogs = "part_logs";

/// Removes the attribute from the list and returns its value.
std::int64_t TakeInteger(const char* name, const std::string& path,
                         std::vector<Attribute>* attributes) {
  const auto found = std::find_if(attributes->begin(), attributes->end(),
                                  [&](const Attribute& a) { return a.name == name; });
  const std::int64_t* value =
      found == attributes->end() ? nullptr : std::get_if<std::int64_t>(&found->value);
  if (value == nullptr) {
    throw UserError(
        fmt::format("{}: no attribute {}. Expected: what heddle run leaves beside a "
                    "result that is not finished",
                    path, name));
  }
  const std::int64_t result = *value;
  attributes->erase(found);
  return result;
}

}  // namespace

std::string TotalsPath(const std::string& result) { return result + ".part.totals"; }

namespace {

/// Upper bound of the totals' size on disk: values, and HDF5's overhead for each column.
std::uint64_t SizeOf(const RunTotals& totals) {
  constexpr std::uint64_t kOfColumn = 1024, kOfTable = 2048, kOfFile = 16384, kOfText = 40;
  std::uint64_t bytes = kOfFile + 256 * totals.attributes.size();
  for (const Table& table : totals.tables) {
    bytes += kOfTable;
    for (const Column& column : table.columns) {
      bytes += kOfColumn;
      std::visit(
          [&](const auto& values) {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            bytes += values.size() * (std::is_same_v<Value, std::string> ? kOfText : sizeof(Value));
          },
          column.data);
    }
  }
  for (const LongTable& table : totals.long_tables) {
    bytes += kOfTable + kOfColumn * table.header.columns.size();
    for (const std::size_t text : table.text_bytes)
      bytes += table.rows * (text > 0 ? kOfText : sizeof(std::int64_t));
  }
  return bytes;
}

void WriteLong(const RunTotals& totals, ResultWriter* writer) {
  for (const LongTable& table : totals.long_tables)
    writer->WriteBlocks(table.header, table.rows, table.text_bytes, table.blocks());
}

}  // namespace

void WriteTotals(const std::string& result, const RunTotals& totals) {
  CheckRoom(TotalsPath(result), SizeOf(totals));
  ResultWriter writer(TotalsPath(result), /*force=*/true);
  for (const Table& table : totals.tables) writer.Write(table);
  WriteLong(totals, &writer);
  writer.WriteAttributes(totals.attributes);
  writer.WriteGroupAttributes(kRunGroup, totals.run);
  writer.WriteAttributes({{kFlush, static_cast<std::int64_t>(totals.flush)},
                          {kUntil, totals.until.ps},
                          {kEnded, std::int64_t{totals.ended}},
                          {kLogs, std::int64_t{totals.logs}}});
  writer.Close(/*complete=*/false, /*durable=*/false);  // the file will be rewritten soon
}

RunTotals ReadTotals(const std::string& result) {
  const std::string path = TotalsPath(result);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw UserError(
        fmt::format("{}: does not exist. Expected: it and {}.part.rank0 of a run that "
                    "flushed its results at least once",
                    path, result));
  }
  const ResultReader reader(path);
  RunTotals totals;
  for (const std::string& name : reader.TableNames())
    totals.tables.push_back(reader.ReadTable(name));
  totals.attributes = reader.ReadAttributes();
  totals.run = reader.ReadAttributes(kRunGroup);
  totals.flush = static_cast<std::uint64_t>(TakeInteger(kFlush, path, &totals.attributes));
  totals.until = Time{TakeInteger(kUntil, path, &totals.attributes)};
  totals.ended = TakeInteger(kEnded, path, &totals.attributes) != 0;
  const std::int64_t logs = TakeInteger(kLogs, path, &totals.attributes);
  totals.logs = static_cast<std::uint32_t>(std::clamp<std::int64_t>(logs, 1, UINT32_MAX));
  const auto belongs_to_file = [](const Attribute& a) {
    return a.name == "filetype" || a.name == "format_version" || a.name == "complete";
  };
  totals.attributes.erase(
      std::remove_if(totals.attributes.begin(), totals.attributes.end(), belongs_to_file),
      totals.attributes.end());
  return totals;
}

bool HaveEndedTotals(const std::string& result) {
  const std::string path = TotalsPath(result);
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return false;
  try {
    std::vector<Attribute> attributes = ResultReader(path).ReadAttributes();
    return TakeInteger(kEnded, path, &attributes) != 0;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> FindResultParts(const std::string& result) {
  std::vector<std::string> parts = FindStreamParts(result);
  std::error_code ignored;
  if (std::filesystem::exists(TotalsPath(result), ignored))
    parts.insert(parts.begin(), TotalsPath(result));
  return parts;
}

void ClearResultParts(const std::string& result, bool force) {
  const std::vector<std::string> parts = FindResultParts(result);
  if (parts.empty()) return;
  if (!force) {
    throw FileError(fmt::format(
        "{}: a run that did not end has left {} file{} beside it ({}). "
        "heddle recover {} makes a result of them; "
        "--restart auto goes on from a checkpoint, if there is one; --force deletes them",
        result, parts.size(), parts.size() == 1 ? "" : "s", parts.front(), result));
  }
  RemoveStreams(parts);
}

std::vector<std::string> TruncateToLogs(std::vector<std::string>* logs, RunTotals* totals) {
  if (logs->size() > totals->logs) logs->resize(totals->logs);
  std::vector<std::string> missing;
  if (logs->size() < totals->logs) {
    missing.push_back(fmt::format("{} of {} logs are there", logs->size(), totals->logs));
  }
  for (const std::string& log : *logs) {
    const RowLogReader reader(log);
    RowLogReader::Commit last{0, {0}, 0};
    for (const RowLogReader::Commit& commit : reader.commits()) {
      if (commit.number <= totals->flush) last = commit;
    }
    if (last.number == totals->flush) continue;
    missing.push_back(
        fmt::format("{} is whole up to flush {} only, of {}", log, last.number, totals->flush));
    totals->flush = last.number;
    totals->until = last.time;
    totals->ended = false;
  }
  return missing;
}

void AssembleResult(const RunTotals& totals, const std::vector<std::string>& logs,
                    ResultWriter* writer, const std::vector<std::string>& sorted,
                    const std::function<void(const Table&)>& watch) {
  MergeOptions options{nullptr, watch};
  for (const Table& table : totals.tables) {
    writer->Write(table);
    if (table.name == "operations") options.operations = &table;
  }
  WriteLong(totals, writer);
  MergeStreams(logs, totals.flush, writer, sorted, options);
  writer->WriteAttributes(totals.attributes);
  if (!totals.ended) writer->WriteAttributes({{"until_ps", totals.until.ps}});
  writer->WriteGroupAttributes(kRunGroup, totals.run);
}

}  // namespace heddle
