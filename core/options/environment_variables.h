// SPDX-License-Identifier: GPL-2.0-only
/// Environment variables that set options. Models declare them as tables; one function applies
/// them.
///
/// Every value goes through OptionSet::Set, which checks it and marks the option as set by the
/// user.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/options/options.h"

namespace heddle {

/// Names and values.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// An option's key and the value that it gets.
using OptionSetting = std::pair<std::string, std::string>;

struct EnvironmentVariable {
  /// The settings that a value stands for, each of one of `keys`. Throws UserError that names the
  /// wrong value and the expected ones; the caller prepends the variable's name.
  using Translation = std::vector<OptionSetting> (*)(const std::string& value);

  std::string name;
  std::vector<std::string> keys = {};  ///< of the options that the variable may set
  Translation translate = nullptr;     ///< null: the value is passed on to the one option in `keys`
  std::string unused = {};             ///< reason why the variable has no effect; empty: it has one
  bool is_path = false;                ///< whether the value is a file name
  /// For a variable whose meaning depends on another one: as `translate`, with all that are given.
  std::vector<OptionSetting> (*join)(const std::string& value, const Environment& given) = nullptr;
};

/// The variables of one program, with the order in which they are applied.
struct EnvironmentFamily {
  enum class Order { kAsGiven, kOfTable };

  std::string owner;  ///< "SimAI", for warnings
  /// An unknown name with this prefix may be misspelt and causes a warning; empty: no warning.
  std::string prefix;
  Order order = Order::kAsGiven;
  bool empty_is_unset = false;  ///< whether an empty value means unset
  std::vector<EnvironmentVariable> variables;

  /// Returns the variable of this name; null if there is none.
  const EnvironmentVariable* Find(const std::string& name) const;
};

/// Sets the options of the given variables. `echo` gets a line for each known variable: NAME=VALUE,
/// followed by the reason if it has no effect, or by the settings that a translated value stands
/// for. `warnings` gets a line with the nearest known name for each that may be misspelt. Throws
/// UserError for bad values, with the variable's name.
void ApplyEnvironment(const EnvironmentFamily& family, const Environment& environment,
                      OptionSet* options, std::vector<std::string>* echo,
                      std::vector<std::string>* warnings);

}  // namespace heddle
