// SPDX-License-Identifier: GPL-2.0-only
#include "core/mpi/rank_watchdog.h"

#include <mpi.h>
#include <ns3/mpi-interface.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <utility>

#include "core/base/check.h"
#include "core/mpi/mpi_check.h"

namespace heddle {
namespace {

constexpr int kAskTag = 1, kHereTag = 2;
/// Time for answers [s]: a waiting rank looks ten times a second, if it gets a core.
constexpr double kGrace = 2;
constexpr double kDeference = 5;  ///< wait while a lower rank holds a roll-call [s]
/// The limit grows with the rank, so that one rank asks and reports for all [s].
constexpr double kStagger = 0.2, kMostStagger = 10;

}  // namespace

/// Questions and answers, on a communicator of their own. Both carry the number of the roll-call,
/// because an answer may arrive after its roll-call ended, and a question may be read late. An
/// answer also says whether its rank works.
class RankWatchdog::Roll {
 public:
  Roll(RankId rank, std::uint32_t ranks, double limit, std::function<void(const RollCall&)> give_up)
      : limit_(limit), rank_(rank.value), answers_(ranks), give_up_(std::move(give_up)) {
    HEDDLE_MPI(MPI_Comm_dup(ns3::MpiInterface::GetCommunicator(), &comm_));
  }
  // The communicator stays until MPI's end, and so do unsent messages: their roll-calls had no
  // effect.
  ~Roll() {
    for (std::unique_ptr<Letter>& letter : under_way_) static_cast<void>(letter.release());
  }

  double LimitOf(WaitKind kind) const {
    return kind == WaitKind::kCollective ? kCollectiveFactor * limit_ : limit_;
  }
  std::uint32_t rank() const { return rank_; }
  double stagger() const { return std::min(kStagger * rank_, kMostStagger); }

  /// Answers all questions; returns the lowest asking rank, or a number above all ranks.
  std::uint32_t AnswerAll(bool works) {
    std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
    Words words;
    for (int from = 0; Take(kAskTag, &from, &words);) {
      Send(from, kHereTag, {words.number, works ? std::uint64_t{1} : 0});
      lowest = std::min(lowest, static_cast<std::uint32_t>(from));
    }
    return lowest;
  }

  void Ask() {
    ++number_;
    std::fill(answers_.begin(), answers_.end(), Answer::kNone);
    answers_[rank_] = Answer::kWaits;
    for (std::uint32_t rank = 0; rank < answers_.size(); ++rank) {
      if (rank != rank_) Send(static_cast<int>(rank), kAskTag, {number_, 0});
    }
  }

  void TakeAnswers() {
    Words words;
    for (int from = 0; Take(kHereTag, &from, &words);) {
      if (words.number == number_)
        answers_[static_cast<std::size_t>(from)] =
            words.works != 0 ? Answer::kWorks : Answer::kWaits;
    }
  }

  std::vector<std::uint32_t> Missing() const { return RanksThat(Answer::kNone); }
  std::vector<std::uint32_t> Working() const { return RanksThat(Answer::kWorks); }

  void GiveUp(const RollCall& call) const { give_up_(call); }

 private:
  enum class Answer : std::uint8_t { kNone, kWaits, kWorks };
  struct Words {
    std::uint64_t number = 0;  ///< of the roll-call
    std::uint64_t works = 0;   ///< of an answer: 1 or 0
  };
  struct Letter {
    Words words;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  std::vector<std::uint32_t> RanksThat(Answer answer) const {
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < answers_.size(); ++rank) {
      if (answers_[rank] == answer) ranks.push_back(rank);
    }
    return ranks;
  }

  bool Take(int tag, int* from, Words* words) {
    int there = 0;
    MPI_Status status;
    HEDDLE_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &there, &status));
    if (there == 0) return false;
    HEDDLE_MPI(MPI_Recv(words, 2, MPI_UINT64_T, status.MPI_SOURCE, tag, comm_, MPI_STATUS_IGNORE));
    *from = status.MPI_SOURCE;
    return true;
  }

  void Send(int to, int tag, const Words& words) {
    for (auto letter = under_way_.begin(); letter != under_way_.end();) {
      int done = 0;
      HEDDLE_MPI(MPI_Test(&(*letter)->request, &done, MPI_STATUS_IGNORE));
      letter = done != 0 ? under_way_.erase(letter) : std::next(letter);
    }
    under_way_.push_back(std::make_unique<Letter>());
    Letter& letter = *under_way_.back();
    letter.words = words;
    HEDDLE_MPI(MPI_Isend(&letter.words, 2, MPI_UINT64_T, to, tag, comm_, &letter.request));
  }

  double limit_;
  std::uint32_t rank_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::uint64_t number_ = 0;
  std::vector<Answer> answers_;
  std::list<std::unique_ptr<Letter>> under_way_;
  std::function<void(const RollCall&)> give_up_;
};

namespace {

/// The active scope, found here by waits deep in the library; set by the scope only, like a signal
/// handler.
RankWatchdog* active = nullptr;

}  // namespace

RankWatchdog::RankWatchdog(RankId rank, std::uint32_t ranks, double limit,
                           std::function<void(const RollCall&)> give_up) {
  HEDDLE_INVARIANT(active == nullptr, "waits are watched already");
  if (ranks > 1 && limit > 0)
    roll_ = std::make_unique<Roll>(rank, ranks, limit, std::move(give_up));
  active = this;
}

RankWatchdog::~RankWatchdog() { active = nullptr; }

void WatchedWait::Look(double now) {
  waited_ += std::min(now - last_, kMostCounted);
  last_ = now;
  next_look_ = now + kLook;
  if (active == nullptr || active->roll_ == nullptr) return;
  RankWatchdog::Roll& roll = *active->roll_;
  if (acts_at_ == 0) acts_at_ = roll.LimitOf(kind_) + roll.stagger();
  // A rank that works has begun its wait at the last look.
  if (roll.AnswerAll(waited_ <= kMostCounted) < roll.rank())
    acts_at_ = std::max(acts_at_, waited_ + kDeference);
  if (asking_) roll.TakeAnswers();
  if (waited_ < acts_at_) return;
  if (!asking_) {
    roll.Ask();
    asking_ = true;
    acts_at_ = waited_ + kGrace;
    return;
  }
  asking_ = false;
  acts_at_ = waited_ + roll.LimitOf(kind_);
  const RollCall call{kind_, waited_, roll.Missing(), roll.Working()};
  // All ranks wait: either the late one has just answered and the wait ends, or a message was lost,
  // and the next roll-call finds the same. Ranks with traffic answer while they work.
  const int most = kind_ == WaitKind::kTraffic ? RankWatchdog::kSlowFactor - 1 : 1;
  if (!call.missing.empty() || ++fruitless_ > most) roll.GiveUp(call);
}

}  // namespace heddle
