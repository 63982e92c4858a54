// SPDX-License-Identifier: GPL-2.0-only
/// The run's machine-readable log: one JSON object a line (docs/formats/json-log.md), each written
/// and flushed at once.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/app/run/arguments/run_arguments.h"
#include "core/app/run/estimate/run_estimate.h"
#include "core/app/run/output/progress.h"
#include "core/app/run/output/run_figures.h"
#include "core/app/run/setup/run_input.h"

namespace heddle {

/// Version of the format. A reader may rely on the keys of a version and must ignore keys that it
/// does not know.
inline constexpr int kJsonLogFormat = 1;

/// Facts for the log's first line, beside the run's arguments and inputs.
struct JsonStart {
  const RunArguments* arguments;
  const RunInput* input;
  std::uint32_t ranks;
  std::int64_t planned_flows;
  Time lookahead;
  const RunEstimate* estimate = nullptr;
};

/// The root's log writes; those of other ranks, and one without a path, do nothing. Every call
/// throws FileError if it cannot write.
class JsonLog {
 public:
  /// A log that writes nothing.
  JsonLog();
  /// Opens `path`; "-" is standard output. An existing file is replaced only if `force`, or
  /// continued if `append`; pipes and devices are written directly.
  JsonLog(const std::string& path, bool force, bool append = false);
  ~JsonLog();
  JsonLog(JsonLog&&) noexcept;
  JsonLog& operator=(JsonLog&&) noexcept;

  bool on() const { return file_ != nullptr; }  ///< whether it writes anything

  /// Writes the first line: versions, arguments, inputs, plan and estimate.
  void Start(const JsonStart& start);
  /// Writes a line with the message.
  void Warning(const std::string& message);
  /// Writes at most one line a second.
  void Progress(const ProgressFigures& figures);
  /// Keeps the run's results until End(), which writes them.
  void Figures(const RunFigures& figures, const std::string& result,
               const EstimateError& error = {});
  /// Writes a line with exit code and message.
  void Error(ExitCode code, const std::string& message);
  /// Writes the last line; no call may follow.
  void End(ExitCode code);

 private:
  /// Writes one line and flushes. Bytes that are no UTF-8 are replaced. After an error nothing more
  /// is written.
  void Write(const nlohmann::ordered_json& event);

  std::string path_;
  std::FILE* file_ = nullptr;
  bool ended_ = false;
  double next_progress_ = 0;  ///< s
  std::unique_ptr<nlohmann::ordered_json> figures_;
};

/// Opens the log that --json-log asks for; CheckRunOutputs() comes before. Throws FileError.
JsonLog OpenJsonLog(const RunArguments& run);

}  // namespace heddle
