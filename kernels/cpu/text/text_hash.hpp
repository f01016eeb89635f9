// Hashes of texts that other programs compute alike: TensorFlow's Hash64 and FarmHash's
// Fingerprint64.
#pragma once

#include <cstdint>
#include <string_view>

namespace ortool::cpu {

/// MurmurHash64A with TensorFlow's seed.
std::uint64_t murmur_hash64(std::string_view text);

/// The same on every machine, and in every version of FarmHash.
std::uint64_t farm_fingerprint64(std::string_view text);

}  // namespace ortool::cpu
