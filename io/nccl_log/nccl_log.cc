// SPDX-License-Identifier: GPL-2.0-only
#include "io/nccl_log/nccl_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/base/ids.h"
#include "io/chakra/chakra_rank_builder.h"

namespace heddle {
namespace {

using Kind = ChakraNode::Kind;

struct NcclKind {
  std::string_view name;
  Kind kind;
  ChakraCollective collective;
  bool per_rank;  ///< the count is of one of the ranks' parts, and the buffer has all
};
constexpr NcclKind kNcclKinds[] = {
    {"AllReduce", Kind::kCollective, ChakraCollective::kAllReduce, false},
    {"AllGather", Kind::kCollective, ChakraCollective::kAllGather, false},
    {"ReduceScatter", Kind::kCollective, ChakraCollective::kReduceScatter, true},
    {"Broadcast", Kind::kCollective, ChakraCollective::kBroadcast, false},
    {"Bcast", Kind::kCollective, ChakraCollective::kBroadcast, false},
    {"Reduce", Kind::kCollective, ChakraCollective::kReduce, false},
    {"AllToAll", Kind::kCollective, ChakraCollective::kAllToAll, true},
    {"AlltoAll", Kind::kCollective, ChakraCollective::kAllToAll, true},
    {"Gather", Kind::kCollective, ChakraCollective::kGather, true},
    {"Scatter", Kind::kCollective, ChakraCollective::kScatter, true},
    {"Send", Kind::kSend, ChakraCollective::kAllReduce, false},
    {"Recv", Kind::kReceive, ChakraCollective::kAllReduce, false},
};

/// Sizes of NCCL's data types by their numbers: int8, uint8, int32, uint32, int64, uint64, float16,
/// float32, float64, bfloat16, float8e4m3, float8e5m2 [byte].
constexpr std::array<std::uint8_t, 12> kElementBytes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
constexpr std::int64_t kMostNcclBytes = std::int64_t{1} << 53;
/// Nodes without a line: behind all others.
constexpr std::uint64_t kFirstJoin = std::uint64_t{1} << 62;

/// "2, 5 and 3 more".
std::string FirstFew(const std::vector<std::uint32_t>& numbers) {
  constexpr std::size_t kFew = 8;
  const std::size_t shown = std::min(numbers.size(), kFew);
  std::string text = fmt::format(
      "{}", fmt::join(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (numbers.size() > kFew) text += fmt::format(" and {} more", numbers.size() - kFew);
  return text;
}

/// The calls of a stream, launch by launch: which nodes the next one waits for.
class Launches {
 public:
  /// A call of a communicator. Returns whether another launch has begun.
  bool Next(std::uint32_t comm, std::uint64_t op_count) {
    if (!now_.empty() && comm == comm_ && op_count == op_count_) return false;
    comm_ = comm;
    op_count_ = op_count;
    before_ = std::exchange(now_, {});
    return true;
  }
  void Add(std::uint64_t id) { now_.push_back(id); }
  std::vector<std::uint64_t>& before() { return before_; }

 private:
  std::uint32_t comm_ = 0;
  std::uint64_t op_count_ = 0;
  std::vector<std::uint64_t> before_, now_;  ///< ids of nodes
};

}  // namespace

void NcclLogReader::Count(const char* what) {
  Odd& odd = odd_[what];
  if (odd.count++ == 0) odd.first = fmt::format("line {} of {}", line_, file_);
}

std::uint32_t NcclLogReader::GpuOf(std::string_view process, std::uint32_t device) {
  const auto [at, is_new] =
      gpu_of_.try_emplace({std::string(process), device}, static_cast<std::uint32_t>(gpus_.size()));
  if (is_new) {
    if (gpus_.size() >= kMaxNodes)
      throw UserError(fmt::format("{}: more than {} GPUs. Expected: fewer", file_, kMaxNodes));
    gpus_.emplace_back();
    gpus_.back().process = std::string(process);
    gpus_.back().device = device;
    gpus_.back().file = file_;
  }
  return at->second;
}

std::uint32_t NcclLogReader::AddComm(const NcclLine& line, std::uint32_t device) {
  const auto number = static_cast<std::uint32_t>(comms_.size());
  Comm& comm = comms_.emplace_back();
  comm.gpu = GpuOf(line.process, device);
  comm.ranks = line.ranks;
  comm.where = fmt::format("line {} of {}", line_, file_);
  const auto parent = comm_of_.find({std::string(line.process), line.parent});
  if (line.comm_id.empty() && line.has_parent && parent != comm_of_.end()) {
    comm.key =
        fmt::format("{}, split {} color {}", comms_[parent->second].key, line.split, line.color);
    comm.by_order = comms_[parent->second].by_order;
  } else if (line.comm_id.empty()) {
    comm.key = fmt::format("no {} of {} ranks", ++gpus_[comm.gpu].of_size[line.ranks], line.ranks);
    comm.by_order = true;
  } else {
    comm.key = std::string(line.comm_id);
  }
  comm_of_[{std::string(line.process), line.comm}] = number;
  return number;
}

std::uint32_t NcclLogReader::CommOf(const NcclLine& line) {
  const auto at = comm_of_.find({std::string(line.process), line.comm});
  if (at != comm_of_.end() && comms_[at->second].ranks == line.ranks) return at->second;
  return AddComm(line, line.device);
}

void NcclLogReader::Begin(const NcclLine& line) {
  const auto at = comm_of_.find({std::string(line.process), line.comm});
  const bool known = at != comm_of_.end() && comms_[at->second].ranks == line.ranks &&
                     comms_[at->second].rank == line.rank &&
                     (line.comm_id.empty() || comms_[at->second].key == line.comm_id);
  const std::uint32_t number = known ? at->second : AddComm(line, line.device_of);
  comms_[number].rank = line.rank;
}

void NcclLogReader::AddCall(const NcclLine& line) {
  const auto kind = std::find_if(std::begin(kNcclKinds), std::end(kNcclKinds),
                                 [&](const NcclKind& one) { return one.name == line.name; });
  if (kind == std::end(kNcclKinds)) return Count("calls that are not known, and left out");
  const std::uint32_t number = CommOf(line);
  Gpu& gpu = gpus_[comms_[number].gpu];
  if (gpu.file != file_)
    throw UserError(
        fmt::format("{}: line {}: GPU {} of {} has calls in {} too. Expected: all of "
                    "its lines in one log",
                    file_, line_, gpu.device, Printable(gpu.process, 80), gpu.file));
  const std::int64_t parts = kind->per_rank || kind->collective == ChakraCollective::kAllGather
                                 ? std::int64_t{line.ranks}
                                 : 1;
  if (line.datatype >= kElementBytes.size())
    return Count("calls with a type of data that is not known, left out");
  const std::uint8_t element = kElementBytes[line.datatype];
  if (line.count > kMostNcclBytes / parts / element)
    return Count("calls with more than 2^53 bytes, left out");
  if (!line.global_rank.empty()) {
    const std::string text(line.global_rank);
    if (text.size() < 9 && text.find_first_not_of("0123456789") == std::string::npos)
      gpu.global_rank = static_cast<std::uint32_t>(std::stoul(text));
  }
  comms_[number].called = true;
  gpu.calls.push_back({line_, line.op_count, line.stream, line.count, number, line.root,
                       static_cast<std::uint8_t>(kind - std::begin(kNcclKinds)), element});
}

void NcclLogReader::Read(std::string_view text, const std::string& file) {
  file_ = file;
  line_ = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const NcclLine line = ParseNcclLine(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line_;
    const bool counts = line.kind == NcclLine::Kind::kCall || line.kind == NcclLine::Kind::kBegin;
    if (line.kind == NcclLine::Kind::kBroken || (counts && line.ranks > kMaxNodes)) {
      Count("lines that begin as calls and go on otherwise");
    } else if (line.kind == NcclLine::Kind::kCall) {
      AddCall(line);
    } else if (line.kind == NcclLine::Kind::kBegin) {
      Begin(line);
    } else if (line.kind == NcclLine::Kind::kEnd) {
      comm_of_.erase({std::string(line.process), line.comm});
    } else if (line.kind == NcclLine::Kind::kVersion && version_.empty()) {
      version_ = std::string(line.name);
    }
  }
}

void NcclLogReader::FindGroups() {
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> of_key;
  for (std::uint32_t i = 0; i < comms_.size(); ++i) {
    Comm& comm = comms_[i];
    const auto [at, is_new] =
        of_key.try_emplace({comm.key, comm.ranks}, static_cast<std::uint32_t>(groups_.size()));
    if (is_new) groups_.push_back({comm.key, comm.ranks, {}, comm.by_order});
    comm.group = at->second;
    groups_[comm.group].sides.push_back(i);
  }
}

void NcclLogReader::NumberGpus(NcclTrace* to) {
  const auto count = static_cast<std::uint32_t>(gpus_.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;  // rank, GPU
  const auto is_whole = [&] {
    std::vector<bool> seen(count);
    for (const auto& [rank, gpu] : order) {
      if (rank == kNone || seen[gpu]) return false;
      seen[gpu] = true;
    }
    std::sort(order.begin(), order.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    return order.size() == count &&
           std::adjacent_find(order.begin(), order.end(), same) == order.end();
  };
  bool found = false;
  for (const Group& group : groups_) {
    if (found || group.sides.size() != count) continue;
    order.clear();
    for (const std::uint32_t side : group.sides)
      order.emplace_back(comms_[side].rank, comms_[side].gpu);
    found = is_whole();
  }
  if (!found) {
    order.clear();
    for (std::uint32_t gpu = 0; gpu < count; ++gpu) order.emplace_back(gpus_[gpu].global_rank, gpu);
    found = is_whole();
  }
  if (!found) {
    order.clear();
    for (std::uint32_t gpu = 0; gpu < count; ++gpu) order.emplace_back(gpu, gpu);
    if (count > 1)
      to->odd.emplace_back(
          "nothing says which rank each GPU is, so they count in the order of the logs "
          "(NCCL_DEBUG_SUBSYS=INIT,COLL says it)");
  }
  numbers_.assign(count, 0);
  for (std::uint32_t number = 0; number < count; ++number) numbers_[order[number].second] = number;
}

NcclLogReader::Places NcclLogReader::PlacesIn(const Group& group) const {
  Places places;
  for (const std::uint32_t side : group.sides)
    places.emplace_back(comms_[side].rank, numbers_[comms_[side].gpu]);
  std::sort(places.begin(), places.end());
  return places;
}

std::string NcclLogReader::WhyIncomplete(const Group& group, const Places& places) const {
  const auto is_called = [&](std::uint32_t side) { return comms_[side].called; };
  if (std::none_of(group.sides.begin(), group.sides.end(), is_called)) return "";
  const std::string start =
      fmt::format("{}: communicator {} has {} ranks, and ", comms_[group.sides[0]].where,
                  Printable(group.name, 80), group.ranks);
  std::vector<std::uint32_t> numbers, ranks, missing;
  for (const auto& [rank, number] : places) {
    numbers.push_back(number);
    ranks.push_back(rank);
  }
  std::sort(numbers.begin(), numbers.end());
  const bool twice = std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
  if (places.size() > group.ranks || twice)
    return start + fmt::format(
                       "{} of the logs take part; nothing says who belongs together. "
                       "Expected: commId in the logs, which newer versions of NCCL write "
                       "with NCCL_DEBUG_SUBSYS=INIT",
                       places.size());
  if (places.size() == group.ranks) return "";
  constexpr std::size_t kMost = 100;
  for (std::uint32_t rank = 0; rank < group.ranks && missing.size() < kMost; ++rank) {
    if (!std::binary_search(ranks.begin(), ranks.end(), rank)) missing.push_back(rank);
  }
  const bool known = ranks.back() != kNone;
  return start + fmt::format("the logs have {} of them{}. Expected: the logs of all ranks",
                             places.size(), known ? "; missing: " + FirstFew(missing) : "");
}

void NcclLogReader::MakeGroups(NcclTrace* to) {
  std::vector<std::uint32_t> all(gpus_.size());
  std::iota(all.begin(), all.end(), 0);
  to->trace.groups.push_back({"0", all, true});
  bool has_all = false;
  for (const Group& group : groups_) {
    const Places places = PlacesIn(group);
    if (to->why_not.empty()) to->why_not = WhyIncomplete(group, places);
    std::vector<std::uint32_t> members;
    for (const auto& [rank, number] : places) members.push_back(number);
    if (!has_all && members == all) {
      has_all = true;
      group_of_.push_back(0);
    } else {
      group_of_.push_back(static_cast<std::uint32_t>(to->trace.groups.size()));
      to->trace.groups.push_back({group.name, members, true});
    }
    members_.push_back(std::move(members));
  }
}

ChakraNode NcclLogReader::NodeOf(const Call& call, std::uint32_t number) const {
  const NcclKind& kind = kNcclKinds[call.kind];
  const Comm& comm = comms_[call.comm];
  ChakraNode node;
  node.id = call.line;
  node.name = call.kind;
  node.kind = kind.kind;
  node.collective = kind.collective;
  node.type = kind.kind == Kind::kSend ? 5 : kind.kind == Kind::kReceive ? 6 : 7;
  node.bytes = call.count * call.element * (kind.per_rank ? std::int64_t{comm.ranks} : 1);
  const std::vector<std::uint32_t>& members = members_[comm.group];
  if (node.is_collective()) {
    node.group = group_of_[comm.group];
    node.peer = call.root < members.size() ? call.root : 0;
  } else {
    node.peer = call.root < members.size() ? members[call.root] : number;
    node.tag = comm.group;
  }
  return node;
}

ChakraRank NcclLogReader::MakeRank(std::uint32_t number, const Gpu& gpu, ChakraTrace* trace) {
  ChakraRankBuilder builder;
  std::map<std::uint64_t, Launches> streams;
  std::uint64_t joins = kFirstJoin;
  for (const Call& call : gpu.calls) {
    Launches& stream = streams[call.stream];
    if (stream.Next(call.comm, call.op_count) && stream.before().size() > 1) {
      ChakraNode join;
      join.id = joins++;
      join.type = 1;
      join.name = static_cast<std::uint32_t>(std::size(kNcclKinds));
      builder.Add(join);
      for (const std::uint64_t id : stream.before()) builder.WaitFor(id, false);
      stream.before() = {join.id};
    }
    builder.Add(NodeOf(call, number));
    for (const std::uint64_t id : stream.before()) builder.WaitFor(id, false);
    stream.Add(call.line);
  }
  return builder.Take(number, gpu.file, &trace->odd);
}

void NcclLogReader::MakeRanks(NcclTrace* to) {
  std::vector<std::uint32_t> gpu_of_number(gpus_.size());
  for (std::uint32_t gpu = 0; gpu < gpus_.size(); ++gpu) gpu_of_number[numbers_[gpu]] = gpu;
  for (std::uint32_t number = 0; number < gpus_.size(); ++number) {
    Gpu& gpu = gpus_[gpu_of_number[number]];
    to->trace.ranks.push_back(MakeRank(number, gpu, &to->trace));
    std::vector<Call>().swap(gpu.calls);
  }
}

NcclTrace NcclLogReader::Take(const std::string& name) {
  const bool calls =
      std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) { return !gpu.calls.empty(); });
  if (!calls)
    throw UserError(name +
                    ": no call of NCCL. Expected: logs of NCCL_DEBUG=INFO with "
                    "NCCL_DEBUG_SUBSYS=INIT,COLL");
  NcclTrace made;
  made.trace.name = name;
  made.trace.version = version_;
  for (const NcclKind& kind : kNcclKinds) made.trace.names.emplace_back(kind.name);
  made.trace.names.emplace_back("launch");
  for (const auto& [what, odd] : odd_)
    made.odd.push_back(fmt::format("{}: {}; the first is {}", what, odd.count, odd.first));
  FindGroups();
  NumberGpus(&made);
  MakeGroups(&made);
  MakeRanks(&made);
  return made;
}

}  // namespace heddle
