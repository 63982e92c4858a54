// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/run/execution/run_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/serialization/vector.hpp>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/app/base/cli/file_digest.h"
#include "core/app/base/cli/terminal.h"
#include "core/app/run/arguments/input_files.h"
#include "core/app/run/arguments/output_conflicts.h"
#include "core/app/run/arguments/physical_arguments.h"
#include "core/base/printable.h"
#include "core/checkpoint/identity.h"
#include "core/checkpoint/state_archive.h"
#include "io/result/output_path.h"

namespace heddle {
namespace {

/// Assumed cost before the first checkpoint was measured: a fixed time, and the speed of a slow
/// disk [byte/s].
constexpr double kFirstSeconds = 1, kSlowDisk = 100e6;

/// Digest of the division into domains, which does not depend on the number of ranks. Another grain
/// or lookahead gives other domains.
std::string DomainDigest(const RunInput& input) {
  std::vector<std::uint32_t> numbers;
  for (const DomainId domain : input.domains.domain_of) numbers.push_back(domain.value);
  return BytesDigest(numbers.data(), numbers.size() * sizeof numbers[0]);
}

/// State is saved by domain, so a checkpoint also needs the same domains. Results do not.
RunIdentity WithDomains(RunIdentity identity, const RunInput& input) {
  identity.emplace_back("domains (--grain, --lookahead)", DomainDigest(input));
  return identity;
}

/// Lower bound of the size of the saved state [byte].
std::size_t StateOf(const Backend& backend) {
  MemoryAccount account;
  backend.AddMemory(&account);
  return account.total();
}

}  // namespace

bool RunCheckpoint::Possible(const RunArguments& arguments) {
  const std::vector<InputFile> inputs = InputFiles(arguments);
  return !arguments.output.empty() && !IsPhysical(arguments) &&
         ParseEngineKind(arguments.engine) == EngineKind::kDomain &&
         std::none_of(inputs.begin(), inputs.end(),
                      [](const InputFile& file) { return IsReadOnce(file.path); });
}

RunCheckpoint::RunCheckpoint(const RunArguments& arguments, const RunInput& input,
                             RunIdentity identity, const SavedRun& run, const Communicator& world,
                             std::chrono::steady_clock::time_point start,
                             std::optional<SignalScope>* signals)
    : result_(arguments.output),
      restart_(arguments.checkpoint.restart),
      force_(arguments.force),
      quiet_(arguments.quiet),
      world_(world),
      run_(run),
      identity_(WithDomains(std::move(identity), input)),
      schedule_(arguments.checkpoint,
                kFirstSeconds + static_cast<double>(StateOf(*run.backend)) / kSlowDisk),
      signals_(signals),
      grouping_(input.grouping),
      start_(start) {
  if (*signals_) (*signals_)->HeedInterrupt();
  orders_.next_cut = schedule_.next_time();
}

void RunCheckpoint::CheckIdentity(const CheckpointManifest& manifest) const {
  const std::optional<IdentityDifference> found = FindDifference(manifest.identity, identity_);
  if (!found) return;
  throw UserError(fmt::format(
      "{}: was saved with {}; this run has {}. Expected: the same program, inputs and settings",
      ManifestPath(result_), Printable(found->then, 200), Printable(found->now, 200)));
}

std::optional<FlushPoint> RunCheckpoint::Restore() {
  if (restart_.empty()) return std::nullopt;
  bool there = true;
  AgreeOnErrors(world_, [&] {
    if (!world_.is_root()) return;
    std::error_code ignored;
    const std::string path = ManifestPath(result_);
    if (restart_ == "auto") {
      there = std::filesystem::exists(path, ignored);
    } else if (!IsSameFile(restart_, path)) {
      throw UserError(fmt::format(
          "--restart {}: is not the checkpoint of the result -o {}. Expected: {}, or auto",
          Printable(restart_), Printable(result_), Printable(path)));
    }
  });
  if (world_.Min(std::int64_t{there}) == 0) {
    AgreeOnErrors(world_, [&] {
      if (!world_.is_root()) return;
      CheckOutputPath(result_, force_);  // before any file is deleted
      ClearResultParts(result_, /*force=*/true);
    });
    return std::nullopt;
  }
  const CheckpointManifest manifest = ShareManifest(world_, result_);
  FlushPoint flushed;
  AgreeOnErrors(world_, [&] {
    if (world_.is_root()) CheckIdentity(manifest);
  });
  AgreeOnErrors(world_, [&] {
    CheckpointPieces pieces(result_, manifest);
    run_.traffic->LoadPieces(&pieces, world_);
    run_.backend->LoadPieces(&pieces);
    pieces.LoadShare(PieceKind::kFlows, world_.rank(), world_.size(), [&](StateReader* state) {
      FlowRecords kept;
      *state >> kept.flows >> kept.arrivals;
      run_.kept->Append(kept);
    });
    pieces.Load(PieceKind::kRun, 0, [&](StateReader* state) { SerializeRun(*state, &flushed); });
  });
  ++run_.books->restarts;
  number_ = manifest.number;
  schedule_.StartAt(manifest.now);
  orders_.next_cut = schedule_.next_time();
  return flushed;
}

template <class Archive>
void RunCheckpoint::SerializeRun(Archive& archive, FlushPoint* flushed) {
  RunBooks& books = *run_.books;
  bool keeps = *run_.keeps_flows;
  FlushPoint& point = *flushed;
  archive& point& books.started& books.restarts& books.earlier_seconds& books.progress& keeps;
  *run_.keeps_flows = *run_.keeps_flows && keeps;
}

CheckpointWish RunCheckpoint::WishAt(const Cut& cut) {
  last_cut_ = cut.now;
  const CheckpointWish signal = CheckpointSchedule::WishOf(TakeSignal());
  if (cut.last) return last_wish_ = CheckpointWish::kNone;
  const CheckpointWish clock =
      world_.is_root() ? schedule_.WishAt(Seconds(), cut.now) : CheckpointWish::kNone;
  last_wish_ =
      static_cast<CheckpointWish>(world_.Max(static_cast<std::int64_t>(std::max(signal, clock))));
  return last_wish_;
}

void RunCheckpoint::Write(PieceWriter* to, const FlushPoint& flushed) {
  run_.backend->SavePieces(to);
  run_.traffic->SavePiece(to, world_.rank());
  StateWriter state;
  state << run_.kept->flows << run_.kept->arrivals;
  to->Add(PieceKind::kFlows, world_.rank().value, state.bytes());
  if (!world_.is_root()) return;
  state.Clear();
  FlushPoint point = flushed;
  const double earlier = run_.books->earlier_seconds;
  run_.books->earlier_seconds += Seconds();
  SerializeRun(state, &point);
  run_.books->earlier_seconds = earlier;
  to->Add(PieceKind::kRun, 0, state.bytes());
}

void RunCheckpoint::Save(const Cut& cut, const FlushPoint& flushed, bool then_end, double start) {
  CheckpointManifest manifest;
  manifest.number = number_ + 1;
  manifest.now = cut.now;
  manifest.grouping_ranks = grouping_.ranks;
  manifest.segment_domains = grouping_.segment_domains;
  manifest.identity = identity_;
  std::string told;
  try {
    const std::int64_t bytes =
        SaveCheckpoint(world_, result_, manifest, [&](PieceWriter* to) { Write(to, flushed); });
    ++number_;
    told = fmt::format("checkpoint {} at {}: {} in {:.2f} s", number_, ToText(cut.now),
                       ToText(Bytes{bytes}), Seconds() - start);
    if (world_.is_root() && !quiet_) std::fprintf(stderr, "%s\n", PrintableLines(told).c_str());
  } catch (const SharedError& error) {
    if (then_end || error.code() != ExitCode::kInputOutput) throw;
    const char* left = number_ > 0 ? "The last one stays" : "There is none";
    if (world_.is_root()) PrintWarning(fmt::format("no checkpoint: {}. {}", error.what(), left));
  }
  const double cost = world_.Max(Seconds() - start);
  run_.books->checkpoint_seconds += cost;
  schedule_.Saved(Seconds(), cost, cut.now);
  orders_.next_cut = schedule_.next_time();
}

void RunCheckpoint::AfterRun() {
  signals_->reset();
  if (!orders_.end) return;
  const bool saved = last_wish_ == CheckpointWish::kSaveAndEnd;
  const std::string until = ToText(last_cut_);
  if (saved) {
    throw SharedError(
        ExitCode::kCheckpointed,
        fmt::format("ended at {} of simulated time, saved in {}: the same command with "
                    "--restart auto goes on",
                    until, ManifestPath(result_)));
  }
  throw SharedError(
      ExitCode::kInterrupted,
      fmt::format("interrupted at {} of simulated time: heddle recover {} makes a result of what "
                  "was found so far",
                  until, result_));
}

}  // namespace heddle
