// SPDX-License-Identifier: GPL-2.0-only
#include "tests/fuzz/reader_fuzz.h"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "core/base/check.h"

namespace heddle {
namespace {

std::string last_refusal;

void CheckMessage(const Error& error, const Refusal& refusal) {
  const std::string message = last_refusal = error.what();
  const bool user = error.code() == ExitCode::kBadInput,
             usage = refusal.usage && error.code() == ExitCode::kUsage;
  if (!user && !usage && error.code() != ExitCode::kInputOutput) {
    Complain(fmt::format("exit code {}: {}", static_cast<int>(error.code()), message));
  }
  const bool printable = Printable(message, std::string::npos) == message;
  if (!printable) Complain("an unprintable message");
  if (message.size() > refusal.longest)
    Complain(fmt::format("a message of {} bytes: {}", message.size(), message));
  if (message.rfind(refusal.start, 0) != 0)
    Complain("the message does not begin with " + refusal.start + ": " + message);
  if (refusal.remedy && user && message.find(". Expected: ") == std::string::npos)
    Complain("no remedy: " + message);
}

}  // namespace

bool Accepts(const Refusal& refusal, const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    CheckMessage(error, refusal);
  } catch (const std::bad_alloc&) {
    Complain("more memory than there is was asked for");
  } catch (const std::exception& error) {
    Complain(fmt::format("an exception that is no error of heddle's: {}", error.what()));
  }
  return false;
}

const std::string& LastRefusal() { return last_refusal; }

bool NamesLine(const std::string& message, const std::string& file, std::string_view text) {
  long line = 0;
  return message.rfind(file + ":", 0) == 0 &&
         std::sscanf(message.c_str() + file.size(), ":%ld: ", &line) == 1 && line >= 1 &&
         line <= 1 + std::count(text.begin(), text.end(), '\n');
}

}  // namespace heddle
