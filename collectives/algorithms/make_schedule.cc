// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/algorithms/make_schedule.h"

#include "collectives/algorithms/all_to_all_schedule.h"
#include "collectives/algorithms/chain_schedule.h"
#include "collectives/algorithms/nvls_schedule.h"
#include "collectives/algorithms/nvls_tree_schedule.h"
#include "collectives/algorithms/pxn_all_to_all_schedule.h"
#include "collectives/algorithms/ring_schedule.h"
#include "collectives/algorithms/send_recv_schedule.h"
#include "collectives/algorithms/tree_schedule.h"
#include "core/base/check.h"

namespace heddle {

std::unique_ptr<Schedule> MakeSchedule(const CollectiveSpec& spec, const AlgorithmChoice& choice,
                                       const GroupShape& shape, const CollectiveOptions& options) {
  if (shape.ranks() == 1) return nullptr;
  switch (choice.algorithm) {
    case Algorithm::kTree:
      HEDDLE_EXPECT(spec.operation == Operation::kAllReduce);
      return MakeTreeSchedule(spec.bytes, shape, options);
    case Algorithm::kNvls:
      return MakeNvlsSchedule(spec.operation, spec.bytes, shape, options);
    case Algorithm::kNvlsTree:
      return MakeNvlsTreeSchedule(spec.operation, spec.bytes, shape, options);
    case Algorithm::kRing:
      if (spec.operation != Operation::kBroadcast && spec.operation != Operation::kReduce) {
        return std::make_unique<RingSchedule>(spec, shape, choice.pxn);
      }
      return std::make_unique<ChainSchedule>(spec, shape, options, choice.pxn);
    case Algorithm::kDirect:
      if (spec.operation == Operation::kSendRecv)
        return std::make_unique<SendRecvSchedule>(spec, shape, choice.pxn);
      if (choice.pxn) return std::make_unique<PxnAllToAllSchedule>(spec.bytes, shape);
      return std::make_unique<AllToAllSchedule>(spec.bytes, shape);
  }
  return nullptr;
}

}  // namespace heddle
