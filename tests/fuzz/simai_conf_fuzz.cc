// SPDX-License-Identifier: GPL-2.0-only
/// Fuzzer of the configuration reader and of the options behind it.
///
/// Whatever the bytes, there are two outcomes. Either all is set: then every option's value is text without control
/// characters that, set again, gives the same value. Or a UserError or FileError names the file and the line, in
/// printable characters; a value that is refused changes nothing. Anything else ends the program with the input
/// written to standard error.
///
/// Usage: simai_conf_fuzz ROUNDS SEED CORPUS_DIRECTORY. Equal arguments do equal things. With HEDDLE_LIBFUZZER
/// libFuzzer chooses the inputs instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/options.h"
#include "io/simai_conf.h"
#include "io/unused_simai_keys.h"
#include "transport/transport_options.h"
#include "tests/fuzz/reader_fuzz.h"

namespace heddle {
namespace {

constexpr const char* kFile = "fuzz.conf";
/// The longest message that a user should get.
constexpr std::size_t kLongestMessage = 600;

/// Options as `heddle run` declares them, and one of every type that an option can have.
struct Fixture {
  TransportOptions transport;
  bool flag = false;
  std::int64_t whole = 0;
  double real = 0.5;
  Time bare{0}, united{1000};
  std::string text, choice = "one";
  OptionSet options;
  Fixture() {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    transport.Declare(&options);
    DeclareUnusedSimaiKeys(&options);
    options.Add({"fuzz.flag", "FUZZ_FLAG", "", "", ""}, &flag);
    options.Add({"fuzz.whole", "FUZZ_WHOLE", "", "", ""}, &whole, -kMost - 1, kMost);
    options.Add({"fuzz.real", "FUZZ_REAL", "", "", ""}, &real, -1e300, 1e300);
    options.Add({"fuzz.bare", "FUZZ_BARE", "", "us", ""}, &bare, Time{0}, Time{kMost}, "us");
    options.Add({"fuzz.united", "FUZZ_UNITED", "", "", ""}, &united, Time{1}, Time{kMost / 2}, "");
    options.Add({"fuzz.text", "FUZZ_TEXT", "", "", ""}, &text, {});
    options.Add({"fuzz.choice", "FUZZ_CHOICE", "", "", ""}, &choice, {"one", "another", "neither"});
  }
};

[[noreturn]] void Complain(const std::string& what, std::string_view input) {
  std::string shown;
  for (const char c : input.substr(0, 3000)) {
    shown += (c >= ' ' && c <= '~' && c != '\\') || c == '\n' ? std::string(1, c)
                                                             : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  std::fprintf(stderr, "simai_conf_fuzz: %s\n---- the input:\n%s\n----\n", what.c_str(), shown.c_str());
  std::abort();
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}
bool HasControls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f; });
}

void CheckMessage(const std::string& message, std::string_view input) {
  if (!IsPrintable(message)) Complain("an unprintable message", input);
  if (message.size() > kLongestMessage) Complain(fmt::format("a message of {} bytes", message.size()), input);
}

/// Every value is text, and set again gives itself; so a configuration echo can be read back.
void CheckRoundTrip(const OptionSet& options, std::string_view input) {
  Fixture again;
  for (const Option& option : options.options()) {
    const std::string value = option.get();
    if (HasControls(value)) Complain(fmt::format("option {} took control characters", option.key), input);
    try {
      again.options.Set(option.key, value);
    } catch (const Error& error) {
      Complain(fmt::format("option {} refuses its own value '{}': {}", option.key, value, error.what()), input);
    }
  }
  for (std::size_t i = 0; i < options.options().size(); ++i) {
    const Option& option = options.options()[i];
    const std::string back = again.options.options()[i].get();
    if (back != option.get()) {
      Complain(fmt::format("option {}: '{}' set again gives '{}'", option.key, option.get(), back), input);
    }
  }
}

