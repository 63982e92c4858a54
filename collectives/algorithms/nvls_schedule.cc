// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/nvls_schedule.h"

#include <fmt/format.h>

#include "collectives/trees/all_reduce_trees.h"
#include "collectives/trees/gather_scatter_trees.h"
#include "collectives/trees/spanning_trees.h"
#include "core/base/check.h"

namespace heddle {
namespace {

/// Pieces in flight from a rank to an NVSwitch: SimAI sends one after the other.
constexpr std::uint32_t kInFlight = 1;

class NvlsStars final : public SpanningTrees {
 public:
  using SpanningTrees::SpanningTrees;

  std::uint32_t channels() const override { return shape().nvswitches(0); }
  bool Contains(std::uint32_t channel, Participant p) const override {
    return shape().is_rank(p) || IsRoot(channel, p);
  }
  Participant Parent(std::uint32_t channel, Participant p) const override {
    return IsRoot(channel, p) ? GroupShape::kNone : shape().nvswitch(0, channel);
  }
  std::uint32_t ChildCount(std::uint32_t channel, Participant p) const override {
    return IsRoot(channel, p) ? shape().ranks() : 0;
  }
  Participant Child(std::uint32_t /*channel*/, Participant /*p*/, std::uint32_t i) const override {
    return i;
  }

 private:
  bool IsRoot(std::uint32_t channel, Participant p) const {
    return p == shape().nvswitch(0, channel);
  }
};

}  // namespace

std::string WhyNoNvls(const GroupShape& shape) {
  for (std::uint32_t server = 0; server < shape.servers(); ++server) {
    if (shape.nvswitches(server) > 0) continue;
    return fmt::format(
        "GPU {} and the GPUs of its server that are in the group share no NVSwitch (NVLS reduces "
        "there). Expected: a fabric with NVSwitches, or algorithm ring",
        shape.node(shape.local(server, 0)).value);
  }
  return "";
}

std::unique_ptr<SpanningTrees> MakeNvlsStars(const GroupShape& shape) {
  HEDDLE_EXPECT(shape.servers() == 1 && shape.nvswitches(0) > 0);
  return std::make_unique<NvlsStars>(shape);
}

std::unique_ptr<Schedule> MakeNvlsSchedule(Operation operation, std::int64_t bytes,
                                           const GroupShape& shape, const ChunkOptions& options) {
  const auto pieces = static_cast<std::uint32_t>(options.nvls_chunks);
  auto stars = MakeNvlsStars(shape);
  if (operation != Operation::kAllReduce)
    return MakePartTrees(operation, std::move(stars), bytes, pieces, kInFlight);
  return std::make_unique<AllReduceTrees>(std::move(stars), bytes, pieces, kInFlight);
}

}  // namespace heddle
