// SPDX-License-Identifier: GPL-2.0-only
/// Options of pipelines: in which order stages work on micro-batches; docs/models/pipelines.md.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "collectives/pipeline/pipeline_table.h"

namespace heddle {

class OptionSet;

/// How the name of a file begins that has a table of the user's.
inline constexpr const char* kScheduleFile = "file:";

struct PipelineOptions {
  /// kWait: a stage waits for its sends before the next task, as in Megatron-LM's joint calls.
  enum class Senders : std::uint8_t { kGoOn, kWait };
  friend constexpr auto WordsOf(Senders /*type*/) { return std::array{"go-on", "wait"}; }

  std::string schedule = "1f1b";  ///< a word of known_schedules.h, or kScheduleFile and a file
  std::int64_t chunks = 2;        ///< of the model on a stage, for schedules that take chunks
  std::int64_t group = 0;         ///< micro-batches in a row on one chunk; 0: as many as stages
  Senders senders = Senders::kGoOn;
  /// Of tasks that are done together, one's exchanges with experts run under the other's computing;
  /// with one stage, too.
  bool overlap_experts = false;
  /// The file's table, proved; null: `schedule` is a word. Whoever sets the options reads the file.
  std::shared_ptr<const PipelineTable> own;

  bool senders_wait() const { return senders == Senders::kWait; }
  /// Returns the name of the file; empty: `schedule` is a word.
  std::string File() const;
  /// Declares the keys pipeline.*; `options` writes to this, which must outlive it.
  void Declare(OptionSet* options);
};

}  // namespace heddle
