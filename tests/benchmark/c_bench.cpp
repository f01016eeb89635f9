// Benchmark of the C and C++ interfaces: the time of a run beyond the engine's own, in turns.
//   c_bench MODEL    the model takes one float input of a fixed shape
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "apps/c/ortool/ortool.hpp"
#include "libcore/api/ortool.hpp"
#include "providers/provider_list.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int rounds = 2000;
constexpr int runs_a_round = 50;

template <typename Body>
double microseconds_a_run(Body&& body) {
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < runs_a_round; ++i) body();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / runs_a_round;
}

/// The least of many rounds: what else the machine does only adds time.
struct Least {
  double value = 1e9;
  void take(double time) { value = std::min(value, time); }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  ortool::SessionOptions options;
  options.providers = ortool::default_providers();
  const ortool::Session engine(ortool::load_model(argv[1]), options);
  const ortool::Value& input = *engine.inputs().front();
  std::vector<std::int64_t> shape;
  for (const ortool::Dimension& dimension : *input.type().shape)
    shape.push_back(std::max<std::int64_t>(1, dimension.number()));
  const ortool::Shape sizes(shape);
  alignas(64) static float memory[1 << 16];
  const auto count = static_cast<std::size_t>(sizes.element_count());
  if (count > std::size(memory)) return 2;
  const ortool::NamedValues given = {
      {std::string(input.name()),
       ortool::Tensor::view(ortool::DataType::float32, sizes,
                            std::as_bytes(std::span(memory, count)), nullptr)}};

  ortool_model* model = nullptr;
  ortool_session* session = nullptr;
  ortool_value* value = nullptr;
  if (ortool_model_load(argv[1], &model, nullptr) != ORTOOL_OK ||
      ortool_session_new(model, "{\"threads\": 1}", nullptr, &session, nullptr) != ORTOOL_OK ||
      ortool_tensor_new(ORTOOL_FLOAT32, shape.data(), shape.size(), memory, sizeof memory, &value,
                        nullptr) != ORTOOL_OK)
    return 2;
  Least of_engine;
  Least of_c;
  Least of_bound;
  ortool_value* kept = nullptr;
  alignas(64) static float results[1 << 12];
  const std::int64_t result_shape[] = {std::size(results)};
  if (ortool_tensor_new(ORTOOL_FLOAT32, result_shape, 1, results, sizeof results, &kept, nullptr) !=
      ORTOOL_OK)
    return 2;
  Least of_cpp;
  const ortool::abi::Session handles(ortool::abi::Model::load(argv[1]), R"({"threads": 1})");
  std::vector<ortool::abi::Value> inputs;
  inputs.push_back(ortool::abi::Value::view(ORTOOL_FLOAT32, shape, memory, sizeof memory));
  for (int round = 0; round < rounds; ++round) {
    of_engine.take(microseconds_a_run([&] { static_cast<void>(engine.run(given, {})); }));
    of_c.take(microseconds_a_run([&] {
      ortool_value* output = nullptr;
      ortool_run(session, nullptr, &value, 1, nullptr, &output, 1, nullptr, nullptr);
      ortool_value_free(output);
    }));
    of_cpp.take(microseconds_a_run([&] { static_cast<void>(handles.run(inputs)); }));
    of_bound.take(microseconds_a_run(
        [&] { ortool_run(session, nullptr, &value, 1, nullptr, &kept, 1, nullptr, nullptr); }));
  }
  std::printf("engine               %8.3f us\n", of_engine.value);
  std::printf("C                    %8.3f us, %+.3f us\n", of_c.value,
              of_c.value - of_engine.value);
  std::printf("C, own output memory %8.3f us, %+.3f us\n", of_bound.value,
              of_bound.value - of_engine.value);
  std::printf("C++ handles          %8.3f us, %+.3f us\n", of_cpp.value,
              of_cpp.value - of_engine.value);
  ortool_value_free(kept);
  ortool_value_free(value);
  ortool_session_free(session);
  ortool_model_free(model);
}
