// SPDX-License-Identifier: GPL-2.0-only
/// Estimates the size of a result from its expected numbers of rows, to plan disk space.
#pragma once

namespace heddle {

/// Numbers of rows of the tables that grow with the run, as far as they are known before it.
struct ResultRows {
  double flows = 0;
  double labelled_flows = 0;  ///< flows of workloads among them, which have columns for their
                              ///< collective and compress better
  double decisions = 0;       ///< of the central controller, each with its path
  double steps = 0;           ///< of GPUs' time lines
  double layers = 0;          ///< one for each layer and GPU
  double links = 0;           ///< of the topology; each end has a row of /ports
  double collectives = 0;     ///< of groups
};

/// Sizes [byte].
struct ResultSize {
  double result = 0;  ///< the finished file
  double beside = 0;  ///< row logs beside it during the run
};

/// Typical of runs with diverse flows; the result of a highly symmetric run is smaller.
ResultSize EstimateResultSize(const ResultRows& rows);

/// Upper bound of the row logs that monitors of queues and links write for each simulated second
/// [byte]. `queues`, `ports`: number sampled; intervals in seconds, 0: not sampled.
double MostMonitorBytes(double queues, double queue_interval, double ports, double link_interval);

}  // namespace heddle
