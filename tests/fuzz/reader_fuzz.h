// SPDX-License-Identifier: GPL-2.0-only
/// What the fuzzers of readers share; READER_fuzz.cc says what is read and which outcomes there
/// are.
///
/// A reader that is fed with anything at all either accepts it, and then what it made keeps its
/// promises, or it throws an error of heddle's that names the place in printable characters.
/// Anything else (another exception, a crash, a read that does not end, more memory than a small
/// file can need) ends the program, with the input written to ./find-READER.
///
/// Usage: READER_fuzz ROUNDS SEED FOLDER...   rounds on inputs made of the files below; equal
///     arguments do equal things.
///        READER_fuzz FILE...                 these inputs, once each.
///        READER_fuzz --seeds FOLDER          writes what it starts from there (with libFuzzer:
///            HEDDLE_FUZZ_SEEDS=FOLDER).
/// With -DHEDDLE_LIBFUZZER=ON libFuzzer chooses the inputs instead (run_libfuzzer.sh).
#ifndef HEDDLE_TESTS_FUZZ_READER_FUZZ_H_
#define HEDDLE_TESTS_FUZZ_READER_FUZZ_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/mutator.h"
#include "tests/fuzz/scratch.h"

namespace heddle {

struct ReaderFuzz {
  std::string name;  ///< of the program, without _fuzz
  /// Feeds the reader; whether it accepted the input. Complains about a broken promise.
  std::function<bool(const std::string& input)> check;
  /// The next input of the deterministic rounds.
  std::function<std::string(Mutator*)> make = [](Mutator* mutator) { return mutator->Text(); };
  std::vector<std::string> words = {};  ///< of the format
  std::vector<std::string> seeds = {};  ///< sound inputs, if they are not all in files
  /// At least one in so many rounds must be accepted: a fuzzer whose inputs are all refused at the
  /// door tests the door only.
  std::size_t accepted_one_in = 20;
};

/// Each fuzzer's own. Called once.
ReaderFuzz MakeReaderFuzz();

/// Ends the program: `what` is wrong with the input at hand.
[[noreturn]] void Complain(const std::string& what);

/// How a refusal may look.
struct Refusal {
  std::string start;          ///< of the message: the file's name
  bool remedy = true;         ///< a UserError has ". Expected: "
  bool usage = false;         ///< UsageErrors are allowed, too
  std::size_t longest = 600;  ///< message that a user should get
};

/// Runs `action`; whether it threw nothing. Complains about anything but a UserError or FileError
/// that looks as it should.
bool Accepts(const Refusal& refusal, const std::function<void()>& action);
/// The message of the last refusal.
const std::string& LastRefusal();

/// Whether `message` begins with "FILE:LINE: ", LINE being one of the text's.
bool NamesLine(const std::string& message, const std::string& file, std::string_view text);

}  // namespace heddle

#endif  // HEDDLE_TESTS_FUZZ_READER_FUZZ_H_
