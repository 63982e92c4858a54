// SPDX-License-Identifier: GPL-2.0-only
#include "transport/run/backends/backend.h"

#include "core/base/check.h"
#include "core/engine/engine_session.h"
#include "core/records/arrival_join.h"
#include "transport/run/fabric/record_tables.h"

namespace heddle {

void Backend::CheckFlows(const std::vector<FlowRequest>& /*flows*/) const {
  throw UserError("this backend carries collectives of a workload, and no flows of a trace");
}

PostOffice& Backend::post_office() {
  throw InvariantError("a backend that has no domains runs on an engine");
}

EngineReport Backend::Run(EngineKind kind, const Communicator& world, EngineSetup setup) {
  setup.post_office = &post_office();
  setup.lookahead = Lookahead();
  setup.two_sides = two_sides();
  setup.neighbours = NeighbourRanks();
  return RunEngine(kind, world, setup);
}

std::vector<Table> Backend::FlowRows(const FlowRecords& /*records*/) const {
  return FlowRowTables({}, /*origins=*/true, /*controlled=*/false);
}

Table Backend::GatherFlows(const Communicator& /*world*/, const FlowRecords& /*mine*/) const {
  Table flows = FlowTable({}, /*origins=*/true, /*controlled=*/false);
  ArrivalJoin([] { return ArrivalTable({}); }).AddReceived(&flows);
  return flows;
}

TotalTables Backend::GatherTotals(const Communicator& /*world*/) const {
  TotalTables totals{DropTable({}),
                     PortTable({}),
                     PauseCauseTable({}),
                     {},
                     FlowStatisticsTables(FlowStatistics())};
  totals.statistics.push_back(TierLoadTable({}));
  return totals;
}

void Backend::SavePieces(PieceWriter* /*to*/) {
  throw UserError("this backend cannot be saved. Expected: no --checkpoint-every");
}

void Backend::LoadPieces(CheckpointPieces* /*from*/) {
  throw UserError("this backend cannot be saved, and so nothing can be loaded");
}

}  // namespace heddle
