// SPDX-License-Identifier: GPL-2.0-only
/// Options, each declared once beside its model: key, alias of SimAI, type, unit, default, range,
/// source.
///
/// The same record feeds `--set`, SimAI.conf, `heddle options`, docs/options.md, the configuration
/// echo and the result's header. A model has a plain options struct; its Declare(OptionSet&) binds
/// every field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/check.h"
#include "core/base/units.h"
#include "core/options/enum_words.h"

namespace heddle {

/// One option as users see it.
struct Option {
  std::string key;        ///< "transport.window"
  std::string simai_key;  ///< "HAS_WIN", or empty
  std::string help;       ///< one sentence, with the unit
  std::string unit;       ///< "ns", "bytes", "" for a switch or a name
  std::string range;      ///< "1..65000", "true or false"
  std::string source;     ///< the paper, section or file that the default comes from
  std::string default_text;
  std::vector<std::string> variables;  ///< environment variables that set it, such as "NCCL_ALGO"
  /// Allowed values of switches, names and lists of names.
  std::vector<std::string> choices;
  std::function<void(std::string_view)> set;  ///< throws UserError("expected ...") on a bad value
  std::function<std::string()> get;           ///< the current value, as text
  bool set_by_user = false;
};

/// Reason why a known SimAI key has no effect here; shown by `heddle options`, and in the echo if
/// the key is given.
struct UnusedKey {
  std::string simai_key;
  std::string reason;
};

/// Subject of the keys with one prefix ("dcqcn" of dcqcn.gain); shown by `heddle explain`.
struct OptionGroup {
  std::string prefix;
  std::string title;  ///< a few words
  std::string page;   ///< file that describes the model, relative to the repository's root
};

/// All options of a run. Keys are unique; setting an unknown one is an error that names the nearest
/// known key.
class OptionSet {
 public:
  /// Help, unit and source of an option; the rest follows from the bound variable.
  struct About {
    std::string key, simai_key, help, unit, source;
    std::vector<std::string> variables = {};
  };

  /// Binds a variable; its current value is the default. Ranges are inclusive.
  void Add(const About& about, bool* value);
  /// Binds an integer with its range, inclusive.
  void Add(const About& about, std::int64_t* value, std::int64_t low, std::int64_t high);
  /// Binds a number with its range, inclusive, in the unit of `about`.
  void Add(const About& about, double* value, double low, double high);
  /// Binds a time. `bare_unit`: unit of a number without a unit ("us"); empty: a unit is required.
  void Add(const About& about, Time* value, Time low, Time high, const std::string& bare_unit);
  /// Binds a time or "auto", which is stored as zero.
  void AddTimeOrAuto(const About& about, Time* value, Time low, Time high,
                     const std::string& bare_unit);
  /// Binds a rate, which always carries a unit.
  void Add(const About& about, BitRate* value, BitRate low, BitRate high);
  /// Binds a text; empty `allowed`: any.
  void Add(const About& about, std::string* value, const std::vector<std::string>& allowed);
  /// Binds a value of an enum with words (core/options/enum_words.h).
  template <class Enum, std::enable_if_t<HasWords<Enum>::value, int> = 0>
  void Add(const About& about, Enum* value) {
    AddWord(
        about, AllWords<Enum>(),
        [value](const std::string& word) { *value = *FindWord<Enum>(word); },
        [value] { return std::string(ToText(*value)); });
  }
  /// Adds an option with set() and get() of its own. Its keys must be new.
  void Add(Option option);
  /// Adds a key of SimAI's that is accepted and does nothing.
  void AddUnused(UnusedKey key);
  /// Describes the keys of a prefix; once for each prefix.
  void AddGroup(OptionGroup group);

  /// Sets an option by either name. Throws UserError, prefixed by `where` if given.
  void Set(std::string_view key, std::string_view value, const SourceLine& where = {});
  /// Sets an option that the user has not set, which then still counts as not set by the user.
  /// Returns false, and changes nothing, if the user has set it. The key must be that of an option.
  bool Preset(std::string_view key, std::string_view value);
  /// Sets each "KEY=VALUE", the values of --set. Throws UsageError for another text, otherwise as
  /// Set().
  void SetAll(const std::vector<std::string>& settings);
  /// Calls `follow` after each Set() of an option, named by its own key: for a value that is stored
  /// twice.
  void WhenSet(std::string_view key, std::function<void()> follow);
  /// Whether a key (own or SimAI's, used or not) is known.
  bool Knows(std::string_view key) const;

  /// Returns the options in the order of their declaration.
  const std::vector<Option>& options() const { return options_; }
  /// Returns SimAI's keys without effect, in the order of AddUnused().
  const std::vector<UnusedKey>& unused_keys() const { return unused_; }
  /// Returns the described prefixes, in the order of AddGroup().
  const std::vector<OptionGroup>& groups() const { return groups_; }
  /// Returns the options of this name: own, SimAI's or an environment variable's, which may set
  /// several.
  std::vector<const Option*> FindByName(std::string_view name) const;
  /// Returns known keys that the user gave but that have no effect, in the order given.
  const std::vector<std::string>& given_but_unused() const { return given_but_unused_; }

 private:
  /// Adds an option of words. `set` gets allowed ones only; empty `allowed`: any.
  void AddWord(const About& about, const std::vector<std::string>& allowed,
               std::function<void(const std::string&)> set, std::function<std::string()> get);
  /// Returns the option of an own or SimAI's key; null if there is none.
  Option* Find(std::string_view key);
  /// Returns the end of a message, which names the known key nearest to `key`.
  std::string NearestKey(std::string_view key) const;

  std::vector<Option> options_;
  std::vector<UnusedKey> unused_;
  std::vector<OptionGroup> groups_;
  std::vector<std::string> given_but_unused_;
};

/// Returns the group of a key: the text before its first dot.
std::string PrefixOf(std::string_view key);

}  // namespace heddle
