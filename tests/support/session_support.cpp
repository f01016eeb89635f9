// Helpers of session tests: options, sessions of models from text, and tensors.
#include "tests/support/session_support.hpp"

#include <cstring>
#include <random>

#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"

namespace ortool {

SessionOptions cpu_options(ThreadPool* pool, MemoryCap* cap) {
  SessionOptions options;
  options.providers = {make_cpu_provider()};
  options.pool = pool;
  options.cap = cap;
  return options;
}

std::unique_ptr<Session> make_session(std::string_view text, SessionOptions options) {
  return std::make_unique<Session>(parse_model(text), std::move(options));
}

std::unique_ptr<Session> make_session(std::string_view text) {
  return make_session(text, cpu_options());
}

std::vector<float> floats(const RunValue& value) {
  const auto values = value.tensor().data<float>();
  return {values.begin(), values.end()};
}

std::vector<std::int64_t> integers(const RunValue& value) {
  const auto values = value.tensor().data<std::int64_t>();
  return {values.begin(), values.end()};
}

Tensor vector_of(std::initializer_list<float> values) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(values.size())}, values);
}

Tensor integers_of(std::initializer_list<std::int64_t> values) {
  return Tensor::of<std::int64_t>(Shape{static_cast<std::int64_t>(values.size())}, values);
}

Tensor random_tensor(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Tensor tensor(DataType::float32, shape);
  for (float& value : tensor.mutable_data<float>()) value = distribution(random);
  return tensor;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

}  // namespace ortool
