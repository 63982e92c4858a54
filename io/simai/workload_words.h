// SPDX-License-Identifier: GPL-2.0-only
/// Reads the words of a workload's line one after the other, with the same checks and messages in
/// all forms of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/traffic/workload.h"
#include "io/input/text_file.h"

namespace heddle {

/// An operation and its group, as written in one word: "ALLREDUCE", "ALLTOALL_EP".
struct Communication {
  Operation operation = Operation::kNone;
  GroupType group = GroupType::kTensor;
};

/// Iterates over the words of the current line of `lines`. All functions throw UserError with file,
/// line and column; `name` is the word's name in messages ("fwd_bytes").
class WorkloadWords {
 public:
  /// `line`: the current one of `lines`, which places the messages and must outlive it.
  WorkloadWords(std::string_view line, const LineReader& lines) : rest_(line), lines_(lines) {}

  /// Reads the next word; empty at the end of the line.
  std::string_view Next();
  /// Reads the next word as an integer in [low, high].
  std::int64_t Number(const char* name, std::int64_t low, std::int64_t high);
  /// Reads the next word as a number of nanoseconds, at most 11 days.
  Time NanoSecondsOf(const char* name);
  /// Reads the next word as a number of bytes, `low` to 2^62.
  std::int64_t BytesOf(const char* name, std::int64_t low);
  /// Reads the same, with decimals truncated: AICB divides pp_comm and writes "6291456.0".
  std::int64_t CutBytesOf(const char* name);
  /// Reads the next word as an operation with a suffix for its group; without a suffix the group is
  /// `plain`.
  Communication CommunicationOf(const char* name, GroupType plain);
  /// Reads the next word as an operation that is not NONE, without a suffix.
  Operation OperationOf(const char* name);
  /// Returns the group named by `word`, the last word read; PP is rejected.
  GroupType GroupOf(std::string_view word, const char* name) const;
  /// Reads the next word as a policy that a layer of HYBRID_CUSTOMIZED may have.
  Policy LayerPolicyOf(const char* name);
  /// Throws if there are further words.
  void End();

  /// Throws an error at the last word read.
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const;

 private:
  /// Returns an integer in [low, high]. Throws UserError for other words, and for an empty one.
  std::int64_t ToNumber(std::string_view word, const char* name, std::int64_t low,
                        std::int64_t high) const;

  std::string_view rest_;
  const LineReader& lines_;
  std::int64_t column_ = 0;
};

/// Finds the policy with this name; false if there is none.
bool FindPolicy(std::string_view name, Policy* policy);
/// Returns the policy with the nearest name.
std::string NearestPolicy(std::string_view name);

}  // namespace heddle
