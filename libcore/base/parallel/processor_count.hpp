// Processor count: how many threads this process gets by default, and why.
#pragma once

#include <string>
#include <vector>

namespace ortool {

struct ProcessorCount {
  int threads = 1;
  int machine = 1;   ///< processors that are online
  int affinity = 1;  ///< those of them that this process may run on
  /// Of those: the ones with at least half of the capacity of the fastest. Work is cut into equal
  /// tasks, so a slow core would make the others wait for its last one.
  int fast = 1;
  int quota = 0;  ///< of the control group, in processors; 0: none

  /// "4 of 8 processors: the others have less than half of the capacity of the fastest".
  std::string explanation() const;
};

/// Reads Linux's /sys below `root`, "" for the real machine; tests pass a folder of their own.
/// `allowed`: the numbers of the processors that this process may run on.
ProcessorCount count_processors(const std::vector<int>& allowed, const std::string& root);

/// Of the machine, for the affinity of the calling thread.
ProcessorCount count_processors();

}  // namespace ortool
