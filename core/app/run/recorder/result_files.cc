// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/recorder/result_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>
#include <variant>

#include "core/system/process_memory.h"
#include "io/hdf5/chunk_pool.h"
#include "io/result/merge_row_logs.h"
#include "io/result/output_path.h"
#include "io/result/result_writer.h"
#include "io/row_log/sort_row_log.h"

namespace heddle {
namespace {

constexpr double kAutoInterval = 1;    ///< seconds
constexpr double kShareOfTime = 0.01;  ///< of wall-clock time that flushes may take

/// Whether another rank's file can be read here. NFS may take some seconds to show another
/// machine's file.
bool AppearsSoon(const std::string& path) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    if (access(path.c_str(), R_OK) == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

}  // namespace

ResultFiles::ResultFiles(const std::string& result, bool force, Time interval,
                         const Communicator& world, StreamKeys keys,
                         const std::optional<FlushPoint>& resume)
    : result_(result),
      force_(force),
      interval_(interval),
      world_(world),
      log_(result, world.rank().value, keys),
      logs_(world.size()),
      resumed_(resume.has_value()) {
  AgreeOnErrors(world_, [&] {
    if (!world_.is_root()) return;
    CheckOutputPath(result_, force_);
    if (!resume) ClearResultParts(result_, force_);
  });
  if (resume) Continue(*resume, keys);
}

void ResultFiles::Continue(const FlushPoint& point, const StreamKeys& keys) {
  logs_ = std::max(logs_, point.logs);
  flushes_ = point.flush;
  totals_until_ = point.until;
  AgreeOnErrors(world_, [&] {
    if (!world_.is_root()) return;
    const std::vector<std::string> found = FindStreamParts(result_);
    for (std::uint32_t log = 0; log < point.logs; ++log) {
      const std::string path = StreamPartPath(result_, log);
      if (log < found.size() && found[log] == path) continue;
      throw UserError(
          fmt::format("{} is missing, with rows that the checkpoint does not hold. Expected: all "
                      "files {}.part.rank*, "
                      "as the run left them",
                      path, result_));
    }
    // These logs were begun after the checkpoint, by a run on more ranks: all their rows will be
    // simulated again.
    RemoveStreams({found.begin() + point.logs, found.end()});
  });
  AgreeOnErrors(world_, [&] {
    try {
      for (std::uint32_t log = world_.rank().value; log < point.logs; log += world_.size()) {
        if (log != world_.rank().value)
          adopted_.push_back(std::make_unique<TableStream>(result_, log, keys));
        (log == world_.rank().value ? log_ : *adopted_.back()).Continue(point.flush);
      }
    } catch (const FileError& error) {
      throw UserError(std::string("the checkpoint rests on results that are not there any more: ") +
                      error.what());
    }
    if (world_.rank().value >= point.logs) log_.Commit(point.flush, point.until);
  });
}

std::vector<std::string> ResultFiles::Paths() const {
  std::vector<std::string> paths = {log_.path()};
  for (const auto& log : adopted_) paths.push_back(log->path());
  return paths;
}

std::size_t ResultFiles::memory() const {
  std::size_t sum = log_.memory();
  for (const Table& table : totals_.tables) {
    for (const Column& column : table.columns) {
      sum += std::visit([](const auto& values) { return values.capacity() * sizeof(values[0]); },
                        column.data);
    }
  }
  return sum + static_cast<std::size_t>(std::max<std::int64_t>(0, hdf5_memory_));
}

bool ResultFiles::due(bool pressing) const {
  const double wait =
      interval_.ps > 0 ? interval_.seconds() : std::max(kAutoInterval, last_cost_ / kShareOfTime);
  return world_.Max(std::int64_t{pressing || (world_.is_root() && Since(last_) >= wait)}) != 0;
}

void ResultFiles::Append(const Rows& rows) {
  const auto start = Clock::now();
  Advised([&] { rows([this](const Table& table) { log_.Append(table); }); });
  seconds_ += Since(start);
}

void ResultFiles::Flush(Time until, const Source& source) { Write(until, /*ended=*/false, source); }

void ResultFiles::Sync() {
  const auto start = Clock::now();
  Advised([&] {
    log_.Sync();
    for (const auto& log : adopted_) log->Sync();
  });
  seconds_ += Since(start);
}

void ResultFiles::ExpectOneFolder() {
  try {
    AgreeOnErrors(world_, [&] {
      for (std::uint32_t rank = 1; world_.is_root() && rank < world_.size(); ++rank) {
        const std::string path = StreamPartPath(result_, rank);
        if (AppearsSoon(path)) continue;
        throw FileError(
            fmt::format("{}: rank 0 does not see it, and rank {} has written it. Expected: -o in a "
                        "folder that all "
                        "machines share, by the same name",
                        path, rank));
      }
    });
  } catch (const SharedError&) {
    if (!resumed_) Discard();
    throw;
  }
}

template <class Work>
void ResultFiles::Advised(Work&& work) const {
  AgreeOnErrors(world_, [&] {
    try {
      work();
    } catch (const FileError& error) {
      const std::string kept = flushes_ == 0 ? ""
                                             : fmt::format(
                                                   " What was flushed until {} of simulated time "
                                                   "stays: heddle recover {} -o OTHER makes a "
                                                   "result of it",
                                                   ToText(totals_until_), result_);
      throw FileError(
          fmt::format("{}.{}{}", error.what(), need_.empty() ? "" : " " + need_ + ".", kept));
    }
  });
}

void ResultFiles::Write(Time until, bool ended, const Source& source) {
  const auto start = Clock::now();
  Advised([&] {
    source.rows([this](const Table& table) { log_.Append(table); });
    log_.Commit(flushes_ + 1, until);
    for (const auto& log : adopted_) log->Commit(flushes_ + 1, until);
  });
  // Totals are written after the logs: when the totals name this flush, all ranks have committed
  // their rows.
  totals_ = source.totals();
  totals_.flush = flushes_ + 1;
  totals_.until = until;
  totals_.ended = ended;
  totals_.logs = logs_;
  Advised([&] {
    if (!world_.is_root()) return;
    const std::int64_t before = ReadProcessMemory().heap_used;
    WriteTotals(result_, totals_);
    hdf5_memory_ += ReadProcessMemory().heap_used - before;
  });
  ++flushes_;
  totals_until_ = until;
  last_ = Clock::now();
  last_cost_ = Since(start);
  seconds_ += last_cost_;
}

void ResultFiles::Discard() {
  log_.Close();
  for (const std::string& path : Paths()) std::remove(path.c_str());
  if (world_.is_root()) std::remove(TotalsPath(result_).c_str());
}

void ResultFiles::Finish(const Source& source, const std::function<void()>& before_result,
                         const std::function<void(const Table&)>& watch) {
  Write(Time::Max(), /*ended=*/true, source);
  AgreeOnErrors(world_, [&] {
    log_.Close();
    for (const auto& log : adopted_) log->Close();
  });
  SortLimits limits;
  limits.unsorted_runs = std::max(1U, kMostUnsortedRuns / logs_);
  AgreeOnErrors(world_, [&] {
    for (const std::string& path : Paths())
      WithPartsKept({path}, [&] { SortStream(path, flushes_, limits); });
  });
  before_result();
  Assemble(watch);
}

void ResultFiles::Assemble(const std::function<void(const Table&)>& watch) {
  std::vector<std::string> logs;
  for (std::uint32_t rank = 0; rank < logs_; ++rank) logs.push_back(StreamPartPath(result_, rank));
  ChunkPool pool(world_);
  const auto write = [&] {
    ResultWriter writer(result_, force_, &pool);
    AssembleResult(totals_, logs, &writer, {}, watch);
    writer.Close();
  };
  AgreeOnErrors(world_, [&] { pool.Share([&] { WithPartsKept(logs, write); }); });
  AgreeOnErrors(world_, [&] {
    if (world_.is_root()) RemoveStreams(FindResultParts(result_));
  });
}

}  // namespace heddle
