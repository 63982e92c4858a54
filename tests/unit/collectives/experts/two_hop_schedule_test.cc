// SPDX-License-Identifier: GPL-2.0-only
#include "collectives/experts/two_hop_schedule.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "collectives/experts/all_to_all_v_schedule.h"
#include "collectives/experts/pair_tables.h"
#include "tests/unit/collectives/experts/routing.h"
#include "tests/unit/collectives/experts/schedule_walk.h"
#include "tests/unit/collectives/schedule/shapes.h"

namespace heddle {
namespace {

using Routing = ExpertOptions::Routing;
using Form = ExpertOptions::Form;

/// Tokens of a group with an expert a rank, and their tables of 1,000 bytes a row.
struct Routed {
  Routed(const GroupShape& shape, Routing routing, std::int64_t number, std::int64_t top_k,
         std::int64_t row = 1000)
      : tokens(std::make_shared<RoutedTokens>(ByLaw(routing, shape.ranks(), top_k, number),
                                              shape.ranks(), 0)),
        buffer(number * top_k * row) {}
  PairSizes Sizes(Form form, bool returns) const {
    return MakePairSizes(tokens, buffer, form, returns);
  }

  std::shared_ptr<const RoutedTokens> tokens;
  std::int64_t buffer;
};

ChunkOptions InPieces(std::int64_t pieces, std::int64_t in_flight) {
  ChunkOptions options;
  options.expert_chunks = pieces;
  options.chunks_in_flight = in_flight;
  return options;
}

std::vector<GroupShape> Shapes() {
  std::vector<GroupShape> shapes = IrregularShapes();
  shapes.emplace_back(8U, 4U);
  shapes.emplace_back(12U, 4U);
  shapes.emplace_back(4U, 8U);
  shapes.emplace_back(5U, 1U);
  shapes.emplace_back(7U, 3U);
  return shapes;
}

TEST(TwoHopSchedule, SendsEachMessageOnceInAnyOrder) {
  for (const GroupShape& shape : Shapes()) {
    for (const std::int64_t tokens : {1, 3, 40}) {
      const Routed routed(shape, Routing::kZipf, tokens, 2);
      for (const bool returns : {false, true}) {
        const PairSizes sizes = routed.Sizes(Form::kServer, returns);
        for (const std::int64_t pieces : {1, 3, 8}) {
          for (const std::int64_t in_flight : {1, 2}) {
            const TwoHopSchedule schedule(sizes, shape, InPieces(pieces, in_flight));
            ScheduleWalk(schedule, shape, static_cast<std::uint64_t>(tokens + pieces)).Check();
            if (HasFailure()) return;
          }
        }
      }
    }
  }
}

/// Rows of less than a byte for each piece.
TEST(TwoHopSchedule, SendsSmallRows) {
  const GroupShape shape(8, 4);
  for (const bool returns : {false, true}) {
    const Routed routed(shape, Routing::kUniform, 9000, 2, 1);
    const PairSizes sizes = routed.Sizes(Form::kServer, returns);
    const TwoHopSchedule schedule(sizes, shape, InPieces(8, 2));
    ScheduleWalk(schedule, shape, 1).Check();
  }
}

/// Bytes of the ports of each rank.
struct Ports {
  std::vector<std::int64_t> nic_out, nic_in, link_out, link_in;
  explicit Ports(std::uint32_t ranks)
      : nic_out(ranks), nic_in(ranks), link_out(ranks), link_in(ranks) {}

