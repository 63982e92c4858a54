// SPDX-License-Identifier: GPL-2.0-only
/// The words of a line of a workload, read one after the other with the same checks and messages in
/// every form of the file.
#ifndef HEDDLE_IO_INPUT_WORKLOAD_WORDS_H_
#define HEDDLE_IO_INPUT_WORKLOAD_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/traffic/workload.h"
#include "io/input/text_file.h"

namespace heddle {

/// An operation and its group, as one word says: "ALLREDUCE", "ALLTOALL_EP".
struct Communication {
  Operation operation = Operation::kNone;
  GroupType group = GroupType::kTensor;
};

/// Walks over the words of the line where `lines` stands. All functions throw UserError with file,
/// line and column; `name` is what messages call the word ("fwd_bytes").
class WorkloadWords {
 public:
  WorkloadWords(std::string_view line, const LineReader& lines) : rest_(line), lines_(lines) {}

  /// The next word; empty at the end of the line.
  std::string_view Next();
  /// The next word as an integer in [low, high].
  std::int64_t Number(const char* name, std::int64_t low, std::int64_t high);
  /// The next word as a number of nanoseconds, at most 11 days.
  Time NanoSecondsOf(const char* name);
  /// The next word as a number of bytes, `low` to 2^62.
  std::int64_t BytesOf(const char* name, std::int64_t low);
  /// The same, with decimals cut off: AICB divides pp_comm and writes "6291456.0".
  std::int64_t CutBytesOf(const char* name);
  /// The next word as an operation with a suffix for its group; without one it means `plain`.
  Communication CommunicationOf(const char* name, GroupType plain);
  /// The next word as an operation that is not NONE, without a suffix.
  Operation OperationOf(const char* name);
  /// The group that `word`, which was read last, names; PP is refused.
  GroupType GroupOf(std::string_view word, const char* name) const;
  /// Refuses further words.
  void End();

  /// Throws at the word that was read last.
  [[noreturn]] void Fail(const std::string& found, const std::string& expected) const;

 private:
  std::int64_t ToNumber(std::string_view word, const char* name, std::int64_t low,
                        std::int64_t high) const;

  std::string_view rest_;
  const LineReader& lines_;
  std::int64_t column_ = 0;
};

/// The policy with this name; false if there is none.
bool FindPolicy(std::string_view name, Policy* policy);
/// The policy whose name is nearest.
std::string NearestPolicy(std::string_view name);

}  // namespace heddle

#endif  // HEDDLE_IO_INPUT_WORKLOAD_WORDS_H_
