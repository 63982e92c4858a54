// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/step_explanation.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "core/base/check.h"
#include "io/analysis/result_view.h"
#include "io/collisions/recorded_flows.h"
#include "topology/graph/node_names.h"
#include "topology/paths/path_tracer.h"

namespace heddle {
namespace {

Table ReadIfThere(const ReportSource& source, const std::string& name) {
  return source.HasRows(name) ? source.reader().ReadTable(name) : Table();
}

/// What all jobs of a result share.
class StepReader {
 public:
  explicit StepReader(const ReportSource& source)
      : source_(source), names_(source.graph()), has_messages_(ReadMessages()) {
    if (has_messages_) TracePaths();
  }

  StepExplanation Read(const Table& jobs, std::size_t row, const StepTimes& times) const {
    StepExplanation study;
    study.job = GetColumn<std::uint32_t>(jobs, "job")[row];
    study.name = GetColumn<std::string>(jobs, "name")[row];
    study.start_ps = GetColumn<std::int64_t>(jobs, "start_ps")[row];
    study.end_ps = GetColumn<std::int64_t>(jobs, "end_ps")[row];
    study.time = times.Of(study.job);
    study.has_messages = has_messages_;
    study.has_paths = paths_.has_value();
    study.topology_changed = source_.HasRows("failures");
    AddPieces(&study);
    return study;
  }

 private:
  bool ReadMessages() {
    if (RecordedFlows(source_.reader()) != "all" || !source_.HasRows("flows")) return false;
    tables_.flows = source_.reader().ReadTable("flows");
    CheckNodes(tables_.flows, "src", source_.graph().node_count());
    CheckNodes(tables_.flows, "dst", source_.graph().node_count());
    tables_.recovery = ReadIfThere(source_, "recovery");
    tables_.ports = ReadIfThere(source_, "ports");
    tables_.pause_causes = ReadIfThere(source_, "pause_causes");
    tables_.received = source_.root().Text("option flow.completion").value_or("acked") != "acked";
    return true;
  }

  void TracePaths() {
    if (!WhyNoPaths(source_).empty()) return;
    const bool controlled = source_.Has("controller/requests");
    requests_ = ReadIfThere(source_, "controller/requests");
    reserved_ = ReadIfThere(source_, "controller/paths");
    const bool reserves = controlled && !requests_.columns.empty() && !reserved_.columns.empty();
    const FlowLanes lanes(source_.graph(), source_.root());
    const FlowPathSource paths(source_.graph(), tables_.flows, reserves ? &requests_ : nullptr,
                               reserves ? &reserved_ : nullptr, &lanes);
    routes_.emplace(RoutesOfResult(source_.graph(), source_.reader()));
    paths_ = paths.Trace(*routes_, source_.numbers(), &tables_.own_ports);
    source_ports_ = paths.source_ports();
  }

  /// Requires a flow whose path is known.
  std::vector<HopIndex> PathOfAcks(std::size_t row) const {
    const auto column = [&](const char* name) {
      return NodeId(GetColumn<std::uint32_t>(tables_.flows, name)[row]);
    };
    const std::uint16_t port = GetColumn<std::uint16_t>(tables_.flows, "destination_port")[row];
    // Links under credits have no acknowledgements.
    if (HasDimensions(source_.graph())) return {};
    const bool credits = source_.root().Text("option nvlink.layer").value_or("") == "credits";
    if (credits && source_.graph().SameServer(column("src"), column("dst"))) return {};
    std::vector<HopIndex> path;
    for (const Hop& hop : TracePath(source_.graph(), *routes_, column("dst"), column("src"), port,
                                    source_ports_[row]))
      path.push_back(source_.numbers().Of(hop.node, hop.port));
    return path;
  }

  /// The operations of a job's pass, in order.
  struct Operations {
    std::vector<std::string> group_types;
    std::vector<std::string> names;  ///< "wg ALLREDUCE of DP, layer 3"

