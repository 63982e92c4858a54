// SPDX-License-Identifier: GPL-2.0-only
#include "io/input/text_file.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace heddle {
namespace {

[[noreturn]] void FailToRead(const std::string& path) {
  FailInput({path, 0}, fmt::format("cannot be read ({})", std::strerror(errno)),
            "a readable text file");
}

}  // namespace

std::string ReadTextFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) FailToRead(path);
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
  }
  if (std::ferror(file.get()) != 0) FailToRead(path);
  return text;
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) + 1 - first);
}

std::string_view TakeWord(std::string_view* line) {
  *line = Trim(*line);
  const std::string_view word = line->substr(0, line->find_first_of(" \t"));
  line->remove_prefix(word.size());
  return word;
}

std::string_view WithoutComment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return Trim(line.substr(0, at));
  }
  return line;
}

bool LineReader::Next(std::string_view* line) {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  *line = Trim(rest_.substr(0, end));
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  ++number_;
  return true;
}

bool LineReader::NextFilled(std::string_view* line) {
  while (Next(line)) {
    if (!line->empty()) return true;
  }
  return false;
}

}  // namespace heddle
