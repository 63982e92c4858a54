// SPDX-License-Identifier: GPL-2.0-only
/// The flags of a fabric's options, declared once beside them: name on the command line, meaning,
/// range. Parsing, help, completion and checks use these declarations.
///
/// Rates, delays and error rates keep the user's text, because it is copied into the topology file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Throws UserError: "Spectrum-X: 0 GPUs (-g). Expected: 1 to 1000".
[[noreturn]] void RefuseFabric(const std::string& fabric, const std::string& found,
                               const std::string& expected);

/// The text of a ratio that is not asked for.
inline constexpr const char* kNoRatio = "none";
/// Reads a ratio above zero, "1" or "2.5". Empty result for other words, kNoRatio among them.
std::optional<double> ReadRatio(std::string_view word);

/// The text of a list that is not given.
inline constexpr const char* kNoList = "none";
inline constexpr std::size_t kMostSizes = 20;
/// Reads "4x4x8": 1 to kMostSizes whole numbers from `least` to `most`. Empty result for others.
std::optional<std::vector<std::uint32_t>> ReadSizes(std::string_view word, std::uint32_t least,
                                                    std::uint32_t most);
/// Reads "400Gbps,800Gbps": 1 to kMostSizes rates of links. Empty result for others.
std::optional<std::vector<std::string>> ReadRates(std::string_view word);

class FlagSet {
 public:
  enum class Kind : std::uint8_t {
    kCount,      ///< a whole number
    kWord,       ///< without blanks
    kRate,       ///< kLinkRateRange
    kDelay,      ///< kLinkDelayRange
    kErrorRate,  ///< kErrorRateRange
    kRatio,      ///< ReadRatio(), or kNoRatio
    kSizes,      ///< ReadSizes(), or kNoList if that is the default
    kRates,      ///< ReadRates(), or kNoList
  };

  /// Text about a flag for people.
  struct About {
    std::string brief;      ///< without dashes: "gps". Short flags are unique in a family
    std::string name;       ///< without dashes: "gpu_per_server"
    std::string help;       ///< a few words
    std::string subject;    ///< the value's name in messages: "GPUs per server"
    std::string also = {};  ///< a third name, without dashes; may be empty
  };

  struct Flag {
    About about;
    Kind kind = Kind::kCount;
    std::uint32_t least = 0, most = 0;  ///< for kCount and kSizes
    std::string example;                ///< for kWord and kSizes
    std::uint32_t* number = nullptr;    ///< for kCount; else null
    std::string* text = nullptr;        ///< for the other kinds; else null
    bool is_given = false;
    bool may_be_none = false;  ///< for kSizes

    /// Returns the current value as text.
    std::string Value() const { return text != nullptr ? *text : std::to_string(*number); }
  };

  static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

  /// Binds a member, whose value at that time is the default. The member must outlive the set.
  void AddCount(const About& about, std::uint32_t* value, std::uint32_t least, std::uint32_t most);
  /// Binds a word without blanks; `example` shows one in messages.
  void AddWord(const About& about, std::string* value, const std::string& example);
  /// Binds a ratio; the default is kNoRatio.
  void AddRatio(const About& about, std::string* value);
  /// Binds sizes, which may be kNoList only if that is the default.
  void AddSizes(const About& about, std::string* value, std::uint32_t least, std::uint32_t most,
                const std::string& example);
  /// Binds rates of links; the default is kNoList.
  void AddRates(const About& about, std::string* value);
  /// Binds a rate, delay or error rate of links.
  void AddLinkValue(const About& about, Kind kind, std::string* value);

  /// Returns the flags in the order in which they were bound, which is that of the help.
  const std::vector<Flag>& flags() const { return flags_; }
  /// Finds a flag by any of its names; null if there is none.
  const Flag* Find(const std::string& name) const;

  /// Whether the user gave the flag, which must exist.
  bool IsGiven(const std::string& name) const;

  /// Sets the flag of that name, which must exist. Throws UsageError for a count that is not a
  /// whole number.
  void Set(const std::string& name, const std::string& text);

  /// Throws UserError, naming flag and range, for the first count out of range. Counts are checked
  /// separately, because the fabric's size is computed from them before all other checks.
  void CheckCounts(const std::string& fabric) const;
  /// Checks the values of all flags that are not counts, likewise.
  void CheckTexts(const std::string& fabric) const;

 private:
  std::vector<Flag> flags_;
};

}  // namespace heddle
