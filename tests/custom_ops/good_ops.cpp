// A library of custom operators for tests: types, variadic and optional inputs, strings, shapes
// that depend on data, states, versions, and operators that fail.
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <vector>

#include "providers/cpu/custom/ortool/custom_ops.h"

namespace {

constexpr std::int32_t float32 = 1;
constexpr std::int32_t int64 = 7;
constexpr std::int32_t string = 8;

constexpr std::int32_t floats[] = {float32, 0};
constexpr std::int32_t numbers[] = {float32, int64, 0};
constexpr std::int32_t strings[] = {string, 0};

const ortool_operand& in(const ortool_call* call, std::size_t index = 0) {
  return *call->inputs[index];
}

template <typename T>
T* data(const ortool_operand& operand) {
  return static_cast<T*>(operand.data);
}

int like_input(ortool_call* call) {
  const ortool_operand& x = in(call);
  return call->api->set_output(call, 0, x.type, x.rank, x.shape, x.symbols, nullptr);
}

template <typename T>
void add(const ortool_call* call, T amount) {
  const ortool_operand& x = in(call);
  for (std::int64_t i = 0; i < x.count; ++i) data<T>(*call->outputs[0])[i] = data<T>(x)[i] + amount;
}

/// x + amount, of floats or integers.
int run_offset(ortool_call* call) {
  std::int64_t amount = 1;
  call->api->attribute_int(call, "amount", &amount);
  if (in(call).type == float32) {
    add(call, static_cast<float>(amount));
  } else {
    add(call, amount);
  }
  return 0;
}

template <int Amount>
int run_plus(ortool_call* call) {
  add(call, static_cast<float>(Amount));
  return 0;
}

/// The sum of all inputs that are given.
int run_sum(ortool_call* call) {
  float* y = data<float>(*call->outputs[0]);
  std::vector<float> sums(static_cast<std::size_t>(in(call).count));
  for (std::size_t k = 0; k < call->input_count; ++k) {
    if (in(call, k).type == 0) continue;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += data<float>(in(call, k))[i];
  }
  std::memcpy(y, sums.data(), sums.size() * sizeof(float));
  return 0;
}

/// The input with an exclamation mark behind each text.
int run_shout(ortool_call* call) {
  const ortool_operand& x = in(call);
  if (int status = call->api->set_output(call, 0, string, x.rank, x.shape, nullptr, nullptr))
    return status;
  for (std::int64_t i = 0; i < x.count; ++i) {
    std::size_t length = 0;
    const char* text = call->api->input_string(call, 0, i, &length);
    const std::string loud = std::string(text, length) + "!";
    if (int status = call->api->set_string(call, 0, i, loud.data(), loud.size())) return status;
  }
  return 0;
}

int infer_positive(ortool_call* call) {
  const std::int64_t unknown = -1;
  return call->api->set_output(call, 0, in(call).type, 1, &unknown, nullptr, nullptr);
}

/// The elements above 0: their number depends on the data.
int run_positive(ortool_call* call) {
  const ortool_operand& x = in(call);
  std::vector<float> kept;
  for (std::int64_t i = 0; i < x.count; ++i) {
    if (data<float>(x)[i] > 0) kept.push_back(data<float>(x)[i]);
  }
  const auto count = static_cast<std::int64_t>(kept.size());
  void* y = nullptr;
  if (int status = call->api->set_output(call, 0, float32, 1, &count, nullptr, &y)) return status;
  if (!kept.empty()) std::memcpy(y, kept.data(), kept.size() * sizeof(float));
  return 0;
}

/// [n] to [2*n].
int infer_twice(ortool_call* call) {
  const ortool_operand& x = in(call);
  if (x.rank != 1) return call->api->fail(call, "Twice takes one axis");
  const std::int64_t size = x.shape[0] < 0 ? -1 : 2 * x.shape[0];
  const std::string formula = std::string("2*(") + x.symbols[0] + ")";
  const char* symbol = formula.c_str();
  return call->api->set_output(call, 0, x.type, 1, &size, &symbol, nullptr);
}

int run_twice(ortool_call* call) {
  const std::size_t bytes = static_cast<std::size_t>(in(call).count) * sizeof(float);
  float* y = data<float>(*call->outputs[0]);
  std::memcpy(y, in(call).data, bytes);
  std::memcpy(y + in(call).count, in(call).data, bytes);
  return 0;
}

/// As many ones as the second input, an integer, says.
int infer_ones(ortool_call* call) {
  const auto* count = static_cast<const std::int64_t*>(call->api->input_value(call, 0));
  return call->api->set_output(call, 0, float32, count != nullptr ? 1 : -1, count, nullptr,
                               nullptr);
}

int run_ones(ortool_call* call) {
  for (std::int64_t i = 0; i < call->outputs[0]->count; ++i) data<float>(*call->outputs[0])[i] = 1;
  return 0;
}

/// x times its number of elements, which prepare() counts; memory must be aligned to 64 bytes.
int prepare_counted(ortool_call* call) {
  call->state = new float(static_cast<float>(in(call).count));
  return 0;
}

int run_counted(ortool_call* call) {
  if (reinterpret_cast<std::uintptr_t>(in(call).data) % 64 != 0)
    return call->api->fail(call, "the input is not aligned");
  const float factor = *static_cast<const float*>(call->state);
  for (std::int64_t i = 0; i < in(call).count; ++i)
    data<float>(*call->outputs[0])[i] = data<float>(in(call))[i] * factor;
  return 0;
}

void release_counted(void* state) {
  delete static_cast<float*>(state);
}

struct Doubling {
  const float* x;
  float* y;
};

void double_one(void* context, std::int64_t task) {
  const auto* work = static_cast<const Doubling*>(context);
  work->y[task] = 2 * work->x[task];
}

/// x * 2 on the threads of the session.
int run_doubled(ortool_call* call) {
  Doubling work = {data<float>(in(call)), data<float>(*call->outputs[0])};
  return call->api->parallel(call, in(call).count, double_one, &work);
}

int run_failing(ortool_call* call) {
  return call->api->fail(call, "the moon is full");
}

int run_throwing(ortool_call*) {
  throw std::runtime_error("out of cheese");
}

int run_silent(ortool_call*) {
  return 42;
}

int infer_three(ortool_call* call) {
  const std::int64_t size = 3;
  return call->api->set_output(call, 0, float32, 1, &size, nullptr, nullptr);
}

int run_four(ortool_call* call) {
  const std::int64_t size = 4;
  void* y = nullptr;
  return call->api->set_output(call, 0, float32, 1, &size, nullptr, &y);
}

int infer_nothing(ortool_call*) {
  return 0;
}

ortool_operator define(const char* name, const std::int32_t* types, int (*infer)(ortool_call*),
                       int (*run)(ortool_call*)) {
  ortool_operator op = {};
  op.size = sizeof op;
  op.name = name;
  op.domain = "test.ops";
  op.since_version = 1;
  op.min_inputs = op.max_inputs = op.min_outputs = op.max_outputs = 1;
  op.types = types;
  op.infer = infer;
  op.run = run;
  return op;
}

std::vector<ortool_operator> make_operators() {
  std::vector<ortool_operator> ops;
  const auto add = [&](const char* name, const std::int32_t* types, int (*infer)(ortool_call*),
                       int (*run)(ortool_call*)) -> ortool_operator& {
    return ops.emplace_back(define(name, types, infer, run));
  };
  add("Offset", numbers, like_input, run_offset).in_place = 1;
  ortool_operator& sum = add("SumAll", floats, like_input, run_sum);
  sum.max_inputs = -1;
  add("Shout", strings, like_input, run_shout);
  add("Positive", floats, infer_positive, run_positive).has_dynamic_shapes = 1;
  add("Twice", floats, infer_twice, run_twice);
  add("Ones", nullptr, infer_ones, run_ones);
  ortool_operator& counted = add("Counted", floats, like_input, run_counted);
  counted.prepare = prepare_counted;
  counted.release = release_counted;
  counted.alignment = 64;
  add("Doubled", floats, like_input, run_doubled);
  add("Plus", floats, like_input, run_plus<1>);
  add("Plus", floats, like_input, run_plus<3>).since_version = 3;
  add("Later", floats, like_input, run_plus<1>).since_version = 2;
  add("Failing", nullptr, like_input, run_failing);
  add("Throwing", nullptr, like_input, run_throwing);
  add("Silent", nullptr, like_input, run_silent);
  add("WrongShape", nullptr, infer_three, run_four).has_dynamic_shapes = 1;
  add("Unset", nullptr, infer_nothing, run_silent);
  return ops;
}

}  // namespace

const ortool_operators* ortool_get_operators() {
  static const std::vector<ortool_operator> ops = make_operators();
  static const std::vector<const ortool_operator*> list = [] {
    std::vector<const ortool_operator*> pointers;
    for (const ortool_operator& op : ops) pointers.push_back(&op);
    return pointers;
  }();
  static const ortool_operators operators = {ORTOOL_OPERATORS_VERSION,
                                             static_cast<std::uint32_t>(list.size()), list.data()};
  return &operators;
}
