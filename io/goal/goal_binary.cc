// SPDX-License-Identifier: GPL-2.0-only
#include "io/goal/goal_binary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/check.h"
#include "core/goal/goal_rank_builder.h"
#include "io/goal/goal_layout.h"
#include "io/goal/goal_limits.h"

namespace heddle {
namespace {

using namespace goal_layout;

constexpr std::uint64_t kConsumed = 2342;

/// Where the parts of an operation are, from its first byte on.
enum Field : std::uint64_t {
  kWaits = 0,
  kType = 4,
  kPeer = 5,
  kSize = 9,
  kTag = 17,
  kCpu = 21,
  kNic = 22,
  kDone = 23,
  kFirstDone = 27,
  kStarted = 31,
  kFirstStarted = 35
};

class GoalBinaryReader {
 public:
  explicit GoalBinaryReader(GoalBytes* bytes) : bytes_(*bytes) {}

  GoalSchedule Read(std::uint64_t window) {
    Load(0, std::min(bytes_.size(), kTable));
    CheckMagic();
    if (bytes_.size() < kTable) Fail(0, "a head that is not complete", "14 bytes");
    const std::uint64_t ranks = Get<std::uint32_t>(8);
    const std::uint64_t most = (bytes_.size() - kTable) / kTableRow;
    if (ranks == 0 || ranks > most || ranks > kMaxGoalRanks)
      Fail(8, fmt::format("{} ranks in a file of {} bytes", ranks, bytes_.size()),
           fmt::format("1 to {}", std::min<std::uint64_t>(most, kMaxGoalRanks)));
    GoalSchedule schedule;
    schedule.file = bytes_.name();
    schedule.is_text = false;
    schedule.window = window;
    ranks_ = static_cast<std::uint32_t>(ranks);
    schedule.ranks.resize(ranks_);
    for (rank_ = 0; rank_ < ranks_; ++rank_) schedule.Put(rank_, ReadRank());
    return schedule;
  }

 private:
  /// Makes bytes of the file those that Get() has.
  void Load(std::uint64_t from, std::uint64_t size) {
    loaded_ = bytes_.Read(from, static_cast<std::size_t>(size));
    loaded_from_ = from;
  }

  void CheckMagic() const {
    const std::uint64_t magic = bytes_.size() < 8 ? 0 : Get<std::uint64_t>(0);
    if (magic == kConsumed)
      Fail(0, "2342: a run of LogGOPSim with --save-mem has consumed the file",
           "4223, or the text from which txt2bin made it");
    if (magic != kMagic) Fail(0, fmt::format("{}", magic), "4223");
  }

  GoalRank ReadRank() {
    const std::uint64_t row = kTable + kTableRow * rank_;
    Load(row, kTableRow);
    const std::uint64_t start = Get<std::uint64_t>(row), end = Get<std::uint64_t>(row + 8);
    const std::uint64_t most = bytes_.size() - kOrigin;
    if (start > end || end > most || end - start < kRankHead ||
        start + kOrigin < kTable + kTableRow * ranks_)
      Fail(row, fmt::format("rank {} from {} to {}, counted from byte 8", rank_, start, end),
           fmt::format("8 bytes or more within {} and {}", kTable + kTableRow * ranks_ - kOrigin,
                       most));
    total_ += end - start;
    if (total_ > most)
      Fail(row, fmt::format("rank {} shares its bytes with other ranks", rank_),
           "bytes of its own");
    begin_ = start + kOrigin;
    Load(begin_, end - start);
    const std::uint64_t length = end - start - kRankHead;
    const std::uint64_t nodes = Get<std::uint32_t>(begin_);
    const std::uint64_t roots = Get<std::uint32_t>(begin_ + 4);
    if (roots > nodes || nodes > length / kNode || roots * kIndex > length - nodes * kNode)
      Fail(begin_, fmt::format("{} operations and {} roots in {} bytes", nodes, roots, length),
           "as many as fit, 39 bytes and 4 bytes each");
    nodes_ = nodes;
    first_node_ = begin_ + kRankHead + roots * kIndex;
    appendix_ = first_node_ + nodes * kNode;
    links_ = (length - roots * kIndex - nodes * kNode) / kIndex;
    used_ = 0;
    for (std::uint64_t i = 0; i < nodes; ++i) builder_.Add(ReadOperation(first_node_ + i * kNode));
    for (std::uint64_t i = 0; i < nodes; ++i) ReadFollowers(i);
    GoalRank rank = builder_.Take();
    CheckWaits(rank, roots);
    return rank;
  }

