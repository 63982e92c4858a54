// SPDX-License-Identifier: GPL-2.0-only
#include "topology/infiniband_files/cable_remark.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/options/token_reader.h"
#include "topology/infiniband/infiniband_network.h"

namespace heddle {
namespace {

constexpr std::uint64_t kNoLid = 0xFFFF;

/// The words of a text without quotation marks.
class Words {
 public:
  Words(std::string_view text, const DumpLines& lines) : text_(text), lines_(lines) {}

  std::string_view Next() {
    text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size()));
    const std::string_view word = text_.substr(0, text_.find_first_of(" \t"));
    text_.remove_prefix(word.size());
    return word;
  }
  std::uint64_t RequireNumber(const char* expected) {
    const std::string_view word = Next();
    const std::optional<std::uint64_t> number = ReadNumber<std::uint64_t>(word);
    if (!number) lines_.Fail("found " + Quote(word), expected);
    return *number;
  }

 private:
  std::string_view text_;
  const DumpLines& lines_;
};

std::uint8_t CheckedLmc(const DumpLines& lines, std::uint64_t number) {
  if (number > kHighestLmc)
    lines.Fail(fmt::format("LMC {}", number), fmt::format("0 to {}", kHighestLmc));
  return static_cast<std::uint8_t>(number);
}

/// Whether a word is a width and a speed, such as 4xSDR, 4x??? or ??????.
bool IsSpeed(std::string_view word) {
  const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
  return word.substr(0, 1) == "?" || (digits > 0 && word.substr(digits, 1) == "x");
}

LidWords ReadWords(std::string_view text, const DumpLines& lines, CableRemark* remark) {
  LidWords found;
  Words words(text, lines);
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (word == "lid") {
      found.lid = CheckedLid(lines, words.RequireNumber("a LID"));
    } else if (word == "lmc") {
      found.lmc = CheckedLmc(lines, words.RequireNumber("an LMC"));
    } else if (remark->speed.empty() && IsSpeed(word)) {
      const std::size_t at = std::min(word.find('x'), word.size() - 1) + 1;
      remark->width = LanesOf(word.substr(0, at));
      remark->speed = word.substr(at);
    }
  }
  return found;
}

}  // namespace

std::uint16_t CheckedLid(const DumpLines& lines, std::uint64_t number) {
  if (number == kNoLid) return 0;
  if (number > kHighestLid)
    lines.Fail(fmt::format("LID {}", number), fmt::format("0 to {}", kHighestLid));
  return static_cast<std::uint16_t>(number);
}

std::uint8_t LanesOf(std::string_view width) {
  if (width.empty() || width.back() != 'x') return 0;
  return ReadNumber<std::uint8_t>(width.substr(0, width.size() - 1)).value_or(0);
}

CableRemark ReadCableRemark(DumpLines* lines) {
  CableRemark remark;
  lines->SkipBlanks();
  if (lines->rest().empty()) return remark;
  lines->Require("#", "# and a remark, or the end of the line");
  const std::string_view text = lines->rest();
  const std::size_t first = text.find('"'), last = text.rfind('"');
  if (first == std::string_view::npos) {
    remark.own = ReadWords(text, *lines, &remark);
    return remark;
  }
  if (first == last) lines->Fail("a description without its end", "a quotation mark behind it");
  remark.description = text.substr(first + 1, last - first - 1);
  remark.own = ReadWords(text.substr(0, first), *lines, &remark);
  remark.peer = ReadWords(text.substr(last + 1), *lines, &remark);
  return remark;
}

}  // namespace heddle
