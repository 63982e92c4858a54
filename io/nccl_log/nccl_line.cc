// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl_log/nccl_line.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace heddle {
namespace {

/// Words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}

  /// The next word; empty at the end.
  std::string_view Next() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\r")));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

template <class Number>
bool Read(std::string_view text, Number* number, int base = 10) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, *number, base);
  return error == std::errc() && stop == end;
}

/// "0x7f50", "(nil)" and "0".
bool ReadPointer(std::string_view text, std::uint64_t* number) {
  if (text == "(nil)") {
    *number = 0;
    return true;
  }
  if (text.substr(0, 2) == "0x") text.remove_prefix(2);
  return Read(text, number, 16);
}

/// "[nranks=128]".
bool ReadRanks(std::string_view text, std::uint32_t* ranks) {
  constexpr std::string_view kStart = "[nranks=";
  if (text.substr(0, kStart.size()) != kStart || text.back() != ']') return false;
  text.remove_prefix(kStart.size());
  text.remove_suffix(1);
  return Read(text, ranks);
}

/// Takes "HOST:PID:TID [DEVICE] NCCL INFO " from a line. Returns false if it is not there.
bool TakeHead(std::string_view* line, NcclLine* found) {
  constexpr std::string_view kMark = " NCCL INFO ";
  const std::size_t mark = line->find(kMark);
  if (mark == std::string_view::npos) return false;
  std::string_view head = line->substr(0, mark);
  *line = line->substr(mark + kMark.size());
  const std::size_t open = head.rfind('[');
  if (open == std::string_view::npos || head.back() != ']') return false;
  if (!Read(head.substr(open + 1, head.size() - open - 2), &found->device)) return false;
  head = head.substr(0, open);
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  head = head.substr(head.find_last_of(" \t") + 1);  // npos + 1 is 0
  const std::size_t thread = head.rfind(':');
  if (thread == std::string_view::npos) return false;
  found->process = head.substr(0, thread);
  return found->process.find(':') != std::string_view::npos;
}

/// Behind "NAME: opCount". Returns whether all fields are there.
bool ReadCall(Words words, NcclLine* call) {
  std::uint64_t ignored = 0;
  const auto pointer = [&](const char* key, std::uint64_t* to) {
    return words.Next() == key && ReadPointer(words.Next(), to);
  };
  const auto whole = [&](const char* key, auto* to) {
    return words.Next() == key && Read(words.Next(), to);
  };
  std::int64_t operation = 0, root = 0;
  const bool sound = Read(words.Next(), &call->op_count, 16) && pointer("sendbuff", &ignored) &&
                     pointer("recvbuff", &ignored) && whole("count", &call->count) &&
                     whole("datatype", &call->datatype) && whole("op", &operation) &&
                     whole("root", &root) && pointer("comm", &call->comm) &&
                     ReadRanks(words.Next(), &call->ranks) && pointer("stream", &call->stream);
  if (!sound || call->count < 0 || root < 0 || root >= std::int64_t{call->ranks}) return false;
  call->root = static_cast<std::uint32_t>(root);
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (word == "globalrank") call->global_rank = words.Next();
  }
  return true;
}

/// "[ncclCommInitRank ]comm 0x... rank 0 nranks 8 cudaDev 0 ... - Init COMPLETE".
void ReadCommunicator(std::string_view text, NcclLine* line) {
  const bool begins = text.find("Init COMPLETE") != std::string_view::npos ||
                      text.find("Init START") != std::string_view::npos;
  const bool ends = text.find("Destroy COMPLETE") != std::string_view::npos ||
                    text.find("Abort COMPLETE") != std::string_view::npos;
  if (!begins && !ends) return;
  bool comm = false, rank = false, ranks = false, device = false;
  Words words(text);
  for (std::string_view word = words.Next(); !word.empty(); word = words.Next()) {
    if (word == "comm") comm = ReadPointer(words.Next(), &line->comm);
    if (word == "rank") rank = Read(words.Next(), &line->rank);
    if (word == "nranks" || word == "nRanks") ranks = Read(words.Next(), &line->ranks);
    if (word == "cudaDev") device = Read(words.Next(), &line->device_of);
    if (word == "commId") line->comm_id = words.Next();
    if (word == "splitCount") line->split = words.Next();
    if (word == "parent") line->has_parent = ReadPointer(words.Next(), &line->parent);
    if (word == "color" && !Read(words.Next(), &line->color)) line->has_parent = false;
  }
  if (ends && comm) line->kind = NcclLine::Kind::kEnd;
  if (begins && comm && rank && ranks && device && line->rank < line->ranks)
    line->kind = NcclLine::Kind::kBegin;
}

}  // namespace

NcclLine ParseNcclLine(std::string_view line) {
  NcclLine found;
  constexpr std::string_view kVersion = "NCCL version ";
  std::string_view text = line;
  if (!TakeHead(&text, &found)) {
    const std::size_t version = line.find(kVersion);
    if (version == std::string_view::npos) return found;
    found.kind = NcclLine::Kind::kVersion;
    found.name = Words(line.substr(version + kVersion.size())).Next();
    return found;
  }
  Words words(text);
  const std::string_view first = words.Next();
  if (first.size() > 1 && first.back() == ':' && words.Next() == "opCount") {
    found.name = first.substr(0, first.size() - 1);
    found.kind = ReadCall(words, &found) ? NcclLine::Kind::kCall : NcclLine::Kind::kBroken;
    return found;
  }
  ReadCommunicator(text, &found);
  return found;
}

}  // namespace heddle
