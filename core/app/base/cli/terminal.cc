// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/base/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/app/base/cli/commands.h"
#include "core/base/printable.h"
#include "core/mpi/launch.h"

namespace heddle {
namespace {

const char* Sequence(Paint paint) {
  switch (paint) {
    case Paint::kError:
      return "\033[31m";
    case Paint::kWarning:
      return "\033[33m";
    case Paint::kHead:
      return "\033[1m";
  }
  return "";
}

}  // namespace

bool SpeaksForAll() { return LaunchedRank().value_or("0") == "0"; }

bool IsTerminal(int descriptor) { return isatty(descriptor) != 0; }

bool UnderstandsEscapes(int descriptor) {
  const char* term = std::getenv("TERM");
  return IsTerminal(descriptor) && term != nullptr && *term != '\0' &&
         std::strcmp(term, "dumb") != 0;
}

bool WantsColours(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && UnderstandsEscapes(descriptor);
}

std::size_t TerminalWidth(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string Painted(Paint paint, const std::string& text, bool colours) {
  return colours ? Sequence(paint) + text + "\033[0m" : text;
}

std::string WithBoldHeads(const std::string& help, bool colours) {
  if (!colours) return help;
  std::string text;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string line = help.substr(at, end - at);
    const bool is_head = !line.empty() && line.front() != ' ' && line.back() == ':';
    text += is_head ? Painted(Paint::kHead, line, true) : line;
    if (end < help.size()) text += '\n';
    at = end + 1;
  }
  return text;
}

void PrintError(const std::string& message) {
  std::fprintf(stderr, "%s %s\n",
               Painted(Paint::kError, "heddle:", WantsColours(STDERR_FILENO)).c_str(),
               PrintableLines(message).c_str());
}

void PrintWarning(const std::string& message) {
  std::fprintf(stderr, "heddle: %s %s\n",
               Painted(Paint::kWarning, "warning:", WantsColours(STDERR_FILENO)).c_str(),
               PrintableLines(message).c_str());
}

void PrintHelp(const std::string& help) {
  if (SpeaksForAll()) std::fputs(WithBoldHeads(help, WantsColours(STDOUT_FILENO)).c_str(), stdout);
}

}  // namespace heddle
