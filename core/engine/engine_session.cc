// SPDX-License-Identifier: GPL-2.0-only
#include "core/engine/engine_session.h"

#include <ns3/global-value.h>
#include <ns3/mpi-interface.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>
#include <ns3/string.h>

#include "core/base/check.h"
#include "core/engine/domain_simulator.h"
#include "core/engine/ns3_engine.h"
#include "core/engine/ns3_scheduler.h"
#include "core/mpi/launch.h"

namespace heddle {
namespace {

void SelectImplementation(const char* type) {
  ns3::GlobalValue::Bind("SimulatorImplementationType", ns3::StringValue(type));
}

}  // namespace

Ns3Session::Ns3Session(EngineKind kind, int* argc, char*** argv) {
  ns3::Time::SetResolution(ns3::Time::PS);
  SelectImplementation(kind == EngineKind::kNs3Null ? "ns3::NullMessageSimulatorImpl"
                                                    : "ns3::DistributedSimulatorImpl");
  {
    const QuickLoneStart quick;
    ns3::MpiInterface::Enable(argc, argv);
  }
  if (kind == EngineKind::kDomain) {
    // ns-3 accepts only its own two implementations when MPI is enabled; ours is selected
    // afterwards.
    SelectImplementation(DomainSimulatorImpl::GetTypeId().GetName().c_str());
    ns3::GlobalValue::Bind("SchedulerType", ns3::TypeIdValue(PlainRecordScheduler::GetTypeId()));
  }
}

Ns3Session::~Ns3Session() {
  ns3::Simulator::Destroy();
  ns3::MpiInterface::Disable();
}

EngineReport RunEngine(EngineKind kind, const Communicator& world, const EngineSetup& setup) {
  if (kind != EngineKind::kDomain) return Ns3Engine(kind, world, setup).Run();
  auto simulator = ns3::DynamicCast<DomainSimulatorImpl>(ns3::Simulator::GetImplementation());
  HEDDLE_INVARIANT(simulator != nullptr, "the session was made for another engine");
  simulator->Attach(world, &setup);
  ns3::Simulator::Run();
  return simulator->report();
}

}  // namespace heddle
