// A custom operator of the manual: my.domain.Scale multiplies by the attribute "factor".
#include <ortool/custom_ops.h>

static int infer(ortool_call* call) {
  const ortool_operand* x = call->inputs[0];
  return call->api->set_output(call, 0, x->type, x->rank, x->shape, x->symbols, NULL);
}

struct work {
  const float* x;
  float* y;
  int64_t count;
  float factor;
};

static const int64_t block = 1 << 14;

static void scale(void* context, int64_t task) {
  const struct work* work = context;
  const int64_t end = (task + 1) * block < work->count ? (task + 1) * block : work->count;
  for (int64_t i = task * block; i < end; ++i) work->y[i] = work->x[i] * work->factor;
}

static int run(ortool_call* call) {
  struct work work = {call->inputs[0]->data, call->outputs[0]->data, call->inputs[0]->count, 1};
  call->api->attribute_float(call, "factor", &work.factor);
  return call->api->parallel(call, (work.count + block - 1) / block, scale, &work);
}

const ortool_operators* ortool_get_operators(void) {
  static const int32_t types[] = {1 /* float32 */, 0};
  static const ortool_operator op = {
      .size = sizeof op, .name = "Scale", .domain = "my.domain", .since_version = 1,
      .min_inputs = 1, .max_inputs = 1, .min_outputs = 1, .max_outputs = 1, .types = types,
      .in_place = 1, .infer = infer, .run = run};
  static const ortool_operator* const list[] = {&op};
  static const ortool_operators operators = {ORTOOL_OPERATORS_VERSION, 1, list};
  return &operators;
}
