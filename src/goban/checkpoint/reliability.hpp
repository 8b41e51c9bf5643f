#pragma once
// How likely a run is to lose all of its checkpoints on nodes, and how long protecting them takes.

namespace goban {

/// Nodes that fail independently of each other, all at the same rate, and what they save.
struct NodeFailures {
  double nodes = 1;
  double mtbf = 86400;    ///< seconds between failures of any of the nodes, on average
  double repair = 600;    ///< seconds until what a node had is made again on another
  double run = 86400;     ///< seconds that the run takes
  double bytes = 0;       ///< bytes that a node saves
  double local = 0;       ///< bytes a second that a node writes to its own folder
  double network = 0;     ///< bytes a second between nodes
  double encoding = 7e9;  ///< bytes a second that a thread makes parity of, see docs/durability.md
};

/// The chance that, of `others` nodes, at least `least` fail while one is repaired: a binomial of
/// p = 1 - exp(-repair / (mtbf nodes)).
double chance_of_more(const NodeFailures& failures, int others, int least);

/// The chance to lose what a group of `group` nodes holds that survives the loss of `lost` of them,
/// anywhere and at any time of the run: 1 - exp(-(run / mtbf) q), where q is the chance that
/// at least `lost` of the other group - 1 fail while a first one is repaired. The rate of such
/// losses is that of D. A. Patterson, G. Gibson and R. H. Katz, "A case for redundant arrays of
/// inexpensive disks (RAID)", SIGMOD 1988, section 6, for any number of losses.
double chance_to_lose(const NodeFailures& failures, int group, int lost);
/// The same of copies on the next node: a node has one neighbour with its copy, and is that of
/// another.
double chance_to_lose_copies(const NodeFailures& failures);

/// Seconds in which a node writes its part to its own folder; in which a copy of it is on the next
/// node; and in which `lost` nodes' worth of parity of it is there: each node is sent what its
/// parity is made of, `lost` times its part, and makes and writes it.
double seconds_of_local(const NodeFailures& failures);
double seconds_of_copies(const NodeFailures& failures);
double seconds_of_parity(const NodeFailures& failures, int group, int lost);

}  // namespace goban
