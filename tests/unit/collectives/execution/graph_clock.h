// SPDX-License-Identifier: GPL-2.0-only
/// A toy program: a graph of operations, each of which is issued when all that it follows have
/// ended.
///
/// The second kind of program clock beside the list of steps. It has no computing, passes or
/// layers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "collectives/execution/collective_runner.h"
#include "collectives/execution/program_clock.h"

namespace heddle::testing {

/// By operation: the operations that it follows, which are lower.
using OperationGraph = std::vector<std::vector<std::uint32_t>>;

/// The program of one GPU.
class GraphClock final : public OperationReports {
 public:
  struct Span {
    Time issued, end;
    bool operator==(const Span& other) const { return issued == other.issued && end == other.end; }
    friend std::ostream& operator<<(std::ostream& to, const Span& span) {
      return to << span.issued.ps << " ps to " << span.end.ps << " ps";
    }
  };

  /// `log`: gets a line for each call to a clock. All arguments must outlive it.
  GraphClock(const OperationGraph& graph, CollectiveRunner* runner, std::vector<std::string>* log)
      : graph_(graph), runner_(*runner), log_(*log) {}

  /// Issues at `start` what follows nothing.
  void Begin(Time start) {
    start_ = start;
    for (std::uint32_t operation = 0; operation < graph_.size(); ++operation) {
      if (graph_[operation].empty()) IssueIfReady(operation);
    }
  }

  void Ended(std::uint32_t operation, Time issued, Time at) override {
    Log("ended", operation);
    spans[operation] = {issued, at};
  }

  void MayGoOn(std::uint32_t operation, Time at) override {
    Log("may go on", operation);
    done_[operation] = at;
    for (std::uint32_t next = operation + 1; next < graph_.size(); ++next) {
      const std::vector<std::uint32_t>& before = graph_[next];
      if (std::find(before.begin(), before.end(), operation) != before.end()) IssueIfReady(next);
    }
  }

  std::map<std::uint32_t, Span> spans;  ///< of the operations that have ended

 private:
  void IssueIfReady(std::uint32_t operation) {
    if (!runner_.TakesPart(operation)) return;
    Time at = start_;
    for (const std::uint32_t before : graph_[operation]) {
      const auto found = done_.find(before);
      if (found == done_.end()) return;
      at = std::max(at, found->second);
    }
    runner_.Issue(operation, at);
  }
  void Log(const char* what, std::uint32_t operation) {
    log_.push_back("rank " + std::to_string(runner_.rank()) + ": " + std::to_string(operation) +
                   " " + what);
  }

  const OperationGraph& graph_;
  CollectiveRunner& runner_;
  std::vector<std::string>& log_;
  Time start_;
  std::map<std::uint32_t, Time> done_;
};

}  // namespace heddle::testing
