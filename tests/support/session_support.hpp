// Helpers of session tests: models from text, tensors, and running them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// Options with the cpu provider, on the calling thread alone unless a pool is given.
SessionOptions cpu_options(ThreadPool* pool = nullptr, MemoryCap* cap = nullptr);
/// A session of the model in `text`.
std::unique_ptr<Session> make_session(std::string_view text, SessionOptions options);
std::unique_ptr<Session> make_session(std::string_view text);

std::vector<float> floats(const RunValue& value);
std::vector<std::int64_t> integers(const RunValue& value);
Tensor vector_of(std::initializer_list<float> values);
Tensor integers_of(std::initializer_list<std::int64_t> values);
/// Random numbers in [-1, 1).
Tensor random_tensor(const Shape& shape, unsigned seed);
bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace ortool