    std::string NameOf(std::int64_t operation) const {
      return names.empty() ? "" : names[static_cast<std::size_t>(operation) % names.size()];
    }
  };
  Operations ReadOperations(std::uint32_t job) const {
    const Table operations = source_.reader().ReadTable("operations");
    const auto& of_job = GetColumn<std::uint32_t>(operations, "job");
    const auto& layer = GetColumn<std::uint32_t>(operations, "layer");
    const auto& phase = GetColumn<std::string>(operations, "phase");
    const auto& op = GetColumn<std::string>(operations, "op");
    const auto& type = GetColumn<std::string>(operations, "group_type");
    Operations found;
    for (std::size_t i = 0; i < of_job.size(); ++i) {
      if (of_job[i] != job) continue;
      found.group_types.push_back(type[i]);
      found.names.push_back(
          fmt::format("{} {} of {}, layer {}", phase[i], op[i], type[i], layer[i]));
    }
    return found;
  }

  /// Throws UserError unless all are GPUs, or nodes, of the fabric.
  void CheckNodes(const Table& table, const char* column, std::uint32_t count) const {
    for (const std::uint32_t node : GetColumn<std::uint32_t>(table, column)) {
      if (node < count) continue;
      throw UserError(fmt::format(
          "table {}: node {} in column {}. Expected: a node of the result's topology, 0 to {}",
          table.name, node, column, count - 1));
    }
  }

  std::uint32_t LastGpu(const StepExplanation& study) const {
    const Table ranks = source_.reader().ReadTable("ranks");
    CheckNodes(ranks, "gpu", source_.graph().gpu_count());
    const auto& job = GetColumn<std::uint32_t>(ranks, "job");
    const auto& gpu = GetColumn<std::uint32_t>(ranks, "gpu");
    const auto& end = GetColumn<std::int64_t>(ranks, "end_ps");
    for (std::size_t i = 0; i < job.size(); ++i) {
      if (job[i] == study.job && end[i] == study.end_ps) return gpu[i];
    }
    throw UserError("table ranks: no rank of job " + std::to_string(study.job) +
                    " ended when the job did. Expected: a valid result (heddle validate)");
  }

  void AddPieces(StepExplanation* study) const {
    const Operations operations = ReadOperations(study->job);
    const Table steps = source_.reader().ReadTable("steps");
    CheckNodes(steps, "gpu", source_.graph().gpu_count());
    const StepActivities activities(steps, study->job, operations.group_types);
    std::optional<MessageIndex> messages;
    if (has_messages_)
      messages.emplace(tables_.flows, static_cast<std::uint16_t>(study->job), tables_.received);
    const std::uint32_t gpu = LastGpu(*study);
    study->last_gpu = names_.Of(NodeId(gpu));
    const std::vector<PathPiece> pieces = FindCriticalPath(
        activities, messages ? &*messages : nullptr, gpu, study->start_ps, study->end_ps);
    std::vector<std::size_t> rows;
    for (const PathPiece& piece : pieces) {
      if (piece.kind == PathPiece::Kind::kMessage) rows.push_back(piece.row);
    }
    std::optional<MessageCauses> causes;
    if (has_messages_) {
      causes.emplace(source_.graph(), tables_, paths_ ? &*paths_ : nullptr, rows,
                     [this](std::size_t row) { return PathOfAcks(row); });
    }
    for (const PathPiece& piece : pieces)
      Explain(piece, causes ? &*causes : nullptr, operations, study);
    // Without messages no link is to blame, and so nobody asks for others.
    study->causes = SumByCause(
        study->pieces, [&](const CausedPiece& piece) { return OthersOf(piece, *causes); },
        [this](HopIndex hop) { return LinkOf(hop); });
    if (!causes) return;
    study->lost = LossesToOtherJobs(study->pieces, study->job, *causes, tables_.flows);
    for (JobLoss& loss : study->lost) loss.link = LinkOf(loss.hop);
  }

