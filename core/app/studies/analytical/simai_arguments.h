// SPDX-License-Identifier: GPL-2.0-only
/// The command lines of SimAI's two analytical programs, for `heddle analytical --compat`.
///
/// Source: SimAI 1.6 and its commit d44c48bb, AstraParamParse.hh. A flag that lacks its
/// value at the end is ignored by the newer program and refused by the older.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collectives/simai_closed_form/simai_manual.h"
#include "collectives/simai_closed_form/simai_step.h"
#include "core/base/check.h"

namespace heddle {

/// Two programs of one name: bandwidths from a file, or from rates of NVLinks and NICs.
enum class SimaiProgram : std::uint8_t { kManual10, kAutomatic16 };

/// "simai-analytical-1.6" or "simai-analytical-1.0". Throws UsageError.
SimaiProgram ParseSimaiProgram(const std::string& text);

/// What SimAI itself refuses, with its exit code.
class SimaiRefusal : public std::runtime_error {
 public:
  /// `code`: SimAI's exit code; `message`: its text.
  SimaiRefusal(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }  ///< with which SimAI ends

 private:
  int code_;
};
constexpr int kSimaiUsage = 255;  ///< help, and flags that it does not know
constexpr int kSimaiNoFile = 1;   ///< a workload or a folder that is not there

/// Defaults are SimAI's. Numbers that it leaves without a value are 0, as was seen.
struct SimaiArguments {
  SimaiProgram program = SimaiProgram::kAutomatic16;
  std::string workload;
  std::vector<int> gpus;  ///< the first counts
  int gpus_per_server = 0, nics_per_server = 0;
  float nvlink = -1, nic = -1;
  std::string gpu_type = "A100", nic_type = "cx7";
  SimaiOverlaps overlaps;
  std::string result = "None", folder = "None", language = "en";
  BusBandwidthFile bandwidths;  ///< of -busbw, the last one that sets each value
  bool chart = false, help = false;
  bool force = false;  ///< heddle's own: replace an existing output
};

/// Parses the words after `heddle analytical --compat PROGRAM`. Throws SimaiRefusal as SimAI ends,
/// and UserError where it crashes.
SimaiArguments ParseSimaiArguments(SimaiProgram program, const std::vector<std::string>& words);

/// Returns the flags that a program takes, as text.
std::string SimaiHelp(SimaiProgram program);

}  // namespace heddle
