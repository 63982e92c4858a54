// SPDX-License-Identifier: GPL-2.0-only
#include "core/app/studies/orcs/orcs_load.h"

#include "core/app/studies/orcs/orcs_delay.h"

namespace heddle {
namespace {

class OrcsRules : public LoadRules {
 public:
  explicit OrcsRules(OrcsVersion version) : version_(version) {}
  std::unique_ptr<MessageDelay> MakeDelay() const override { return MakeOrcsDelay(version_); }
  bool CountsBroken() const override { return true; }
  /// ORCS adds the loads of a level to the sums after each of its messages, not once at its end.
  std::uint64_t TimesInSums(std::size_t place, std::size_t messages) const override {
    return messages - place;
  }

 private:
  OrcsVersion version_;
};

}  // namespace

std::shared_ptr<const LoadRules> OrcsLoadRules(OrcsVersion version) {
  return std::make_shared<OrcsRules>(version);
}

}  // namespace heddle
