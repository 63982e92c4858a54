// SPDX-License-Identifier: GPL-2.0-only
/// Shared code of the fuzzers of readers; each READER_fuzz.cc defines the reader and its outcomes.
///
/// Given any input, a reader must either accept it, and then its result keeps its invariants, or
/// throw an error of heddle that names the place in printable characters. Anything else (another
/// exception, a crash, an endless read, more memory than a small file can need) ends the program,
/// with the input written to ./find-READER.
///
/// Usage: READER_fuzz ROUNDS SEED FOLDER...   rounds on inputs made of the files below; equal
///     arguments do equal things.
///        READER_fuzz FILE...                 these inputs, once each.
///        READER_fuzz --seeds FOLDER          writes what it starts from there (with libFuzzer:
///            HEDDLE_FUZZ_SEEDS=FOLDER).
/// With -DHEDDLE_LIBFUZZER=ON libFuzzer chooses the inputs instead (run_libfuzzer.sh).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/scratch.h"

namespace heddle {

struct ReaderFuzz {
  std::string name;  ///< program name without _fuzz
  /// Feeds the reader; returns whether it accepted the input. Calls Complain() about a violation.
  std::function<bool(const std::string& input)> check;
  /// The next input of the deterministic rounds.
  std::function<std::string(Mutator*)> make = [](Mutator* mutator) { return mutator->Text(); };
  std::vector<std::string> words = {};  ///< words of the format
  std::vector<std::string> seeds = {};  ///< valid inputs, if they are not all in files
  /// Of this many rounds at least one must be accepted: if all inputs are rejected early, only the
  /// first checks are tested.
  std::size_t accepted_one_in = 20;
};

/// Defined by each fuzzer. Called once.
ReaderFuzz MakeReaderFuzz();

/// Ends the program: `what` is wrong with the current input.
[[noreturn]] void Complain(const std::string& what);

/// Expected form of an error message.
struct Refusal {
  std::string start;          ///< start of the message: the file's name
  bool remedy = true;         ///< a UserError has ". Expected: "
  bool usage = false;         ///< UsageErrors are allowed, too
  std::size_t longest = 600;  ///< longest allowed message
};

/// Runs `action`; returns whether it threw nothing. Complains about anything but a UserError or
/// FileError of the expected form.
bool Accepts(const Refusal& refusal, const std::function<void()>& action);
/// The message of the last error.
const std::string& LastRefusal();

/// Whether `message` begins with "FILE:LINE: " and the text has that line.
bool NamesLine(const std::string& message, const std::string& file, std::string_view text);

}  // namespace heddle
