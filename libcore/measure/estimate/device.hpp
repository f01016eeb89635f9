// Device description: the processor that a time is estimated for, as a JSON document.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/json/json.hpp"

namespace ortool {

/// A cache, or the part of it that one core has.
struct CacheLevel {
  std::int64_t bytes = 0;
  double bytes_per_cycle = 0;  ///< read and written by one core
  bool is_shared = false;      ///< by all cores
};

/// A processor with cores of one kind; of big.LITTLE a cluster.
struct Device {
  std::string name;
  int cores = 1;
  double clock_ghz = 0;
  int vector_bits = 0;              ///< of the arithmetic units, not of the registers
  int vector_pipes = 0;             ///< multiply-adds of that width started in one cycle
  double instructions_per_cycle = 0;  ///< of ordinary code, as compilers write it
  std::vector<std::string> isa;     ///< of known_isa()
  std::vector<CacheLevel> caches;   ///< the nearest first
  double memory_gbytes_per_s = 0;   ///< all cores together
  double memory_gbytes_per_s_per_core = 0;

  bool has_isa(std::string_view name) const;
};

/// The instruction sets that an estimate distinguishes.
const std::vector<std::string>& known_isa();

/// Throws ErrorCode::invalid with the key for anything that is missing, unknown or outside of its
/// range.
Device read_device(const Json& document);

}  // namespace ortool
