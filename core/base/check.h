// SPDX-License-Identifier: GPL-2.0-only
/// Two kinds of error, never mixed: the user's (UserError: what, where, why, remedy) and the
/// program's (assertions, invariants).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle {

/// Exit codes of the process, documented in docs/exit-codes.md.
enum class ExitCode : int {
  kDone = 0,
  kDifferent = 1,
  kUsage = 2,
  kBadInput = 3,
  kStalled = 4,
  kInvariantViolated = 5,
  kInputOutput = 6,
  kTooLittleMemory = 7,
  kRankLost = 8,       ///< a rank or its machine hangs
  kCheckpointed = 85,  ///< saved before its end; to be continued with --restart auto
  kInterrupted = 130,  ///< by SIGINT; the value that shells use
};

/// Ends the program with a message for the user and an exit code.
class Error : public std::runtime_error {
 public:
  /// `message`: for the user, printed as it is.
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// Returns the exit code that the process ends with.
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// A mistake in the user's input: a file, a value, a combination. Exit code 3.
class UserError : public Error {
 public:
  /// `message`: "found. Expected: remedy".
  explicit UserError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};

/// A mistake on the command line. Exit code 2.
class UsageError : public Error {
 public:
  /// `message`: names the flag or word, and the remedy.
  explicit UsageError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

/// A guarantee of the simulator was violated (conservation, causality, a link's rate): the result
/// is invalid. Exit code 5.
class InvariantError : public Error {
 public:
  /// `message`: names what was violated, with node and time where there are any.
  explicit InvariantError(const std::string& message)
      : Error(ExitCode::kInvariantViolated, message) {}
};

/// A file could not be read or written. Exit code 6.
class FileError : public Error {
 public:
  /// `message`: names the file and the system's reason.
  explicit FileError(const std::string& message) : Error(ExitCode::kInputOutput, message) {}
};

/// A line of an input file; prints as "FILE:LINE". Line 0 means the file as a whole.
struct SourceLine {
  std::string file;
  std::int64_t line = 0;
};
/// Returns "FILE:LINE", or "FILE" for line 0.
std::string ToText(const SourceLine& where);

/// Returns user input for a message: one line, escapes by core/base/printable.h, truncated to
/// `longest`.
std::string Printable(std::string_view text, std::size_t longest = 60);

/// Throws UserError "FILE:LINE: found. Expected: expected".
[[noreturn]] void FailInput(const SourceLine& where, const std::string& found,
                            const std::string& expected);

namespace detail {
/// Throws InvariantError with the check and its place. `kind`: "precondition" and so on.
[[noreturn]] void FailAssertion(const char* kind, const char* condition, const char* file,
                                int line);
}  // namespace detail

}  // namespace heddle

/// Always checked: a guarantee to the user. `message` is evaluated only on failure.
#define HEDDLE_INVARIANT(condition, message)   \
  do {                                         \
    if (__builtin_expect(!(condition), 0)) {   \
      throw ::heddle::InvariantError(message); \
    }                                          \
  } while (false)

/// Checked in debug builds: programming errors. EXPECT before, ASSERT inside, ENSURE after.
#ifndef NDEBUG
#define HEDDLE_CHECK_(kind, condition) \
  ((condition) ? static_cast<void>(0)  \
               : ::heddle::detail::FailAssertion(kind, #condition, __FILE__, __LINE__))
#else
#define HEDDLE_CHECK_(kind, condition) static_cast<void>(0)
#endif
#define HEDDLE_EXPECT(condition) HEDDLE_CHECK_("precondition", condition)
#define HEDDLE_ASSERT(condition) HEDDLE_CHECK_("assertion", condition)
#define HEDDLE_ENSURE(condition) HEDDLE_CHECK_("postcondition", condition)
