#pragma once
// How often to save.

namespace goban {

/// Seconds between checkpoints of this cost that lose least time where failures are this far apart
/// on average: sqrt(2 cost mtbf) (Young 1974).
double young_interval(double cost, double mtbf);

/// The same to a higher order: sqrt(2 c m) (1 + sqrt(c / 2m) / 3 + c / 18m) - c for c < 2m, else m
/// (Daly 2006, equation 37).
double daly_interval(double cost, double mtbf);

/// The share of the time that saving and computing again then take, about: c / t + t / 2m.
double expected_waste(double cost, double interval, double mtbf);

}  // namespace goban
