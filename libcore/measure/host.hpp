// Benchmark host: machine fingerprint, and sources of noise during a measurement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ortool {

/// Identifies a machine: times of different machines are not comparable.
struct MachineFingerprint {
  std::string cpu;               ///< the model's name
  std::vector<std::string> isa;  ///< relevant instruction sets, sorted
  int processors = 0;            ///< that this process may use
  std::int64_t cache_bytes = 0;  ///< of the last level
  std::int64_t memory_gib = 0;   ///< rounded
  bool is_virtual = false;

  /// 16 digits that change when anything above changes.
  std::string id() const;
};

/// Whether runtimes add pairs of int8 products in 16 bits on a processor with these instruction
/// sets, where the sums saturate: x86 without VNNI.
bool adds_bytes_in_pairs(const std::vector<std::string>& isa);

/// Counters and settings of the host at one moment; unavailable ones are -1 or empty.
struct HostState {
  double steal_s = -1;            ///< of all processors, taken by other guests
  double busy_s = -1;             ///< of all processors, in any mode
  double throttled_s = -1;        ///< during which the control group's quota throttled this process
  double quota_processors = -1;   ///< of the control group; -1: no limit
  double load = -1;               ///< mean number of runnable threads over the last minute
  std::int64_t heat_events = -1;  ///< thermal throttling events since boot
  std::string governor;           ///< of the first processor's clock
  int processors = 0;             ///< of the machine
};

/// Both read below `root`, "" for the real machine; tests pass a folder with files of their own.
/// `processors` are those that this process may use.
MachineFingerprint read_fingerprint(int processors, const std::string& root = {});
HostState read_host_state(const std::string& root = {});

/// What disturbed a measurement of `seconds` between two states, in sentences; `own_busy_s` is this
/// process's processor time during it. Empty when no disturbance was detected.
std::vector<std::string> noise_between(const HostState& before, const HostState& after,
                                       double seconds, double own_busy_s);

}  // namespace ortool