  void Explain(const PathPiece& piece, const MessageCauses* causes, const Operations& operations,
               StepExplanation* study) const {
    const std::string what = WhatIs(piece, operations);
    std::int64_t from = piece.from_ps;
    const auto add = [&](const CausePart& part) {
      if (part.ps <= 0) return;
      study->pieces.push_back({piece, part, from});
      study->what.push_back(what);
      from += part.ps;
    };
    using Kind = PathPiece::Kind;
    const std::int64_t length = piece.to_ps - piece.from_ps;
    switch (piece.kind) {
      case Kind::kCompute:
        add({piece.alone ? StepCause::kAlone : StepCause::kCompute, kNoHop, length});
        break;
      case Kind::kSoftware:
        add({StepCause::kSoftware, kNoHop, length});
        break;
      case Kind::kCollective:
        add({StepCause::kCollective, kNoHop, length});
        break;
      case Kind::kOther:
        add({StepCause::kOther, kNoHop, length});
        break;
      case Kind::kMessage:
        for (const CausePart& part : ScaledParts(causes->Of(piece.row), length)) add(part);
        break;
    }
  }

  std::string WhatIs(const PathPiece& piece, const Operations& operations) const {
    using Kind = PathPiece::Kind;
    const std::string node = names_.Of(NodeId(piece.node));
    switch (piece.kind) {
      case Kind::kCompute:
        return fmt::format("{} of layer {} on {}", piece.phase, piece.layer, node);
      case Kind::kMessage:
        return fmt::format("{}: {}", operations.NameOf(piece.operation), PairOf(piece.row));
      case Kind::kSoftware:
      case Kind::kCollective:
        return fmt::format("{}, at {}", operations.NameOf(piece.operation), node);
      case Kind::kOther:
        break;
    }
    return node;
  }

  std::string PairOf(std::size_t row) const {
    return names_.Of(NodeId(GetColumn<std::uint32_t>(tables_.flows, "src")[row])) + " to " +
           names_.Of(NodeId(GetColumn<std::uint32_t>(tables_.flows, "dst")[row]));
  }

  std::string LinkOf(HopIndex hop) const {
    const Hop at = source_.numbers().At(hop);
    return names_.Link(at.node, at.port);
  }

  /// The pairs of ends whose messages were on the link of a piece, with their bytes.
  std::vector<std::pair<std::string, double>> OthersOf(const CausedPiece& piece,
                                                       const MessageCauses& causes) const {
    std::vector<std::pair<std::string, double>> others;
    for (const auto& [row, bytes] : causes.BytesOn(piece.part.link, piece.piece.row))
      others.emplace_back(PairOf(row), bytes);
    return others;
  }

  const ReportSource& source_;
  NodeNames names_;
  MessageTables tables_;
  Table requests_, reserved_;
  bool has_messages_;
  std::optional<Routes> routes_;  ///< of `paths_`
  std::vector<std::uint16_t> source_ports_;
  std::optional<PortLists> paths_;
};

}  // namespace

std::int64_t StepExplanation::lost_ps() const {
  std::int64_t sum = 0;
  for (const JobLoss& loss : lost) sum += loss.ps;
  return sum;
}

std::string StepExplanation::LinkOf(std::size_t piece) const {
  const CausePart& part = pieces[piece].part;
  for (const CauseSum& sum : causes) {
    if (sum.cause == part.cause && sum.hop == part.link) return sum.link;
  }
  return "";
}

std::vector<StepExplanation> ExplainSteps(const std::string& file) {
  const ReportSource source(file);
  if (!source.HasRows("jobs")) {
    FailInput({file, 0}, "no table jobs: the run had no workload",
              "a result of heddle run -w or --job");
  }
  if (!source.HasRows("steps")) {
    FailInput({file, 0}, "no table steps: the run kept no time lines",
              "a run with --record timeline=all");
  }
  const Table jobs = source.reader().ReadTable("jobs");
  const StepTimes times = ReadStepTimes(source);
  const StepReader reader(source);
  std::vector<StepExplanation> studies;
  const auto& end = GetColumn<std::int64_t>(jobs, "end_ps");
  for (std::size_t row = 0; row < end.size(); ++row) {
    if (end[row] < 0) continue;
    studies.push_back(reader.Read(jobs, row, times));
    studies.back().shares = StepSharesOf(source, studies.back().job, studies.back().time);
  }
  if (studies.empty())
    FailInput({file, 0}, "no job ended", "a run that ended (its output says what it waited for)");
  return studies;
}

}  // namespace heddle
