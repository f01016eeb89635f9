// Fuzzer: loads the bytes as a model, runs it with inputs derived from them, and compares runs.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "kernels/cpu/isa/levels.hpp"
#include "libcore/base/error.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/fuzz/made_values.hpp"

namespace {

using namespace ortool;

constexpr std::int64_t max_bytes = std::int64_t{32} << 20;
constexpr double max_seconds = 2;
constexpr int pool_threads = 3;

[[noreturn]] void stop(std::string_view what, std::string_view why) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(why.size()), why.data());
  std::abort();
}

/// A hash of the bytes, which selects options and input values.
std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const std::byte each : bytes)
    hash = (hash ^ static_cast<std::uint64_t>(each)) * 0x100000001b3U;
  return hash;
}

std::unique_ptr<Model> load(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with('<')) return parse_model(text);
  auto model = load_model_from_bytes(bytes, nullptr, "fuzz", "", {});
  resolve_legacy_defaults(*model);
  return model;
}

bool has_same_bits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() == DataType::string) {
    const auto texts = a.strings();
    return std::equal(texts.begin(), texts.end(), b.strings().begin());
  }
  return a.size_bytes() == 0 ||
         std::memcmp(a.bytes(), b.bytes(), static_cast<std::size_t>(a.size_bytes())) == 0;
}

bool has_same_bits(const RunValue& a, const RunValue& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_tensor()) return has_same_bits(a.tensor(), b.tensor());
  if (a.is_map())
    return has_same_bits(a.keys(), b.keys()) && has_same_bits(a.map_values(), b.map_values());
  if (!a.is_sequence()) return true;
  if (a.elements().size() != b.elements().size()) return false;
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    if (!has_same_bits(a.elements()[i], b.elements()[i])) return false;
  }
  return true;
}

/// The outputs, or nothing if the run failed.
std::optional<std::vector<RunValue>> run(const Session& session, const NamedValues& inputs,
                                         const RunOptions& options) {
  try {
    return session.run(inputs, options);
  } catch (const Error& error) {
    if (error.id() == "internal.check") stop("a check failed in a run", error.what());
    return std::nullopt;
  }
}

void run_twice(std::span<const std::byte> bytes, MemoryCap& cap) {
  static ThreadPool pool(pool_threads);
  const std::uint64_t hash = hash_of(bytes);
  static const std::vector<cpu::Isa> isas = cpu::supported_isas();
  const cpu::Isa isa = isas[std::min<std::size_t>(hash >> 8 & 3U, isas.size() - 1)];
  StopToken token;
  const Deadline deadline(token, max_seconds);
  SessionOptions options;
  options.providers = {make_cpu_provider(isa)};
  options.pool = &pool;
  options.cap = &cap;
  options.stop = &token;
  options.optimize = static_cast<OptimizeLevel>(hash >> 16 & 3U);
  options.parallel = (hash >> 24 & 3U) == 0;
  const Session session(load(bytes), options);
  const NamedValues inputs = ortool::test::made_inputs(session, hash);
  const auto alone = run(session, inputs, {.threads = 1, .stop = &token});
  const auto together = run(session, inputs, {.threads = pool_threads, .stop = &token});
  if (!alone || !together || ortool::test::is_random(session.model())) return;
  for (std::size_t i = 0; i < alone->size(); ++i) {
    if (!has_same_bits((*alone)[i], (*together)[i]))
      stop("other bits with other threads", session.outputs()[i]->name());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryCap cap(max_bytes);
  try {
    run_twice(std::as_bytes(std::span(data, size)), cap);
  } catch (const Error& error) {
    if (error.id() == "internal.check") stop("a check failed", error.what());
  }
  if (cap.used_bytes() != 0) stop("bytes stay counted", "what was taken was not given back");
  return 0;
}
