// SPDX-License-Identifier: GPL-2.0-only
/// Where the time of a job's GPUs went: parts that add up to the number of GPUs times the job's
/// duration. The run's summary, the report and the export show the same.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/table.h"

namespace heddle {

/// A part of the time.
enum class StepPart : std::uint8_t {
  kCompute,
  kForward,         ///< only waited for communication of the forward phase
  kInputGradient,   ///< only waited for that of input gradients
  kWeightGradient,  ///< only waited for that of weight gradients
  kStages,          ///< only waited for other pipeline stages
  kEnded,           ///< the GPU had ended, another of the job had not
  kStates,          ///< changes of state of the programs (1 ns each, SimAI's)
};
constexpr int kStepParts = 7;
/// "computed", "forward", "input gradient", "weight gradient", "other stages", "had ended",
/// "changed state".
const char* ToText(StepPart part);

/// One job.
struct StepTime {
  bool ended = false;  ///< all its GPUs have; if not, the rest is 0
  double span_ps = 0;  ///< from its start to the end of its last GPU
  /// The same without what each GPU waited for weight gradients after its last step.
  double span_without_tail_ps = 0;
  std::array<double, kStepParts> share{};  ///< by StepPart; their sum is 1
  double of(StepPart part) const { return share[static_cast<std::size_t>(part)]; }  ///< [0, 1]
};

/// Sums up the tables of a result (docs/formats/result.md), which may come in blocks: first "jobs",
/// then "ranks" and "layers". If not all ranks of a job have layers, those that have them stand for
/// equally many each: rank 0 for all (`heddle analytical`), or one of each pipeline stage.
class StepTimes {
 public:
  /// Takes start, end and number of GPUs of each job; end -1: it did not end.
  void AddJobs(const Table& jobs);
  /// Takes the end of each GPU's program. Requires AddJobs() for its job.
  void AddRanks(const Table& ranks);
  /// Adds the computing and waiting of each layer of each GPU, and subtracts its tail.
  void AddLayers(const Table& layers);

  /// Returns the columns that AddJobs() reads.
  static const std::vector<std::string>& JobColumns();
  /// Returns what AddRanks() reads.
  static const std::vector<std::string>& RankColumns();
  /// Returns what AddLayers() reads.
  static const std::vector<std::string>& LayerColumns();

  /// Returns the time of job number `job`; one that AddJobs() has not seen did not end.
  StepTime Of(std::uint32_t job) const;

 private:
  /// Exact, so that what stands for many counts as many do.
  using Sum = __int128;
  struct Sums {
    std::int64_t start = 0, end = -1;
    std::uint32_t gpus = 0;
    std::array<Sum, kStepParts> parts{};  ///< ps; without kStates
    std::set<std::uint32_t> ranks;        ///< that have layers
    /// By rank [ps]: how long its program lasted, less the waits after its last step.
    std::map<std::uint32_t, double> without_tail;
  };
  std::map<std::uint32_t, Sums> jobs_;
};

}  // namespace heddle
