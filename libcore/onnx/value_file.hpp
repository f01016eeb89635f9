// Values of a run in .pb files: TensorProto, SequenceProto, MapProto or OptionalProto.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// A file's bytes, with what keeps them and the folder in which external data may lie (empty:
/// none is allowed).
struct ValueFileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  std::string directory;
};

/// Reads the message that belongs to a value of type `type`: a tensor where that is not known. A
/// name inside goes to `name` when not null. Tensors are views of the bytes. Throws
/// ErrorCode::invalid for what is broken or another message.
RunValue read_value(const ValueFileBytes& file, const ValueType& type, std::string* name = nullptr);
/// The same from a file, with its path in front of errors.
RunValue load_value(const std::string& path, const ValueType& type, std::string* name = nullptr);

/// The message for a value of type `type`; an optional is written as such, the rest by what `value`
/// holds.
std::string value_message(const std::string& name, const RunValue& value, const ValueType& type);
/// Writes it to a file, all or nothing, big tensors straight from where they lie.
void save_value(const std::string& path, const std::string& name, const RunValue& value,
                const ValueType& type);

}  // namespace ortool
