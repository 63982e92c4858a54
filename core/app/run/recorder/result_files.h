// SPDX-License-Identifier: GPL-2.0-only
/// The files of a run in progress: rows in row logs, totals beside them, and at the end the result.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "core/base/units.h"
#include "core/mpi/communicator.h"
#include "io/result/result_parts.h"
#include "io/row_log/rank_log.h"

namespace heddle {

/// How much of a run's logs is written.
struct FlushPoint {
  std::uint64_t flush = 0;  ///< number of the flush
  Time until;
  std::uint32_t logs = 0;  ///< number of files RESULT.part.rank0, .rank1, ...

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flush& until& logs;
  }
};

/// One rank's side. All functions except seconds() are collective, and throw SharedError on all
/// ranks.
class ResultFiles {
 public:
  /// Takes tables with some of a rank's new rows each; a table without rows is known from then on.
  using RowSink = std::function<void(const Table&)>;
  /// Gives this rank's new rows.
  using Rows = std::function<void(const RowSink&)>;
  /// The data of a flush: the rows, and (collective) the totals, which only the root uses.
  struct Source {
    Rows rows;
    std::function<RunTotals()> totals;
  };

  /// Writes nothing yet. An existing result, and the files of a killed run beside it, are replaced
  /// with `force` only. `keys`: the sort keys of each table that Source::rows yields. `interval`:
  /// wall-clock time between flushes; zero: one second, or longer, so that flushes take at most a
  /// hundredth of the time. `resume`: continues the previous run's logs at that flush, distributed
  /// over these ranks; later rows are truncated. Throws SharedError (exit code 3) if the logs do
  /// not reach that flush.
  ResultFiles(const std::string& result, bool force, Time interval, const Communicator& world,
              StreamKeys keys, const std::optional<FlushPoint>& resume = std::nullopt);

  /// Whether a flush is due: an interval after the last one, or if it is `pressing` on any rank.
  bool due(bool pressing) const;
  /// Writes rows ahead of a flush, so that they do not gather in memory. They count from that flush
  /// on.
  void Append(const Rows& rows);
  /// Writes the rows and totals as of `until` to the files.
  void Flush(Time until, const Source& source);
  /// Waits until the rows of all flushes are on the disk, because a checkpoint refers to them and
  /// must survive a crash of the machine.
  void Sync();
  /// After the first flush: checks that the root can see the file of every rank, so that no rows
  /// are missing at the end. If not, throws SharedError (exit code 6); a run that has just begun
  /// then deletes its files.
  void ExpectOneFolder();
  /// Makes the last flush, then `before_result` on all ranks, then the result: each rank sorts its
  /// log and compresses its share, and the root writes the file. Deletes the totals and row logs;
  /// after an error they stay. `watch` receives every block of the logs' rows at the root, as it is
  /// written.
  void Finish(const Source& source, const std::function<void()>& before_result,
              const std::function<void(const Table&)>& watch);

  /// Deletes this rank's files, for a run whose contents are invalid. Not collective.
  void Discard();
  /// Sets a text about the disk space that the whole run needs, for the error message of a full
  /// disk.
  void set_need(std::string text) { need_ = std::move(text); }

  /// Returns the bytes of the buffers, the kept totals, and HDF5 once it has written totals.
  std::size_t memory() const;
  /// Returns the last flush; a checkpoint made now refers to it.
  FlushPoint point() const { return {flushes_, totals_until_, logs_}; }

  /// Returns the time that this rank has spent on results so far [s].
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Returns seconds of wall-clock time.
  static double Since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  /// Appends and commits rows on all ranks, then writes totals at the root, so that totals never
  /// name rows that are missing.
  void Write(Time until, bool ended, const Source& source);
  /// Calls `work` on all ranks. The message of a file error also lists the files left and the
  /// remedies.
  template <class Work>
  void Advised(Work&& work) const;
  /// Makes the result from logs and totals, and deletes these.
  void Assemble(const std::function<void(const Table&)>& watch);
  /// Truncates the logs after a flush and divides them over these ranks. Throws SharedError if one
  /// is missing.
  void Continue(const FlushPoint& point, const StreamKeys& keys);
  /// Returns this rank's logs, adopted ones included.
  std::vector<std::string> Paths() const;

  std::string result_;
  bool force_;
  Time interval_;
  Communicator world_;
  TableStream log_;
  /// Logs of ranks that the run had before but has no longer; these are committed only.
  std::vector<std::unique_ptr<TableStream>> adopted_;
  std::uint32_t logs_;  ///< of all ranks, adopted ones included
  bool resumed_;
  RunTotals totals_;  ///< of the last flush, at the root
  /// Memory that the HDF5 library kept after writing totals, by the allocator's count [byte].
  std::int64_t hdf5_memory_ = 0;
  std::uint64_t flushes_ = 0;  ///< number of complete flushes
  Time totals_until_;          ///< time of the last complete flush
  std::string need_;
  Clock::time_point last_ = Clock::now();
  double last_cost_ = 0, seconds_ = 0;
};

}  // namespace heddle