  void Add(const GroupShape& shape, Participant from, Participant to, std::int64_t bytes) {
    const bool inside = shape.server_of(from) == shape.server_of(to);
    (inside ? link_out : nic_out)[from] += bytes;
    (inside ? link_in : nic_in)[to] += bytes;
  }
  friend bool operator==(const Ports& a, const Ports& b) {
    return std::tie(a.nic_out, a.nic_in, a.link_out, a.link_in) ==
           std::tie(b.nic_out, b.nic_in, b.link_out, b.link_in);
  }
  Ports Mirrored() const {
    Ports mirror(*this);
    std::swap(mirror.nic_out, mirror.nic_in);
    std::swap(mirror.link_out, mirror.link_in);
    return mirror;
  }
};

/// By following each token: once to each other server, by the rank of its home's place there, and
/// on to each rank with an expert.
Ports FollowTokens(const Routed& routed, const GroupShape& shape) {
  Ports ports(shape.ranks());
  routed.tokens->ForEach([&](std::uint32_t home, const std::vector<std::uint32_t>& experts) {
    std::set<std::uint32_t> ranks, servers;
    for (const std::uint32_t expert : experts) {
      ranks.insert(routed.tokens->RankOf(expert));
      servers.insert(shape.server_of(routed.tokens->RankOf(expert)));
    }
    for (const std::uint32_t server : servers) {
      const bool own = server == shape.server_of(home);
      const Participant entry = own ? home : shape.local(server, shape.local_of(home));
      if (!own) ports.Add(shape, home, entry, 1000);
      for (const std::uint32_t rank : ranks) {
        if (shape.server_of(rank) == server && rank != entry) ports.Add(shape, entry, rank, 1000);
      }
    }
  });
  return ports;
}

Ports BySchedule(const Schedule& schedule, const GroupShape& shape) {
  Ports ports(shape.ranks());
  schedule.ForEach(
      [&](const GroupFlow& flow) { ports.Add(shape, flow.source, flow.destination, flow.bytes); });
  return ports;
}

TEST(TwoHopSchedule, BytesOfEachLinkAreThoseOfItsTokens) {
  for (const GroupShape& shape : {GroupShape(8, 4), GroupShape(12, 4), GroupShape(16, 2)}) {
    for (const Routing routing : {Routing::kUniform, Routing::kZipf}) {
      const Routed routed(shape, routing, 100, 4);
      const PairSizes out = routed.Sizes(Form::kServer, false);
      const PairSizes back = routed.Sizes(Form::kServer, true);
      const Ports expected = FollowTokens(routed, shape);
      EXPECT_TRUE(BySchedule(TwoHopSchedule(out, shape, InPieces(8, 2)), shape) == expected);
      EXPECT_TRUE(BySchedule(TwoHopSchedule(back, shape, InPieces(8, 2)), shape) ==
                  expected.Mirrored());
    }
  }
}

/// No message is anywhere but on a server's NVLinks, and on NICs of one place.
TEST(TwoHopSchedule, StaysOnRails) {
  const GroupShape shape(32, 8);
  const Routed routed(shape, Routing::kZipf, 50, 8);
  for (const bool returns : {false, true}) {
    const PairSizes sizes = routed.Sizes(Form::kServer, returns);
    TwoHopSchedule(sizes, shape, InPieces(4, 2)).ForEach([&](const GroupFlow& flow) {
      if (shape.server_of(flow.source) != shape.server_of(flow.destination)) {
        EXPECT_EQ(shape.rail(flow.source), shape.rail(flow.destination));
      }
    });
  }
}

/// Two servers of two. Rank 0's token is for experts of ranks 2 and 3: it crosses once, to rank 2,
/// which hands it on.
TEST(TwoHopSchedule, OneTokenByHand) {
  const GroupShape shape(4, 2);
  const auto tokens = std::make_shared<RoutedTokens>(ByTokens(4, {{{2, 3}}}), 4, 0);
  const auto text = [&](bool returns) {
    const PairSizes sizes = MakePairSizes(tokens, 2000, Form::kServer, returns);
    std::string all;
    TwoHopSchedule(sizes, shape, InPieces(8, 2)).ForEach([&](const GroupFlow& flow) {
      all += std::string(ToText(flow.connection)) + " " + std::to_string(flow.source) + " " +
             std::to_string(flow.destination) + " " + std::to_string(flow.bytes) + "; ";
    });
    return all;
  };
  EXPECT_EQ(text(false), "PXN_NET 0 2 1000; PXN_FINAL 2 3 1000; ");
  EXPECT_EQ(text(true), "PXN_NET 2 0 1000; PXN_INIT 3 2 1000; ");
}

/// Mean rows of a token over the NIC and over NVLink, 8 GPUs a server; DeepSeek-V3's sizes.
struct Volumes {
  double nic = 0, nvlink = 0;
};
Volumes VolumesOf(std::uint32_t servers, std::int64_t top_groups) {
  const GroupShape shape(8 * servers, 8);
  ExpertOptions options = ByLaw(Routing::kUniform, 256, 8, 512);
  options.groups = 8;
  options.top_groups = top_groups;
  const auto tokens = std::make_shared<RoutedTokens>(options, shape.ranks(), 0);
  const PairSizes sizes = MakePairSizes(tokens, std::int64_t{512} * 8 * 7392, Form::kServer, false);
  Volumes volumes;
  TwoHopSchedule(sizes, shape, InPieces(8, 2)).ForEach([&](const GroupFlow& flow) {
    const bool inside = shape.server_of(flow.source) == shape.server_of(flow.destination);
    (inside ? volumes.nvlink : volumes.nic) +=
        static_cast<double>(flow.bytes) / (7392.0 * 512 * shape.ranks());
  });
  return volumes;
}

/// NIC: (n - 1) / n of the servers of a token; NVLink: 7/8 of its ranks (docs/models/experts.md).
TEST(TwoHopSchedule, VolumesOfDeepEp) {
  struct Row {
    std::uint32_t servers;
    std::int64_t top_groups;
    double nic, nvlink;
  };
  for (const Row& row : {Row{2, 0, 0.997, 5.708}, Row{4, 0, 2.711, 6.358}, Row{8, 0, 4.633, 6.716},
                         Row{2, 4, 0.983, 5.01}, Row{4, 4, 2.341, 6.00}, Row{8, 4, 3.468, 6.55}}) {
    const Volumes volumes = VolumesOf(row.servers, row.top_groups);
    EXPECT_NEAR(volumes.nic / row.nic, 1, 0.01) << row.servers << " " << row.top_groups;
    EXPECT_NEAR(volumes.nvlink / row.nvlink, 1, 0.01) << row.servers << " " << row.top_groups;
  }
}

TEST(AllToAllVSchedule, SendsWhatPairsHave) {
  const GroupShape shape(3, 8);
  const PairSizes sizes{{5, 0, 7, 1, 2, 3, 0, 0, 4}};
  const AllToAllVSchedule schedule(sizes, shape);
  EXPECT_EQ(schedule.flow_count(), 3U);
  EXPECT_EQ(schedule.CountsOf(2).sends, 0U);
  EXPECT_EQ(schedule.CountsOf(2).receives, 2U);
  std::string all;
  schedule.ForEach([&](const GroupFlow& flow) {
    all += std::to_string(flow.source) + std::to_string(flow.destination) + " at " +
           std::to_string(flow.offset) + " " + std::to_string(flow.bytes) + "; ";
  });
  EXPECT_EQ(all, "02 at 5 7; 10 at 0 1; 12 at 3 3; ");
  ScheduleWalk(schedule, shape, 1).Check();
}

TEST(AllToAllVSchedule, BytesOfEachLinkAreThoseOfChoices) {
  for (const GroupShape& shape : Shapes()) {
    const Routed routed(shape, Routing::kZipf, 60, 3);
    for (const Form form : {Form::kPlain, Form::kRank}) {
      const PairSizes sizes = routed.Sizes(form, false);
      const AllToAllVSchedule schedule(sizes, shape);
      ScheduleWalk(schedule, shape, 1).Check();
      Ports expected(shape.ranks());
      routed.tokens->ForEach([&](std::uint32_t home, const std::vector<std::uint32_t>& experts) {
        for (const std::uint32_t expert : experts) {
          if (expert != home) expected.Add(shape, home, expert, 1000);  // an expert a rank
        }
      });
      EXPECT_TRUE(BySchedule(schedule, shape) == expected);
    }
  }
}

}  // namespace
}  // namespace heddle
