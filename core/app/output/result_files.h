// SPDX-License-Identifier: GPL-2.0-only
/// The files of a run that is going on: rows to the logs, totals beside them, and at the end the
/// result.
#ifndef HEDDLE_CORE_APP_OUTPUT_RESULT_FILES_H_
#define HEDDLE_CORE_APP_OUTPUT_RESULT_FILES_H_

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

/// How far a run's logs are.
struct FlushPoint {
  std::uint64_t flush = 0;  ///< number of the flush
  Time until;
  std::uint32_t logs = 0;  ///< RESULT.part.rank0 and those that follow

  template <class Archive>
  void serialize(Archive& archive, unsigned /*version*/) {
    archive& flush& until& logs;
  }
};

/// One rank's side. All functions but seconds() are collective, and throw SharedError on all ranks.
class RunOutput {
 public:
  /// What is written at a flush: this rank's new rows, and (collective) the totals, which count at
  /// the root only.
  struct Source {
    std::function<std::vector<Table>()> rows;
    std::function<RunTotals()> totals;
  };

  /// Writes nothing yet. An existing result, and what a killed run left beside it, are replaced
  /// with `force` only. `keys`: what orders the rows of each table that Source::rows yields.
  /// `interval`: by the clock, between flushes; zero: a second, or as much more as it takes for
  /// flushes to be a hundredth of the time. `resume`: the logs of the run before are gone on with
  /// from there, shared out over these ranks; what came later is cut away. Throws SharedError (exit
  /// code 3) if they are not there as far as that.
  RunOutput(const std::string& result, bool force, Time interval, const Communicator& world,
            StreamKeys keys, const std::optional<FlushPoint>& resume = std::nullopt);

  /// Whether a flush is due: an interval after the last one.
  bool due() const;
  /// Rows and totals as of `until` go to disk.
  void Flush(Time until, const Source& source);
  /// Waits until the rows of all flushes are on the disk: a checkpoint rests on them, and is to
  /// outlive the machine's crash.
  void Sync();
  /// After the first flush: makes sure that the root sees what every rank writes, so that no run
  /// ends without its rows. If not, throws SharedError (exit code 6), and a run that has just begun
  /// leaves nothing.
  void ExpectOneFolder();
  /// The last flush, then the result: each rank sorts its log and compresses its share, the root
  /// writes. Deletes the parts. After an error the parts stay.
  void Finish(const Source& source);

  /// Deletes this rank's parts, whose contents are not to be trusted. Not collective.
  void Discard();
  /// Words on what the whole run needs on the disk, for the message of one that is full.
  void set_need(std::string text) { need_ = std::move(text); }

  /// Bytes of buffers, of the totals that are kept, and of HDF5 once it has written them.
  std::size_t memory() const;
  /// The last flush: what a checkpoint that is made now rests on.
  FlushPoint point() const { return {flushes_, totals_until_, logs_}; }

  /// So far, spent with results by this rank [s].
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  static double Since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  void Write(Time until, bool ended, const Source& source);
  /// Calls `work` on all ranks; what went wrong with files is told with what is left and can be
  /// done.
  template <class Work>
  void Advised(Work&& work) const;
  void Assemble();
  void Continue(const FlushPoint& point, const StreamKeys& keys);
  /// This rank's logs.
  std::vector<std::string> Paths() const;

  std::string result_;
  bool force_;
  Time interval_;
  Communicator world_;
  TableStream log_;
  std::vector<std::unique_ptr<TableStream>>
      adopted_;         ///< logs of ranks that the run had before and has no more: commits only
  std::uint32_t logs_;  ///< of all ranks, adopted ones included
  bool resumed_;
  RunTotals totals_;  ///< of the last flush, at the root
  std::int64_t hdf5_memory_ =
      0;  ///< what the library kept of writing totals, by the allocator's count [byte]
  std::uint64_t flushes_ = 0;  ///< those that are whole
  Time totals_until_;          ///< the last of them
  std::string need_;
  Clock::time_point last_ = Clock::now();
  double last_cost_ = 0, seconds_ = 0;
};

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_OUTPUT_RESULT_FILES_H_
