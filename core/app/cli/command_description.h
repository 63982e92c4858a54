// SPDX-License-Identifier: GPL-2.0-only
/// A command's flags as data: what completion scripts are made of. They come from the same CLI11
/// declarations that parse them.
#ifndef HEDDLE_CORE_APP_CLI_COMMAND_DESCRIPTION_H_
#define HEDDLE_CORE_APP_CLI_COMMAND_DESCRIPTION_H_

#include <string>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace heddle {

/// A flag, or an argument without one.
struct FlagDescription {
  std::vector<std::string>
      names;          ///< with their dashes, the short ones first; none: an argument without a flag
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

/// What a command gets as its only argument when its description is wanted, not its work;
/// ParseArguments() answers by throwing CommandDescribed. So each command describes itself where it
/// declares its flags.
inline constexpr const char* kDescribeYourself = "--describe-yourself";

/// Not an error within the program; to a user who types kDescribeYourself, one of usage.
class CommandDescribed : public UsageError {
 public:
  explicit CommandDescribed(CommandDescription description)
      : UsageError(std::string("unknown argument '") + kDescribeYourself + "'"),
        description_(std::move(description)) {}
  const CommandDescription& description() const { return description_; }

 private:
  CommandDescription description_;
};

/// The names in a value such as "a|b|c"; none if it is of another kind.
std::vector<std::string> ChoicesOf(const std::string& value);

}  // namespace heddle

#endif  // HEDDLE_CORE_APP_CLI_COMMAND_DESCRIPTION_H_
