// The machine a measurement was taken on: what makes it the same one, and what disturbs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ortool {

/// What makes times comparable: of another machine they are not.
struct MachineFingerprint {
  std::string cpu;               ///< the model's name
  std::vector<std::string> isa;  ///< instruction sets that matter, sorted
  int processors = 0;            ///< that this process may use
  std::int64_t cache_bytes = 0;  ///< of the last level
  std::int64_t memory_gib = 0;   ///< rounded
  bool is_virtual = false;

  /// 16 digits that differ when anything above does.
  std::string id() const;
};

/// Whether runtimes add pairs of byte products in 16 bits on a processor with these instruction
/// sets, where the sums saturate: x86 without VNNI.
bool adds_bytes_in_pairs(const std::vector<std::string>& isa);

/// Counters and settings of the host at one moment; what it does not tell is -1 or empty.
struct HostState {
  double steal_s = -1;           ///< of all processors, taken by other guests
  double busy_s = -1;            ///< of all processors, doing anything
  double throttled_s = -1;       ///< that the control group's quota held this process back
  double quota_processors = -1;  ///< of the control group; -1: no limit
  double load = -1;              ///< mean number of runnable threads over the last minute
  std::int64_t heat_events =
      -1;                ///< times a processor slowed itself down since the machine started
  std::string governor;  ///< of the first processor's clock
  int processors = 0;    ///< that the machine has
};

/// Both read below `root`, "" for the machine itself; the tests give a folder with files of theirs.
/// `processors` are those this process may use.
MachineFingerprint read_fingerprint(int processors, const std::string& root = {});
HostState read_host_state(const std::string& root = {});

/// What disturbed a measurement of `seconds`, between two states, in sentences; `own_busy_s` is the
/// processor time of this process meanwhile. Empty when nothing did that can be told.
std::vector<std::string> noise_between(const HostState& before, const HostState& after,
                                       double seconds, double own_busy_s);

}  // namespace ortool
