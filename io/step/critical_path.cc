// SPDX-License-Identifier: GPL-2.0-only
#include "io/step/critical_path.h"

#include <algorithm>
#include <utility>

namespace heddle {
namespace {

/// Goes back in time; pieces are made in that order.
class Walk {
 public:
  Walk(const StepActivities& activities, const MessageIndex* messages, std::int64_t start)
      : activities_(activities), messages_(messages), start_(start) {}

  std::vector<PathPiece> Back(std::uint32_t gpu, std::int64_t end) {
    gpu_ = gpu;
    now_ = end;
    while (now_ > start_) {
      if (const Activity* ended = std::exchange(ended_, nullptr)) {
        EndCollective(*ended);
      } else {
        ContinueProgram();
      }
    }
    std::reverse(pieces_.begin(), pieces_.end());
    return std::move(pieces_);
  }

 private:
  using Kind = PathPiece::Kind;

  PathPiece* Add(Kind kind, std::int64_t from, std::uint32_t node) {
    from = std::max(from, start_);
    if (from >= now_) return nullptr;
    PathPiece piece;
    piece.kind = kind;
    piece.from_ps = from;
    piece.to_ps = now_;
    piece.node = node;
    pieces_.push_back(piece);
    now_ = from;
    return &pieces_.back();
  }

  /// The program of gpu_ went on at now_.
  void ContinueProgram() {
    const Activity* last = activities_.LastUntil(gpu_, now_);
    if (last == nullptr || last->end_ps <= start_) {
      Add(Kind::kOther, start_, gpu_);
      return;
    }
    Add(Kind::kOther, last->end_ps, gpu_);
    last->computes() ? Compute(*last) : EndCollective(*last);
  }

  void Compute(const Activity& computed) {
    const bool cut = alone_from_ > computed.start_ps && alone_from_ < now_;
    if (PathPiece* piece = Add(Kind::kCompute, cut ? alone_from_ : computed.start_ps, gpu_)) {
      piece->layer = computed.layer;
      piece->phase = computed.phase;
      piece->alone = alone_from_ >= 0 && piece->from_ps >= alone_from_;
    }
    if (!cut) return;
    if (PathPiece* piece = Add(Kind::kCompute, computed.start_ps, gpu_)) {
      piece->layer = computed.layer;
      piece->phase = computed.phase;
    }
    alone_from_ = -1;
  }

  /// A GPU's part in a collective ended at now_.
  void EndCollective(const Activity& part) {
    alone_from_ = -1;
    const auto operation = static_cast<std::uint32_t>(part.operation);
    std::size_t row = MessageIndex::kNone;
    if (messages_ != nullptr) {
      row = messages_->LastReceived(operation, part.gpu, now_);
      const std::size_t sent = messages_->LastSent(operation, part.gpu, now_);
      const bool later =
          row == MessageIndex::kNone ||
          (sent != MessageIndex::kNone && messages_->end_ps(sent) > messages_->end_ps(row));
      if (later) row = sent;
    }
    if (row == MessageIndex::kNone) {
      WithoutMessages(part);
      return;
    }
    if (messages_->end_ps(row) <= part.start_ps) {  // all was there when it came
      AddSoftware(part.start_ps, part.gpu, part.operation);
      return;
    }
    AddSoftware(messages_->end_ps(row), part.gpu, part.operation);
    FollowMessages(row, part);
  }

  void AddSoftware(std::int64_t from, std::uint32_t node, std::int64_t operation) {
    if (PathPiece* piece = Add(Kind::kSoftware, from, node)) piece->operation = operation;
  }

  void FollowMessages(std::size_t row, const Activity& part) {
    while (now_ > start_) {
      const std::uint32_t sender = messages_->source(row);
      if (PathPiece* piece = Add(Kind::kMessage, messages_->start_ps(row), sender)) {
        piece->operation = part.operation;
        piece->row = row;
      }
      const Activity* own = activities_.PartOf(sender, part.operation);
      const std::size_t parent = messages_->ParentOf(row);
      const std::int64_t came = own == nullptr ? -1 : own->start_ps;
      const std::int64_t heard = parent == MessageIndex::kNone ? -1 : messages_->end_ps(parent);
      const std::size_t earlier = messages_->Earlier(row);
      if (HadToLeaveFirst(earlier, std::max(came, heard))) {
        row = earlier;
      } else if (heard >= 0 && heard >= came) {
        AddSoftware(heard, sender, part.operation);
        row = parent;
      } else {
        own == nullptr ? WithoutMessages(part) : Begin(*own);
        return;
      }
    }
  }

  /// Whether the message that began at now_ waited for an earlier one of its connection: it could
  /// have begun at `ready`, and began when the earlier one had left.
  bool HadToLeaveFirst(std::size_t earlier, std::int64_t ready) const {
    if (earlier == MessageIndex::kNone) return false;
    const std::int64_t left = messages_->left_ps(earlier);
    const std::int64_t tolerance = (left - messages_->start_ps(earlier)) / 20;
    return left > ready && now_ >= left - tolerance && now_ - left <= tolerance;
  }

  /// The first message of a GPU began at now_: after the collective before on this communicator, or
  /// when the GPU had come.
  void Begin(const Activity& own) {
    gpu_ = own.gpu;
    if (const Activity* before = activities_.Before(own, own.start_ps, now_)) {
      AddSoftware(before->end_ps, own.gpu, own.operation);
      ended_ = before;
      return;
    }
    AddSoftware(own.start_ps, own.gpu, own.operation);
    Come(own);
  }

  /// A GPU reached a collective at now_. If it was the last of its group, the others waited for it
  /// from the time at which the last of them had come. Pipeline stages always wait for each other.
  void Come(const Activity& own) {
    alone_from_ = -1;
    if (activities_.IsBetweenStages(own)) return;
    const StepActivities::Joins joins = activities_.JoinsOf(own.operation, own.group);
    const bool last = joins.last_gpu == own.gpu && joins.last_ps == now_;
    alone_from_ = last && joins.second_ps >= 0 && joins.second_ps < now_ ? joins.second_ps : -1;
  }

  void WithoutMessages(const Activity& part) {
    const StepActivities::Joins joins = activities_.JoinsOf(part.operation, part.group);
    const std::int64_t begin =
        joins.last_ps >= 0 && joins.last_ps < now_ ? joins.last_ps : part.start_ps;
    if (PathPiece* piece = Add(Kind::kCollective, begin, part.gpu))
      piece->operation = part.operation;
    if (begin != joins.last_ps) return;
    gpu_ = joins.last_gpu;
    if (const Activity* own = activities_.PartOf(gpu_, part.operation)) Come(*own);
  }

  const StepActivities& activities_;
  const MessageIndex* messages_;
  std::int64_t start_, now_ = 0;
  std::int64_t alone_from_ = -1;  ///< since then the others of a group waited for gpu_; -1: no
  std::uint32_t gpu_ = 0;
  const Activity* ended_ = nullptr;  ///< the collective that ended at now_, if that is known
  std::vector<PathPiece> pieces_;
};

}  // namespace

std::vector<PathPiece> FindCriticalPath(const StepActivities& activities,
                                        const MessageIndex* messages, std::uint32_t gpu,
                                        std::int64_t start_ps, std::int64_t end_ps) {
  return Walk(activities, messages, start_ps).Back(gpu, end_ps);
}

}  // namespace heddle
