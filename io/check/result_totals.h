// SPDX-License-Identifier: GPL-2.0-only
/// Compares sums over a result's tables with each other and with its attributes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/table.h"
#include "io/check/table_validation.h"

namespace heddle {

/// Figures of the attributes that can also be computed from tables.
struct StatedTotals {
  std::int64_t flows_planned = 0, flows_finished = 0, packet_hops = 0, simulated_ps = 0, ranks = 0;
  std::string flows_recorded;
  bool failures = false;  ///< links or nodes failed, so a flow may have had no path at its start
  bool measured = false;  ///< of real traffic, so no flow has an ideal time
};

/// Receives the blocks of all tables, then compares.
class ResultTotals final {
 public:
  /// Adds rows of a table, which its name identifies; tables without totals are ignored.
  void Add(const Table& block);
  /// Call after all tables were added.
  void Check(const StatedTotals& stated, std::vector<Finding>* findings) const;
  /// Whether no packet can have been retransmitted: none was lost, and all flows ended within one
  /// timeout.
  bool NothingSentAgain(std::int64_t timeout_ps) const {
    return drops_ == 0 && longest_fct_ps_ < timeout_ps;
  }
  std::uint64_t flows_digest() const { return digest_; }  ///< of the rows of /flows so far

 private:
  struct SizeClass {
    std::int64_t to = 0, flows = 0, bytes = 0, longest_ps = 0;
    std::int64_t slowdowns = 0;  ///< flows with an ideal time; not in /flow_sizes
    bool operator==(const SizeClass& other) const {
      return flows == other.flows && bytes == other.bytes && longest_ps == other.longest_ps;
    }
  };
  using SizeClasses = std::map<std::int64_t, SizeClass>;  ///< by from_bytes

  void AddFlows(const Table& flows);
  /// Adds one row of /flows, times in ps; fct -1: it did not finish.
  void AddRow(std::int64_t size, std::int64_t start, std::int64_t fct, std::int64_t received,
              std::int64_t ideal, std::uint8_t state);
  /// Keeps the classes of /flow_sizes; counts classes that overlap in ill_bins_.
  void AddSizes(const Table& sizes);
  /// Sums flows by size class; counts bins that overlap in ill_bins_.
  void AddSlowdowns(const Table& bins);
  /// Sums the flows of /fct_histogram; counts bins that overlap in ill_bins_.
  void AddTimes(const Table& bins);
  /// Compares rows of /flows with themselves and with the attributes' numbers of flows.
  void CheckFlows(const StatedTotals& stated, std::vector<Finding>* findings) const;
  /// Compares sums of bins with flows_finished; if all flows have rows, classes with the rows.
  void CheckHistograms(const StatedTotals& stated, std::vector<Finding>* findings) const;
  /// Checks for each size class that the histogram has as many flows as can have an ideal time.
  void CheckSlowdowns(const StatedTotals& stated, std::vector<Finding>* findings) const;
  /// Returns the rows of /flows in the classes of /flow_sizes; a row in none of them keeps a class
  /// of its own.
  SizeClasses InClassesOfTable() const;
  /// Compares rows of /ranks with the GPUs and the end of each job in /jobs.
  void CheckJobs(std::vector<Finding>* findings) const;

  std::int64_t rows_ = 0, finished_ = 0, drops_ = 0, longest_fct_ps_ = 0, latest_ps_ = 0;
  std::int64_t other_state_ = 0, received_late_ = 0;  ///< flows whose columns contradict each other
  std::int64_t ill_bins_ = 0;  ///< bins that end before they begin, or overlap
  std::int64_t in_times_ = 0, sent_packets_ = 0, run_ranks_ = 0, hops_of_ranks_ = 0;
  std::int64_t last_time_bin_ = 0;
  std::pair<std::int64_t, double> last_slowdown_bin_{-1, 0};
  std::uint64_t digest_ = 0;
  SizeClasses from_flows_, from_table_;
  std::map<std::int64_t, std::int64_t> in_slowdowns_;  ///< flows by from_bytes
  std::map<std::uint32_t, std::uint32_t> gpus_of_job_, ranks_of_job_;
  std::map<std::uint32_t, std::int64_t> end_of_job_, end_of_ranks_;
};

}  // namespace heddle
