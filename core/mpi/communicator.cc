// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/communicator.h"

#include <mpi.h>
#include <ns3/mpi-interface.h>

#include <algorithm>
#include <cstdlib>

#include "core/mpi/mpi_check.h"
#include "core/mpi/ns3_communicator.h"
#include "core/mpi/polled_wait.h"

namespace heddle {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 28;  // MPI counts are ints

// MPI's own blocking calls wait forever for a rank that hangs. So each call is started nonblocking
// and then polled.

template <class Value>
Value Reduce(Value value, MPI_Datatype type, MPI_Op op) {
  Value result = value;
  MPI_Request request;
  HEDDLE_MPI(MPI_Iallreduce(&value, &result, 1, type, op, Ns3Communicator(), &request));
  AwaitRequest(&request);
  return result;
}

void Send(const void* data, int count, MPI_Datatype type, int to, int tag) {
  MPI_Request request;
  HEDDLE_MPI(MPI_Isend(data, count, type, to, tag, Ns3Communicator(), &request));
  AwaitRequest(&request);
}

void Receive(void* data, int count, MPI_Datatype type, int from, int tag) {
  MPI_Request request;
  HEDDLE_MPI(MPI_Irecv(data, count, type, from, tag, Ns3Communicator(), &request));
  AwaitRequest(&request);
}

void Share(void* data, int count, MPI_Datatype type) {
  MPI_Request request;
  HEDDLE_MPI(MPI_Ibcast(data, count, type, 0, Ns3Communicator(), &request));
  AwaitRequest(&request);
}

}  // namespace

Communicator Communicator::World() {
  int rank = 0;
  int size = 1;
  HEDDLE_MPI(MPI_Comm_rank(ns3::MpiInterface::GetCommunicator(), &rank));
  HEDDLE_MPI(MPI_Comm_size(ns3::MpiInterface::GetCommunicator(), &size));
  return Communicator(RankId(static_cast<std::uint32_t>(rank)), static_cast<std::uint32_t>(size));
}

std::int64_t Communicator::Min(std::int64_t value) const {
  return serial() ? value : Reduce(value, MPI_INT64_T, MPI_MIN);
}
std::int64_t Communicator::Max(std::int64_t value) const {
  return serial() ? value : Reduce(value, MPI_INT64_T, MPI_MAX);
}
std::int64_t Communicator::Sum(std::int64_t value) const {
  return serial() ? value : Reduce(value, MPI_INT64_T, MPI_SUM);
}

Communicator::NodeSum Communicator::SumOnNode(std::int64_t value) const {
  if (serial()) return {value, 1};
  MPI_Comm node;
  HEDDLE_MPI(MPI_Comm_split_type(ns3::MpiInterface::GetCommunicator(), MPI_COMM_TYPE_SHARED, 0,
                                 MPI_INFO_NULL, &node));
  std::int64_t sum = 0;
  int ranks = 1;
  HEDDLE_MPI(MPI_Allreduce(&value, &sum, 1, MPI_INT64_T, MPI_SUM, node));
  HEDDLE_MPI(MPI_Comm_size(node, &ranks));
  HEDDLE_MPI(MPI_Comm_free(&node));
  return {sum, static_cast<std::uint32_t>(ranks)};
}

void Communicator::Sum(std::vector<std::int64_t>* values) const {
  if (serial()) return;
  MPI_Request request;
  const int count = static_cast<int>(values->size());
  HEDDLE_MPI(MPI_Iallreduce(MPI_IN_PLACE, values->data(), count, MPI_INT64_T, MPI_SUM,
                            Ns3Communicator(), &request));
  AwaitRequest(&request);
}

double Communicator::Max(double value) const {
  return serial() ? value : Reduce(value, MPI_DOUBLE, MPI_MAX);
}

std::vector<double> Communicator::AllGather(double value) const {
  std::vector<double> all(size_, value);
  if (serial()) return all;
  MPI_Request request;
  HEDDLE_MPI(MPI_Iallgather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, Ns3Communicator(),
                            &request));
  AwaitRequest(&request);
  return all;
}

std::vector<std::vector<char>> Communicator::Gather(const std::vector<char>& bytes) const {
  if (serial()) return {bytes};
  constexpr int kTag = 77;
  if (!is_root()) {
    const std::uint64_t size = bytes.size();
    Send(&size, 1, MPI_UINT64_T, 0, kTag);
    for (std::size_t at = 0; at < size; at += kPiece) {
      Send(bytes.data() + at, static_cast<int>(std::min<std::size_t>(kPiece, size - at)), MPI_BYTE,
           0, kTag);
    }
    return {};
  }
  std::vector<std::vector<char>> all(size_);
  all[0] = bytes;
  for (std::uint32_t rank = 1; rank < size_; ++rank) {
    const int from = static_cast<int>(rank);
    std::uint64_t size = 0;
    Receive(&size, 1, MPI_UINT64_T, from, kTag);
    all[rank].resize(size);
    for (std::size_t at = 0; at < size; at += kPiece) {
      Receive(all[rank].data() + at, static_cast<int>(std::min<std::size_t>(kPiece, size - at)),
              MPI_BYTE, from, kTag);
    }
  }
  return all;
}

std::string Communicator::Broadcast(const std::string& text) const {
  if (serial()) return text;
  std::string result = text;
  std::uint64_t size = result.size();
  Share(&size, 1, MPI_UINT64_T);
  result.resize(size);
  Share(result.data(), static_cast<int>(size), MPI_CHAR);
  return result;
}

void Communicator::Abort(ExitCode code) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

std::string MpiVersion() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  HEDDLE_MPI(MPI_Get_library_version(text, &length));
  const std::string whole(text, static_cast<std::size_t>(length));
  return whole.substr(0, whole.find_first_of(",\n"));
}

void ThrowTogether(const Communicator& world, ExitCode code, const std::string& message) {
  const bool failed = code != ExitCode::kDone;
  const std::int64_t first = world.Min(failed ? world.rank().value : world.size());
  if (first == world.size()) return;
  // Sends the text by a sum over ranks to which only one contributes: no point-to-point message is
  // needed.
  const bool mine = first == world.rank().value;
  std::vector<std::int64_t> head = {mine ? static_cast<std::int64_t>(code) : 0,
                                    mine ? static_cast<std::int64_t>(message.size()) : 0};
  world.Sum(&head);
  std::vector<std::int64_t> letters(static_cast<std::size_t>(head[1]), 0);
  if (mine) std::copy(message.begin(), message.end(), letters.begin());
  world.Sum(&letters);
  throw SharedError(static_cast<ExitCode>(head[0]), std::string(letters.begin(), letters.end()));
}

}  // namespace heddle
