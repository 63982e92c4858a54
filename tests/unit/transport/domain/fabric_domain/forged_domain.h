// SPDX-License-Identifier: GPL-2.0-only
/// A run in one domain, stopped half-way, whose saved numbers a test replaces.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/serialization/deque.hpp>
#include <boost/serialization/map.hpp>
#include <boost/serialization/vector.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/coordinator/flow_coordinator.h"
#include "core/checkpoint/state_archive.h"
#include "core/options/options.h"
#include "core/traffic/trace_driver.h"
#include "tests/support/simulate_jobs.h"
#include "transport/domain/fabric_domain/fabric_domain.h"
#include "transport/domain/fabric_domain/state_check.h"
#include "transport/run/fabric/fabric.h"

namespace heddle::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline TransportOptions TransportOf(const Settings& settings) {
  TransportOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set(key, value);
  return options;
}

class ForgedDomain {
 public:
  /// Every GPU sends `size` bytes to every other one.
  ForgedDomain(Graph graph, const Settings& settings, Bytes size)
      : graph_(std::move(graph)),
        options_(TransportOf(settings)),
        flows_(Everywhere(graph_, size)),
        driver_(flows_, options_.split(), options_.send_latency),
        fabric_(graph_, options_, Layout(graph_), RankId(0), 1, 1, {}) {
    fabric_.Drive(&driver_);
  }

  /// A job on all GPUs.
  ForgedDomain(Graph graph, const Settings& settings, const char* workload)
      : graph_(std::move(graph)),
        options_(TransportOf(settings)),
        driver_(flows_),
        jobs_{MakeJob(graph_, workload)},
        fabric_(graph_, options_, Layout(graph_), RankId(0), 1, 1, {}) {
    coordinator_.emplace(graph_, jobs_, CollectiveOptions(), false);
    fabric_.Drive(&*coordinator_);
  }

  FabricDomain& domain() { return *fabric_.domains()[0]; }
  const DomainParts& parts() { return domain().parts(); }
  /// In turn with the central controller, if there is one, whose messages take a microsecond.
  void RunUntil(Time end) {
    PostOffice& post_office = fabric_.post_office();
    while (reached_ < end) {
      reached_ = std::min(reached_ + MicroSeconds(1), end);
      for (std::size_t i = 0; i < post_office.domains().size(); ++i)
        post_office.RunDomain(i, reached_);
    }
  }

  /// What the check of loaded state says; empty if it finds the state sound.
  std::string Refusal() {
    try {
      StateCheck(domain()).Check();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  /// The state of a part, read as a Mirror: a struct with its members in the order in which they
  /// are saved.
  template <class Mirror, class Part>
  static void Read(const Part& part, Mirror* mirror) {
    StateWriter saved;
    saved << part;
    StateReader reader(saved.bytes());
    reader >> *mirror;
    reader.ExpectEnd();
    StateWriter again;
    again << *mirror;
    ASSERT_EQ(again.bytes(), saved.bytes());
  }
  template <class Mirror, class Part>
  static void Write(const Mirror& mirror, Part* part) {
    StateWriter forged;
    forged << mirror;
    StateReader reader(forged.bytes());
    reader >> *part;
    reader.ExpectEnd();
  }

  /// The slots of the cargo of the events of a kind.
  std::vector<std::uint32_t> CargoOf(FabricEvent::Kind kind) {
    std::vector<std::uint32_t> slots;
    for (const Event& event : domain().queue().Sorted()) {
      if (EventOrder(event.order).kind() == kind) slots.push_back(event.argument);
    }
    return slots;
  }
  template <class Record>
  Record CargoAt(std::uint32_t slot) {
    Record record;
    std::memcpy(static_cast<void*>(&record), domain().cargo()[slot].bytes, sizeof record);
    return record;
  }
  template <class Record>
  void PutCargo(std::uint32_t slot, const Record& record) {
    std::memcpy(domain().cargo()[slot].bytes, &record, sizeof record);
  }

 private:
  static std::vector<FlowRequest> Everywhere(const Graph& graph, Bytes size) {
    std::vector<FlowRequest> flows;
    for (std::uint32_t from = 0; from < graph.gpu_count(); ++from) {
      for (std::uint32_t to = 0; to < graph.gpu_count(); ++to) {
        if (from == to) continue;
        FlowRequest flow;
        flow.source = NodeId(from);
        flow.destination = NodeId(to);
        flow.size = size;
        flows.push_back(flow);
      }
    }
    return flows;
  }
  static FabricLayout Layout(const Graph& graph) {
    std::vector<NodeId> nodes;
    for (std::uint32_t node = 0; node < graph.node_count(); ++node) nodes.emplace_back(node);
    return {std::vector<DomainId>(graph.node_count(), DomainId(0)), {nodes}, {RankId(0)}};
  }

  Graph graph_;
  TransportOptions options_;
  std::vector<FlowRequest> flows_;
  TraceDriver driver_;
  std::vector<Job> jobs_;
  std::optional<FlowCoordinator> coordinator_;
  Fabric fabric_;
  Time reached_;
};

}  // namespace heddle::testing
