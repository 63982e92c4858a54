// SPDX-License-Identifier: GPL-2.0-only
/// Makes damaged inputs for readers from valid ones: the same seed gives the same inputs on every
/// machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle {

/// Texts that have broken readers before: limits of numbers, bare units, quotes, control bytes,
/// very long words.
const std::vector<std::string>& NastyTexts();

class Mutator {
 public:
  /// `corpus`: valid inputs, at least one. `words`: words of the format.
  Mutator(std::uint64_t seed, std::vector<std::string> corpus, std::vector<std::string> words);

  /// Makes a text: one of the corpus, or its lines recombined; then replaces words, and sometimes
  /// damages bytes.
  std::string Text();
  /// Makes a binary: one of the corpus with numbers overwritten, bits flipped, ranges removed,
  /// doubled or zeroed, or truncated.
  std::string Binary();

  /// Replaces one word (between blanks, commas, equals signs, colons, brackets and line ends) by
  /// another.
  void ReplaceWord(std::string* text);
  /// One to four changes of bytes.
  std::string Damage(std::string text);
  /// One change of a binary.
  void Disturb(std::string* bytes);
  /// Puts another number in place of one of a binary and moves nothing, so that readers that check
  /// lengths only go on.
  void Forge(std::string* bytes);

  /// A word of the format, or one of NastyTexts().
  const std::string& Word();
  /// Some line of the corpus.
  const std::string& Line() { return Pick(lines_); }
  const std::vector<std::string>& corpus() const { return corpus_; }

  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }
  template <class T>
  const T& Pick(const std::vector<T>& from) {
    return from[Below(from.size())];
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> corpus_, words_, lines_;
};

}  // namespace heddle
