// SPDX-License-Identifier: GPL-2.0-only
/// Helpers of the Ultra Ethernet tests: options by key, networks, state to bytes and back.
#pragma once

#include <boost/serialization/vector.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/checkpoint/state_archive.h"
#include "core/options/options.h"
#include "transport/model/uec/uec_options.h"
#include "transport/model/uec/uec_scale.h"

namespace heddle::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline UecOptions Uec(const Settings& settings = {}) {
  UecOptions options;
  OptionSet set;
  options.Declare(&set);
  for (const auto& [key, value] : settings) set.Set(key, value);
  return options;
}

/// The message with which a value is refused; empty if it is taken.
inline std::string UecError(const std::string& key, const std::string& value) {
  try {
    Uec({{key, value}});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

constexpr BitRate Gbps(std::int64_t gbps) { return {gbps * 1'000'000'000}; }

/// The network of the specification's constants, 100 Gb/s and 12 us, with 4000 bytes of payload and
/// no trimming: BDP 150,000, a = b = 1, T = 12 us.
inline UecOptions Reference(Settings settings = {}) {
  settings.insert(settings.begin(), {{"uec.mtu", "4064"}, {"uec.trimming", "false"}});
  return Uec(settings);
}
inline UecScale ReferenceScale(const UecOptions& options) {
  return {options, MicroSeconds(12), Gbps(100), 1};
}

template <class T>
std::vector<char> Saved(const T& value) {
  StateWriter writer;
  writer << value;
  return writer.bytes();
}

template <class T>
T Loaded(const std::vector<char>& bytes, T into = T()) {
  StateReader reader(bytes);
  reader >> into;
  reader.ExpectEnd();
  return into;
}

/// Loads `value` with each of its bytes damaged in several ways. What is not refused is given to
/// `use`, which must come to an end. Returns how many were refused.
template <class T, class Use>
int Damaged(const T& value, Use&& use) {
  const std::vector<char> sound = Saved(value);
  int refused = 0;
  for (std::size_t at = 0; at < sound.size(); ++at) {
    for (const int bits : {0x01, 0x80, 0xFF, 0x02}) {
      std::vector<char> bytes = sound;
      bytes[at] = static_cast<char>(bytes[at] ^ bits);
      try {
        T loaded = Loaded<T>(bytes);
        use(&loaded);
      } catch (const UserError&) {
        ++refused;
      }
    }
  }
  return refused;
}

}  // namespace heddle::testing
