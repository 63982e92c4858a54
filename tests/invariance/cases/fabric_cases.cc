// SPDX-License-Identifier: GPL-2.0-only
/// Every kind of fabric without congestion control: only queues, routes and ties.
#include "tests/invariance/case.h"
#include "tests/invariance/traffic.h"
#include "tests/support/leaf_spine.h"

namespace heddle::invariance {

void AddFabricCases(std::vector<CaseMaker>* cases) {
  for (const char* name : {"Spectrum-X", "AlibabaHPN-DualPlane", "DCN-SingleToR", "DCN-DualToR"}) {
    cases->push_back({name, [name] {
                        return Case{name,
                                    SmallFabric(name),
                                    MeetingFlows(),
                                    Set({{"CC_MODE", "0"}}),
                                    {},
                                    {proofs::Flows(FlowState::kFinished)}};
                      }});
  }
  // Above 512 nodes, where the next packets are prefetched and routed ahead.
  cases->push_back({"large", [] {
                      const testing::LeafSpine shape{16, 32, 8};
                      return Case{"large",
                                  shape.Build(),
                                  testing::Permutation(shape.hosts(), Bytes{30000}, 5),
                                  Set({}),
                                  {},
                                  {proofs::Flows(FlowState::kFinished)}};
                    }});
}

}  // namespace heddle::invariance
