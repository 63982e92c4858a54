// SPDX-License-Identifier: GPL-2.0-only
#include <fmt/format.h>

#include <algorithm>

#include "core/options/token_reader.h"
#include "io/astra/astra_entries.h"

namespace heddle {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

class JsonReader {
 public:
  JsonReader(std::string_view text, const std::string& name)
      : rest_(WithoutByteOrderMark(text)), name_(name) {}

  std::vector<AstraEntry> Read() {
    Expect('{', "an object: '{'");
    if (!Has('}')) {
      do {
        ReadMember();
      } while (Has(','));
      Expect('}', "',' or '}'");
    }
    SkipBlanks();
    if (!rest_.empty()) Fail("nothing behind the object");
    return std::move(entries_);
  }

 private:
  SourceLine where() const { return {name_, line_}; }
  [[noreturn]] void Fail(const std::string& expected) const {
    const std::string_view found = rest_.substr(0, rest_.find('\n'));
    FailInput(where(), rest_.empty() ? "the end of the file" : Quote(found), expected);
  }
  void SkipBlanks() {
    while (!rest_.empty() && kBlanks.find(rest_.front()) != std::string_view::npos) Drop(1);
  }
  void Drop(std::size_t count) {
    line_ += std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count), '\n');
    rest_.remove_prefix(count);
  }
  bool Has(char c) {
    SkipBlanks();
    if (rest_.empty() || rest_.front() != c) return false;
    Drop(1);
    return true;
  }
  void Expect(char c, const char* expected) {
    if (!Has(c)) Fail(expected);
  }

  void ReadMember() {
    SkipBlanks();
    AstraEntry entry;
    entry.where = where();
    entry.key = ReadText("a key in quotes");
    if (FindEntry(entries_, entry.key) != nullptr)
      FailInput(entry.where, fmt::format("{} once more", Quote(entry.key)), "each key once");
    Expect(':', "':'");
    if (Has('[')) {
      entry.list = true;
      if (!Has(']')) {
        do {
          entry.values.push_back(ReadValue());
        } while (Has(','));
        Expect(']', "',' or ']'");
      }
    } else {
      entry.values.push_back(ReadValue());
    }
    entries_.push_back(std::move(entry));
  }

  /// A text, a number, or a word such as true.
  std::string ReadValue() {
    SkipBlanks();
    if (!rest_.empty() && rest_.front() == '"') return ReadText("a text");
    const std::size_t end = std::min(rest_.find_first_of(" \t\r\n,]}"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    const bool known = word == "true" || word == "false" || word == "null";
    if (!known && !ReadNumber<double>(word)) Fail("a text in quotes, a number, true or false");
    Drop(end);
    return std::string(word);
  }

  std::string ReadText(const char* expected) {
    if (rest_.empty() || rest_.front() != '"') Fail(expected);
    std::string text;
    for (std::size_t at = 1; at < rest_.size() && rest_[at] != '\n'; ++at) {
      if (rest_[at] == '"') {
        Drop(at + 1);
        return text;
      }
      if (rest_[at] != '\\') {
        text += rest_[at];
        continue;
      }
      const char escaped = at + 1 < rest_.size() ? rest_[++at] : '\0';
      if (escaped != '"' && escaped != '\\' && escaped != '/') Fail("no escapes but of '\"', '\\'");
      text += escaped;
    }
    Fail("a text that ends with '\"' in its line");
  }

  std::string_view rest_;
  std::string name_;
  std::int64_t line_ = 1;
  std::vector<AstraEntry> entries_;
};

}  // namespace

std::vector<AstraEntry> ParseJsonEntries(std::string_view text, const std::string& name) {
  return JsonReader(text, name).Read();
}

bool IsJson(std::string_view text) {
  text = WithoutByteOrderMark(text);
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace heddle
