// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/collective/phases_text.h"

#include <fmt/format.h>

#include <vector>

#include "collectives/phased/phase_plan.h"
#include "core/options/enum_words.h"

namespace heddle {
namespace {

constexpr std::uint32_t kChunk = 0;  ///< odd ones differ in trees only

const char* NameOf(LineSteps::Shape shape) {
  switch (shape) {
    case LineSteps::Shape::kRing:
    case LineSteps::Shape::kFarRing:
      return "ring";
    case LineSteps::Shape::kDirect:
      return "direct";
    case LineSteps::Shape::kTrees:
      return "doubleBinaryTree";
    case LineSteps::Shape::kHalving:
      return "halvingDoubling";
  }
  return "";
}

struct Plan {
  explicit Plan(const PhasesRequest& request)
      : shape(LogicalShape(request.options.layout, request.ranks)),
        planner(shape, request.options),
        // All dimensions in which ranks differ.
        phases(planner.Plan(request.spec.operation, request.spec.bytes, Mask(*shape))) {}

  static std::uint32_t Mask(const ScaleUpShape& shape) {
    std::uint32_t mask = 0;
    for (std::size_t d = 0; d < shape.dimensions.size(); ++d)
      mask |= shape.dimensions[d].size > 1 ? 1U << d : 0;
    return mask;
  }
  /// Visits the messages of a rank in a phase: number, and how many it must have received.
  template <class Visit>
  void ForEachMessage(NodeId rank, const PlannedPhase& phase, const Visit& visit) const {
    const LinePlace place = planner.PlaceOf(rank, phase, kChunk);
    for (std::uint32_t received = 0; received <= phase.steps.MessagesOf(place); ++received) {
      std::uint32_t begin = 0;
      const std::uint32_t count = phase.steps.After(received, &begin, place);
      for (std::uint32_t number = begin; number < begin + count; ++number) visit(number, received);
    }
  }
  /// Bytes that leave a rank by dimension, of all chunks.
  std::vector<std::int64_t> SentByDimension(std::uint32_t rank) const {
    std::vector<std::int64_t> sent(shape->dimensions.size(), 0);
    for (const PlannedPhase& phase : phases.phases) {
      ForEachMessage(NodeId(rank), phase, [&](std::uint32_t number, std::uint32_t) {
        sent[phase.dimension] += phase.BytesOf(number) * phases.chunks;
      });
    }
    return sent;
  }

  std::shared_ptr<const ScaleUpShape> shape;
  PhasePlanner planner;
  PhasePlan phases;
};

/// "0", or of a line through several: "0+1+2".
std::string DimensionsOf(std::uint32_t span) {
  std::string text;
  for (std::uint32_t d = 0; span >> d != 0; ++d) {
    if ((span >> d & 1) != 0) text += (text.empty() ? "" : "+") + std::to_string(d);
  }
  return text;
}

/// A message of the first chunk.
struct PhaseRow {
  std::size_t phase = 0;
  Operation operation = Operation::kNone;
  const char* algorithm = "";
  std::string dimension;
  std::uint32_t message = 0, to = 0;
  std::int64_t bytes = 0;
  std::uint32_t received = 0;
};

std::vector<PhaseRow> RowsOf(const PhasesRequest& request) {
  const Plan plan(request);
  const NodeId rank(request.rank);
  std::vector<PhaseRow> rows;
  for (std::size_t i = 0; i < plan.phases.phases.size(); ++i) {
    const PlannedPhase& phase = plan.phases.phases[i];
    plan.ForEachMessage(rank, phase, [&](std::uint32_t number, std::uint32_t received) {
      rows.push_back({i, phase.operation, NameOf(phase.steps.shape), DimensionsOf(phase.span),
                      number, plan.planner.To(rank, phase, number, kChunk, true).value,
                      phase.BytesOf(number), received});
    });
  }
  return rows;
}

PrintedColumns<PhaseRow> PhaseColumns() {
  using Row = PhaseRow;
  return {{"phase", &Row::phase, "phase", 5},
          {"operation", [](const Row& row) { return ToText(row.operation); }, "  operation", -15,
           [](const Row& row) { return std::string("  ") + ToText(row.operation); }},
          {"algorithm", &Row::algorithm, " algorithm", -17,
           [](const Row& row) { return std::string(" ") + row.algorithm; }},
          {"dimension", &Row::dimension, " dimension", -10,
           [](const Row& row) { return " " + row.dimension; }},
          {"message", &Row::message, "message", 8},
          {"to", &Row::to, "to", 8},
          {"bytes", &Row::bytes, "bytes", 13},
          {"received", &Row::received, "received", 9}};
}

}  // namespace

std::string PhasesHead(const PhasesRequest& request) {
  const Plan plan(request);
  const char* const form = ToText(request.options.collectives);
  std::string text = fmt::format(
      "operation   {} of {} bytes over {} ranks in {} ({})\nchunks      {}, each in {} phases\n"
      "messages    {} of all ranks\n",
      ToText(request.spec.operation), request.spec.bytes, request.ranks, request.options.layout,
      form, plan.phases.chunks, plan.phases.phases.size(), plan.phases.MessagesOf(request.ranks));
  const std::vector<std::int64_t> sent = plan.SentByDimension(request.rank);
  for (std::size_t d = 0; d < sent.size(); ++d) {
    text += fmt::format("dimension {} {} ranks, {} bytes sent by rank {}\n", d,
                        plan.shape->dimensions[d].size, sent[d], request.rank);
  }
  return text + "\n";
}

std::string PhasesMessages(const PhasesRequest& request, bool csv) {
  const PrintedColumns<PhaseRow> columns = PhaseColumns();
  std::string text = csv ? PrintedCsvHead(columns) : PrintedHead(columns);
  for (const PhaseRow& row : RowsOf(request))
    text += csv ? PrintedCsvLine(columns, row) : PrintedLine(columns, row);
  return text;
}

OrderedJson PhasesJson(const PhasesRequest& request) {
  const Plan plan(request);
  const std::vector<std::int64_t> sent = plan.SentByDimension(request.rank);
  OrderedJson dimensions = OrderedJson::array();
  for (std::size_t d = 0; d < sent.size(); ++d)
    dimensions.push_back(
        {{"dimension", d}, {"ranks", plan.shape->dimensions[d].size}, {"sent_bytes", sent[d]}});
  return {{"operation", ToText(request.spec.operation)},
          {"size_bytes", request.spec.bytes},
          {"ranks", request.ranks},
          {"layout", request.options.layout},
          {"form", ToText(request.options.collectives)},
          {"chunks", plan.phases.chunks},
          {"phases", plan.phases.phases.size()},
          {"messages_of_all_ranks", plan.phases.MessagesOf(request.ranks)},
          {"rank", request.rank},
          {"dimensions", std::move(dimensions)},
          {"messages", PrintedList(PhaseColumns(), RowsOf(request))}};
}

}  // namespace heddle
