// SPDX-License-Identifier: GPL-2.0-only
#include "io/collisions/link_users.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/table.h"
#include "core/records/flow_vocabulary.h"
#include "io/analysis/controller_join.h"
#include "io/collisions/flow_paths.h"
#include "topology/routes/routes.h"

namespace heddle {
namespace {

constexpr std::uint32_t kNotAsked = ~0U;

/// Numbers the kinds of communication of jobs' operations: job, phase, operation, type of group.
class OperationKinds {
 public:
  explicit OperationKinds(const ReportSource& source) {
    if (!source.HasRows("operations") || !source.HasColumn("flows", "operation")) return;
    ForEachBlock(
        source.reader(), "operations", {"job", "phase", "op", "group_type"},
        [&](const Table& block) {
          const auto& job = GetColumn<std::uint32_t>(block, "job");
          const auto& phase = GetColumn<std::string>(block, "phase");
          const auto& op = GetColumn<std::string>(block, "op");
          const auto& group = GetColumn<std::string>(block, "group_type");
          for (std::size_t i = 0; i < job.size(); ++i) {
            const std::string name =
                fmt::format("job {}: {} {} of {}", job[i], phase[i], op[i], group[i]);
            const auto number =
                numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size())).first->second;
            if (number == names_.size()) names_.push_back(name);
            of_job_[job[i]].push_back(number);
          }
        });
  }

  bool any() const { return !names_.empty(); }
  const std::string& name(std::uint64_t kind) const { return names_[kind]; }
  /// The kind of an operation. Operations are numbered on across passes.
  std::uint64_t Of(std::uint32_t job, std::uint32_t operation) const {
    const auto kinds = of_job_.find(job);
    return kinds == of_job_.end() ? 0 : kinds->second[operation % kinds->second.size()];
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_job_;
};

struct Sum {
  std::int64_t flows = 0, bytes = 0;
};

class Counter {
 public:
  Counter(const ReportSource& source, const std::vector<HopIndex>& links)
      : source_(source),
        kinds_(source),
        slot_(source.numbers().count(), kNotAsked),
        sums_(links.size()) {
    for (std::size_t i = 0; i < links.size(); ++i) slot_[links[i]] = static_cast<std::uint32_t>(i);
  }

  std::vector<std::string> columns() const {
    std::vector<std::string> columns = {"src",        "dst",  "source_port", "destination_port",
                                        "size_bytes", "state"};
    if (kinds_.any()) columns.insert(columns.end(), {"job", "operation"});
    return columns;
  }

  /// `own`: the sources' own ports, which paths omit.
  void Add(const Table& flows, const PortLists& paths, const std::vector<HopIndex>& own) {
    const auto& source = GetColumn<std::uint32_t>(flows, "src");
    const auto& destination = GetColumn<std::uint32_t>(flows, "dst");
    const auto& size = GetColumn<std::int64_t>(flows, "size_bytes");
    const auto& state = GetColumn<std::uint8_t>(flows, "state");
    const auto* job = kinds_.any() ? &GetColumn<std::uint16_t>(flows, "job") : nullptr;
    const auto* operation = kinds_.any() ? &GetColumn<std::uint32_t>(flows, "operation") : nullptr;
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (static_cast<FlowState>(state[i]) == FlowState::kNotStarted) continue;
      const std::uint64_t user =
          job != nullptr ? kinds_.Of((*job)[i], (*operation)[i])
                         : (static_cast<std::uint64_t>(source[i]) << 32) | destination[i];
      Use(own[i], user, size[i]);
      for (const HopIndex port : paths[i]) Use(port, user, size[i]);
    }
  }

  std::vector<LinkUse> Finish(std::size_t most) const {
    std::vector<LinkUse> uses;
    for (const auto& users : sums_) {
      std::vector<std::pair<std::uint64_t, Sum>> order(users.begin(), users.end());
      std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        return a.second.bytes != b.second.bytes ? a.second.bytes > b.second.bytes
                                                : a.first < b.first;
      });
      LinkUse use;
      use.users_in_all = static_cast<std::int64_t>(order.size());
      for (const auto& [user, sum] : order) {
        use.flows += sum.flows;
        use.bytes += sum.bytes;
        if (use.users.size() < most) use.users.push_back({NameOf(user), sum.flows, sum.bytes});
      }
      uses.push_back(std::move(use));
    }
    return uses;
  }

 private:
  std::string NameOf(std::uint64_t user) const {
    if (kinds_.any()) return kinds_.name(user);
    return source_.NodeName(static_cast<std::uint32_t>(user >> 32)) + " to " +
           source_.NodeName(static_cast<std::uint32_t>(user));
  }

  void Use(HopIndex port, std::uint64_t user, std::int64_t bytes) {
    if (slot_[port] == kNotAsked) return;
    Sum& sum = sums_[slot_[port]][user];
    ++sum.flows;
    sum.bytes += bytes;
  }

  const ReportSource& source_;
  OperationKinds kinds_;
  std::vector<std::uint32_t> slot_;  ///< by port
  std::vector<std::unordered_map<std::uint64_t, Sum>> sums_;
};

}  // namespace

std::vector<LinkUse> FindLinkUsers(const ReportSource& source, const std::vector<HopIndex>& links,
                                   std::size_t most_users, std::uint64_t most_flows) {
  const bool untold = !SprayedBy(source.reader()).empty() || !WhyNoLanes(source.root()).empty();
  if (links.empty() || !source.HasRows("flows") || untold) return {};
  Counter counter(source, links);
  const Routes routes = RoutesOfResult(source.graph(), source.reader());
  const std::uint64_t rows = std::min(source.reader().CountRows("flows"), most_flows);
  const bool controlled =
      source.Has(kRequestTable) && source.Has(kPathTable) && source.HasColumn("flows", "request");
  Table requests, paths;
  std::vector<std::string> columns = counter.columns();
  if (controlled) {
    requests = source.reader().ReadTable(kRequestTable);
    paths = source.reader().ReadTable(kPathTable);
    columns.push_back("request");
  }
  const FlowLanes lanes(source.graph(), source.root());
  if (lanes.any()) columns.push_back("channel");
  // Decisions of the controller must be joined with all flows at once; without a controller, blocks
  // are enough.
  const std::uint64_t step = controlled ? rows : kResultChunkRows;
  try {
    for (std::uint64_t first = 0; first < rows; first += step) {
      const Table block =
          source.reader().ReadRows("flows", first, std::min(step, rows - first), columns);
      const FlowPathSource of_block(source.graph(), block, controlled ? &requests : nullptr,
                                    controlled ? &paths : nullptr, &lanes);
      std::vector<HopIndex> own;
      const PortLists traced = of_block.Trace(routes, source.numbers(), &own);
      counter.Add(block, traced, own);
    }
  } catch (const UserError&) {  // two ends that are not connected even without failures
    return {};
  }
  return counter.Finish(most_users);
}

}  // namespace heddle
