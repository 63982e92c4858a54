// SPDX-License-Identifier: GPL-2.0-only
/// A command's flags as data, from which completion scripts are made. The data come from the same
/// CLI11 declarations that parse the flags.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A flag, or a positional argument.
struct FlagDescription {
  /// With their dashes, the short ones first; none: a positional argument.
  std::vector<std::string> names;
  std::string value;  ///< what follows: "" (nothing), "FILE", "KEY=VALUE", "KEY", names as "a|b|c",
                      ///< or other text
  std::string help;
};

struct CommandDescription {
  std::string name;  ///< "run", "topo show"
  std::string help;
  std::vector<FlagDescription> flags;
  std::vector<FlagDescription> arguments;
};

/// Passed to a command as its only argument to ask for its description instead of its work.
/// ParseArguments() then throws CommandDescribed, so that each command describes itself where it
/// declares its flags.
inline constexpr const char* kDescribeYourself = "--describe-yourself";

/// Not an error when the program asks; if a user types kDescribeYourself, a usage error.
class CommandDescribed : public UsageError {
 public:
  explicit CommandDescribed(CommandDescription description)
      : UsageError(std::string("unknown argument '") + kDescribeYourself + "'"),
        description_(std::move(description)) {}
  const CommandDescription& description() const { return description_; }  ///< what was asked for

 private:
  CommandDescription description_;
};

/// Returns the names in a value such as "a|b|c"; none if the value is of another kind.
std::vector<std::string> ChoicesOf(const std::string& value);

}  // namespace heddle