  GoalOperation ReadOperation(std::uint64_t at) const {
    GoalOperation operation;
    const auto type = Get<std::uint8_t>(at + kType);
    if (type < kSend || type > kCalc)
      Fail(at + kType, fmt::format("type {}", type), "1 (send), 2 (recv) or 3 (calc)");
    const auto size = Get<std::uint64_t>(at + kSize);
    const std::int64_t most = type == kCalc ? kMaxGoalCalc : kMaxGoalBytes;
    if (size > static_cast<std::uint64_t>(most))
      Fail(at + kSize, fmt::format("{} {}", size, type == kCalc ? "ns" : "bytes"),
           fmt::format("at most {}", most));
    operation.amount = static_cast<std::int64_t>(size);
    operation.cpu = Get<std::uint8_t>(at + kCpu);
    if (type == kCalc) return operation;
    operation.kind = type == kSend ? GoalOperation::Kind::kSend : GoalOperation::Kind::kReceive;
    operation.nic = Get<std::uint8_t>(at + kNic);
    operation.peer = Get<std::uint32_t>(at + kPeer);
    operation.tag = Get<std::uint32_t>(at + kTag);
    const bool any = operation.is_receive() && operation.peer == GoalOperation::kAny;
    if (operation.peer >= ranks_ && !any)
      Fail(at + kPeer, fmt::format("rank {}", operation.peer), fmt::format("0 to {}", ranks_ - 1));
    if (operation.is_send() && operation.tag == GoalOperation::kAny)
      Fail(at + kTag, "a send with all tags", "a tag");
    return operation;
  }

  void ReadFollowers(std::uint64_t node) {
    const std::uint64_t at = first_node_ + node * kNode;
    for (const bool start : {false, true}) {
      const std::uint64_t count = Get<std::uint32_t>(at + (start ? kStarted : kDone));
      const std::uint64_t first = Get<std::uint32_t>(at + (start ? kFirstStarted : kFirstDone));
      if (count > links_ || (count > 0 && first > links_ - count) ||
          used_ + count > links_)  // dependents of two operations do not share a place
        Fail(at + (start ? kStarted : kDone), fmt::format("{} dependents from {} on", count, first),
             fmt::format("a part of the {} that the rank has", links_));
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t link = appendix_ + (first + k) * kIndex;
        const auto later = Get<std::uint32_t>(link);
        if (later >= nodes_)
          Fail(link, fmt::format("operation {}", later), fmt::format("below {}", nodes_));
        builder_.Follow(later, static_cast<std::uint32_t>(node), start);
      }
      used_ += count;
    }
  }

  void CheckWaits(const GoalRank& rank, std::uint64_t roots) const {
    std::uint64_t free = 0;
    for (std::uint64_t i = 0; i < nodes_; ++i) {
      const std::uint64_t at = first_node_ + i * kNode;
      const auto waits = Get<std::uint32_t>(at + kWaits);
      if (waits != rank.operations[i].waits)
        Fail(at + kWaits,
             fmt::format("an operation that waits for {}, and {} release it", waits,
                         rank.operations[i].waits),
             "the same number");
      free += waits == 0 ? 1 : 0;
    }
    for (std::uint64_t i = 0; i < roots; ++i) {
      const std::uint64_t at = begin_ + kRankHead + i * kIndex;
      const auto root = Get<std::uint32_t>(at);
      if (root >= nodes_ || rank.operations[root].waits > 0)
        Fail(at, fmt::format("root {}", root), "an operation that waits for nothing");
    }
    const std::vector<std::uint32_t> cycle = FindCycle(rank);
    if (!cycle.empty())
      Fail(first_node_ + cycle[0] * kNode,
           fmt::format("rank {}: operation {} is one of {} that wait for each other in a ring",
                       rank_, cycle[0], cycle.size()),
           "dependencies without a cycle");
    if (free != roots)
      Fail(begin_ + 4, fmt::format("{} roots, and {} operations wait for nothing", roots, free),
           "the same number");
  }

  template <class Number>
  Number Get(std::uint64_t at) const {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the file is little endian");
    HEDDLE_ASSERT(at >= loaded_from_ && at - loaded_from_ + sizeof(Number) <= loaded_.size());
    Number number;
    std::memcpy(&number, loaded_.data() + (at - loaded_from_), sizeof number);
    return number;
  }

  [[noreturn]] void Fail(std::uint64_t at, const std::string& found,
                         const std::string& expected) const {
    throw UserError(
        fmt::format("{}: byte {}: {}. Expected: {}", bytes_.name(), at, found, expected));
  }

  GoalBytes& bytes_;
  std::string_view loaded_;        ///< the head, a row of the table, or the rank that is read
  std::uint64_t loaded_from_ = 0;  ///< place of its first byte
  std::uint32_t ranks_ = 0, rank_ = 0;
  // For the rank that is read: bytes where its parts begin, and how many there are.
  std::uint64_t begin_ = 0, first_node_ = 0, appendix_ = 0, nodes_ = 0, links_ = 0;
  std::uint64_t total_ = 0;  ///< bytes of the ranks so far
  std::uint64_t used_ = 0;   ///< dependents that were read
  GoalRankBuilder builder_;
};

}  // namespace

bool IsGoalBinary(std::string_view bytes) {
  if (bytes.size() < sizeof(std::uint64_t)) return false;
  std::uint64_t magic = 0;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == kMagic || magic == kConsumed;
}

GoalSchedule ParseGoalBinary(GoalBytes* bytes, std::uint64_t window) {
  return GoalBinaryReader(bytes).Read(window);
}

GoalSchedule ParseGoalBinary(std::string_view bytes, const std::string& name) {
  GoalBytes all(bytes, name);
  return ParseGoalBinary(&all, 0);
}

}  // namespace heddle
