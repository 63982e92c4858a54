// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle {
namespace {

constexpr char kBetweenWords[] = " \t\r\n,=:[]{}\"";
constexpr std::size_t kLongestText = 6000;  ///< of the corpus [byte]; there are many rounds

/// Numbers to be put in place of sizes, counts and indices in a binary.
constexpr std::uint64_t kNumbers[] = {0,
                                      1,
                                      2,
                                      7,
                                      8,
                                      255,
                                      256,
                                      65535,
                                      65536,
                                      1U << 20,
                                      0x7fffffff,
                                      0x80000000,
                                      0xffffffff,
                                      std::uint64_t{1} << 32,
                                      std::uint64_t{1} << 40,
                                      std::uint64_t{1} << 60,
                                      0x7fffffffffffffff,
                                      0x8000000000000000,
                                      0xfffffffffffffff0,
                                      ~std::uint64_t{0}};

}  // namespace

const std::vector<std::string>& NastyTexts() {
  static const std::vector<std::string> texts = {"",
                                                 " ",
                                                 "\t",
                                                 "\r",
                                                 "\n",
                                                 "#",
                                                 "=",
                                                 "-",
                                                 "-0",
                                                 "-1",
                                                 "+1",
                                                 "0x10",
                                                 "nan",
                                                 "-nan",
                                                 "inf",
                                                 "1e999",
                                                 "1e-999",
                                                 "1e",
                                                 ".",
                                                 "5.",
                                                 ".5",
                                                 "1..2",
                                                 "0",
                                                 "1",
                                                 "2",
                                                 "65535",
                                                 "65536",
                                                 "1048577",
                                                 "2147483648",
                                                 "4294967295",
                                                 "4294967296",
                                                 "99999999999999999999",
                                                 "9223372036854775807",
                                                 "9223372036854775808",
                                                 "-9223372036854775808",
                                                 "4611686018427387905",
                                                 "1e18s",
                                                 "0.0000000000001ps",
                                                 "true",
                                                 "TRUE",
                                                 "%s%n",
                                                 "{}",
                                                 "\"",
                                                 "'",
                                                 "\\",
                                                 "\x1b[2J",
                                                 "\x7f",
                                                 "\xff",
                                                 "\xc3\xbc",
                                                 "ps",
                                                 "ns",
                                                 "us",
                                                 "s",
                                                 "Gbps",
                                                 "Mb/s",
                                                 "MiB",
                                                 "0 0 0",
                                                 std::string(1, '\0'),
                                                 std::string(300, '7'),
                                                 std::string(300, 'x')};
  return texts;
}

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> corpus,
                 std::vector<std::string> words)
    : random_(seed), corpus_(std::move(corpus)), words_(std::move(words)) {
  for (const std::string& text : corpus_) {
    for (std::size_t at = 0; at < text.size() && lines_.size() < 100'000;) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines_.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  if (lines_.empty()) lines_.emplace_back();
}

const std::string& Mutator::Word() {
  return words_.empty() || Chance(3) ? Pick(NastyTexts()) : Pick(words_);
}

std::string Mutator::Text() {
  std::string text;
  if (Chance(3)) {
    for (std::size_t i = Below(8); i > 0; --i) text += Line() + (Chance(20) ? "\r\n" : "\n");
  } else {
    text = Pick(corpus_).substr(0, kLongestText);
  }
  for (std::size_t i = Below(3); i > 0; --i) ReplaceWord(&text);
  return Chance(3) ? Damage(std::move(text)) : text;
}

void Mutator::ReplaceWord(std::string* text) {
  const std::size_t at = text->find_first_not_of(kBetweenWords, Below(text->size() + 1));
  if (at == std::string::npos) return;
  const std::size_t end = std::min(text->find_first_of(kBetweenWords, at), text->size());
  text->replace(at, end - at, Word());
}

std::string Mutator::Damage(std::string text) {
  for (std::size_t i = 1 + Below(4); i > 0; --i) {
    const std::size_t at = Below(text.size() + 1);
    switch (Below(7)) {
      case 0:
        text.insert(at, Word());
        break;
      case 1:
        text.erase(at, Below(8));
        break;
      case 2:
        text.insert(at, 1, static_cast<char>(Below(256)));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(Below(256));
        break;
      case 4:
        text.insert(at, 1, '\n');
        break;
      case 5:
        text.insert(at, text.substr(Below(text.size() + 1), Below(40)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

std::string Mutator::Binary() {
  std::string bytes = Pick(corpus_);
  for (std::size_t i = 1 + Below(4); i > 0; --i) Disturb(&bytes);
  return bytes;
}

void Mutator::Forge(std::string* bytes) {
  const std::size_t size = std::size_t{1} << Below(4);
  if (bytes->size() < size) return;
  const std::size_t places = bytes->size() - size + 1, at = Below(places);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes->data() + at, size);
  switch (Below(4)) {
    case 0:
      number += Chance(2) ? 1 + Below(4) : ~std::uint64_t{0};
      break;
    case 1:
      number = Below(64);
      break;
    case 2:
      number = kNumbers[Below(std::size(kNumbers))];
      break;
    default:  // one that is right elsewhere
      std::memcpy(&number, bytes->data() + Below(places), size);
  }
  std::memcpy(bytes->data() + at, &number, size);
}

void Mutator::Disturb(std::string* bytes) {
  const std::size_t at = Below(bytes->size() + 1),
                    length = std::min(bytes->size() - at, 1 + Below(64));
  const std::uint64_t number = kNumbers[Below(std::size(kNumbers))] + (Chance(4) ? Below(16) : 0);
  switch (Below(9)) {
    case 0:
      bytes->resize(at);
      break;
    case 1:
      bytes->erase(at, length);
      break;
    case 2:
      bytes->insert(at, bytes->substr(Below(bytes->size() + 1), length));
      break;
    case 3:
      std::fill_n(bytes->begin() + static_cast<std::ptrdiff_t>(at), length,
                  static_cast<char>(Chance(2) ? 0 : 0xff));
      break;
    case 4:
      bytes->append(length, static_cast<char>(Below(256)));
      break;
    case 5:
    case 6: {  // positions where numbers are likely
      const std::size_t place = Chance(4) ? at : at / 4 * 4, size = std::size_t{1} << Below(4);
      if (place + size <= bytes->size()) std::memcpy(bytes->data() + place, &number, size);
      break;
    }
    default:
      if (at < bytes->size()) (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << Below(8)));
  }
}

}  // namespace heddle
