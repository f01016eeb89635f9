// What a file says of a thing beyond its meaning, kept so that it can be written back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ortool {

/// Key and value strings in file order (metadata_props).
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The fields a message of a file had, a bit a field number: what tells a field that was left out
/// from one that was there and empty. Zero for what came from no file.
struct FieldPresence {
  std::uint32_t bits = 0;

  static constexpr unsigned came_from_file = 31;
  /// The default domain was written as "ai.onnx".
  static constexpr unsigned spelled_out_domain = 30;

  bool has(unsigned bit) const { return (bits >> bit & 1U) != 0; }
  void set(unsigned bit) { bits |= std::uint32_t{1} << bit; }

  bool operator==(const FieldPresence&) const = default;
};

/// What a message held that no member stands for. The bytes lie in the file, which the model keeps.
struct Residue {
  /// A key and value pair that two strings cannot stand for; written as it came while a pair with
  /// this key and value is there.
  struct OddEntry {
    std::string key;
    std::string value;
    std::span<const std::byte> bytes;
  };

  std::vector<std::span<const std::byte>> unknown_fields;  ///< whole fields, tags included
  std::vector<OddEntry> odd_entries;

  bool is_empty() const { return unknown_fields.empty() && odd_entries.empty(); }
};

/// Texts and leftovers that few nodes, values and attributes have.
struct Notes {
  std::string doc_string;
  Metadata metadata;
  Residue residue;

  bool is_empty() const { return doc_string.empty() && metadata.empty() && residue.is_empty(); }
};

}  // namespace ortool