/// Returns whether the text was accepted.
bool CheckConf(std::string_view text) {
  Fixture fixture;
  try {
    ParseSimaiConf(text, kFile, &fixture.options);
  } catch (const Error& error) {
    const std::string message = error.what();
    CheckMessage(message, text);
    if (error.code() != ExitCode::kBadInput && error.code() != ExitCode::kInputOutput) {
      Complain(fmt::format("neither UserError nor FileError: {}", message), text);
    }
    std::int64_t line = 0;
    if (std::sscanf(message.c_str(), "fuzz.conf:%ld: ", &line) != 1 || line < 1 ||
        line > 1 + std::count(text.begin(), text.end(), '\n')) {
      Complain(fmt::format("no file and line in the message: {}", message), text);
    }
    return false;
  } catch (const std::exception& error) {
    Complain(fmt::format("an exception that is no error of heddle's: {}", error.what()), text);
  }
  CheckRoundTrip(fixture.options, text);
  return true;
}

std::vector<std::string> Values(const OptionSet& options) {
  std::vector<std::string> values;
  for (const Option& option : options.options()) values.push_back(option.get());
  return values;
}

/// Returns whether the value was accepted.
bool CheckSet(const std::string& key, const std::string& value) {
  Fixture fixture;
  const std::vector<std::string> before = Values(fixture.options);
  const std::string input = key + "=" + value;
  try {
    fixture.options.Set(key, value);
  } catch (const Error& error) {
    CheckMessage(error.what(), input);
    if (error.code() != ExitCode::kBadInput) Complain(fmt::format("no UserError: {}", error.what()), input);
    if (Values(fixture.options) != before) Complain("a value was refused and changed an option all the same", input);
    return false;
  } catch (const std::exception& error) {
    Complain(fmt::format("an exception that is no error of heddle's: {}", error.what()), input);
  }
  CheckRoundTrip(fixture.options, input);
  return true;
}

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::CheckConf({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifndef HEDDLE_LIBFUZZER
namespace heddle {
namespace {

/// Pieces of text that have broken readers before.
const std::vector<std::string>& Nasty() {
  static const std::vector<std::string> texts = {
      "", " ", "\t", "\r", "\n", "#", "=", "-", "-0", "-1", "+1", "0x10", "nan", "-nan", "inf", "1e999", "1e-999", "1e",
      ".", "5.", ".5", "1..2", "99999999999999999999", "9223372036854775807", "9223372036854775808",
      "-9223372036854775808", "4294967296", "1e18s", "0.0000000000001ps", "true", "TRUE", "%s%n", "{}", "\"", "'", "\\",
      "\x1b[2J", "\x7f", "\xff", "\xc3\xbc", "ps", "ns", "us", "s", "Gbps", "Mb/s", "MiB", "0 0 0",
      std::string(1, '\0'), std::string(300, '7'), std::string(300, 'x')};
  return texts;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> corpus) : random_(seed), corpus_(std::move(corpus)) {
    const Fixture fixture;
    for (const Option& option : fixture.options.options()) {
      AddOption(option.key, option);
      if (!option.simai_key.empty()) AddOption(option.simai_key, option);
    }
    for (const UnusedKey& key : fixture.options.unused_keys()) keys_.push_back(key.simai_key);
    for (const std::string& text : corpus_) {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines_.push_back(text.substr(at, end - at));
        at = end + 1;
      }
    }
  }

  /// A configuration: a corpus file with lines removed, doubled and replaced, then bytes.
  std::string Conf() {
    std::string text;
    if (Chance(3)) {
      text = Pick(corpus_);
    } else {
      for (std::size_t i = Below(12); i > 0; --i) text += Line() + (Chance(20) ? "\r\n" : "\n");
    }
    return Chance(2) ? Damage(std::move(text)) : text;
  }

  std::string Key() { return Chance(10) ? Damage(Pick(keys_)) : Pick(keys_); }

  /// A value for `key`: from its range, from everybody's, or rubbish.
  std::string Value(const std::string& key) {
    const auto own = std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == key; });
    std::string value;
    if (own != values_.end() && !Chance(4)) {
      value = Pick(own->second);
    } else {
      value = Chance(2) ? Pick(Nasty()) : Pick(Pick(values_).second);
    }
    return Chance(5) ? Damage(std::move(value)) : value;
  }

 private:
  /// What a range text holds ("1..65000", "true or false", "0..100 without unit [us]"): its words and numbers, and
  /// numbers just beside them.
  void AddOption(const std::string& key, const Option& option) {
    std::vector<std::string> values = {option.default_text, option.range};
    const std::string range = option.range;
    for (std::size_t at = 0; at < range.size();) {
      std::size_t end = std::min({range.find_first_of(" ,;|[]()", at), range.find("..", at), range.size()});
      const std::string word = range.substr(at, end - at);
      if (!word.empty()) {
        values.push_back(word);
        AddNeighbours(word, &values);
      }
      at = end + (range.compare(end, 2, "..") == 0 ? 2 : 1);
    }
    keys_.push_back(key);
    values_.emplace_back(key, std::move(values));
  }

  static void AddNeighbours(const std::string& word, std::vector<std::string>* values) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || !(std::abs(number) < 1e18)) return;
    for (const double factor : {0.5, 1.0, 1.0000001}) {
      for (const double beside : {-1.0, 0.0, 1.0}) {
        const double value = number * factor + beside;
        values->push_back(fmt::format("{:.0f}{}", value, end));
        values->push_back(fmt::format("{}{}", value, end));
      }
    }
  }

  std::string Line() {
    if (Chance(3)) return Pick(lines_);
    const std::string key = Key();
    return key + (Chance(10) ? "\t " : " ") + Value(key) + (Chance(15) ? " # why" : "");
  }

  /// One to four changes of bytes.
  std::string Damage(std::string text) {
    for (std::size_t i = 1 + Below(4); i > 0; --i) {
      const std::size_t at = Below(text.size() + 1);
      switch (Below(5)) {
        case 0: text.insert(at, Pick(Nasty())); break;
        case 1: text.erase(at, Below(8)); break;
        case 2: text.insert(at, 1, static_cast<char>(Below(256))); break;
        case 3: if (at < text.size()) text[at] = static_cast<char>(Below(256)); break;
        default: text.resize(at);
      }
    }
    return text;
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }
  bool Chance(std::size_t one_in) { return Below(one_in) == 0; }
  template <class T>
  const T& Pick(const std::vector<T>& from) { return from[Below(from.size())]; }

  std::mt19937_64 random_;
  std::vector<std::string> corpus_, lines_, keys_;
  std::vector<std::pair<std::string, std::vector<std::string>>> values_;
};

int Fuzz(std::uint64_t rounds, std::uint64_t seed, const std::string& directory) {
  const std::vector<std::string> corpus = ReadCorpus(directory);
  std::uint64_t good_confs = 0;
  std::uint64_t good_values = 0;
  for (const std::string& text : corpus) good_confs += CheckConf(text) ? 1 : 0;
  if (good_confs == 0) {
    std::fprintf(stderr, "simai_conf_fuzz: no file of %s is accepted: nothing to start from\n", directory.c_str());
    return 1;
  }
  Mutator mutator(seed, corpus);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    good_confs += CheckConf(mutator.Conf()) ? 1 : 0;
    const std::string key = mutator.Key();
    good_values += CheckSet(key, mutator.Value(key)) ? 1 : 0;
  }
  std::printf("%llu rounds from seed %llu: %llu configurations and %llu values accepted, the others refused with a "
              "message\n", static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(good_confs), static_cast<unsigned long long>(good_values));
  // A fuzzer whose inputs are all refused at the door tests the door only.
  return good_confs * 50 > rounds && good_values * 10 > rounds ? 0 : 1;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::FuzzMain(argc, argv, heddle::Fuzz); }
#endif
