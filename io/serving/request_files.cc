// SPDX-License-Identifier: GPL-2.0-only
#include "io/serving/request_files.h"

#include "core/options/token_reader.h"
#include "io/input/file_kind.h"
#include "io/input/text_file.h"
#include "io/serving/request_formats.h"

namespace heddle {
namespace {

constexpr const char* kFormats =
    "Mooncake's JSON lines, Azure's CSV (TIMESTAMP,ContextTokens,GeneratedTokens) or BurstGPT's "
    "(Timestamp,...,Request tokens,Response tokens,...)";

}  // namespace

RequestFile ParseRequests(std::string_view text, const std::string& name) {
  LineReader lines(text, name);
  std::string_view head;
  if (!lines.NextFilled(&head)) FailInput(lines.whole_file(), "an empty file", kFormats);
  if (head.front() == '{') return ParseMooncakeRequests(text, name);
  const std::string_view column = Trim(head.substr(0, head.find(',')));
  if (column == "TIMESTAMP") return ParseAzureRequests(text, name);
  if (column == "Timestamp") return ParseBurstGptRequests(text, name);
  FailInput(lines.where(), Quote(head), kFormats);
}

RequestFile ReadRequests(const std::string& path) {
  return ReadAs(FileKind::kUnknown, path, [&] { return ParseRequests(ReadTextFile(path), path); });
}

}  // namespace heddle
