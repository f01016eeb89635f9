// Skeleton of a provider module: computes Add and Tanh of float32 on the threads of the session.
//
// A vendor's module replaces open() by opening its library and device, compile() by handing
// api->model_bytes() to its compiler, and run() by calling it.
#include <math.h>
#include <ortool/provider_module.h>
#include <stdlib.h>
#include <string.h>

enum { float32 = 1, task_elements = 16384, most_nodes = 64 };

/// A node with its operands: the inputs of the graph come first, then the results of its nodes.
typedef struct step {
  int is_add;
  size_t inputs[2];
  const float* constants[2];  ///< instead of an operand; NULL: none
  float* kept[2];             ///< copies of constants, which end with compile()
} step;

typedef struct kernel {
  size_t input_count, step_count, output_count;
  step steps[most_nodes];
  size_t outputs[most_nodes];
  int64_t count;  ///< of elements, the same everywhere
  int32_t rank;
  int64_t shape[64];
} kernel;

typedef struct work {
  const step* node;
  const float *a, *b;
  float* y;
  int64_t count;
} work;

static int open_skeleton(ortool_provider_call* call, const ortool_provider_setting* settings,
                         size_t count, void** state, const char** description) {
  if (count > 0 && strcmp(settings[0].key, "fail") == 0)
    return call->api->fail(call, ORTOOL_PROVIDER_UNAVAILABLE,
                           "libvendor.so 1.2 is too old; wanted is 2.0 or later");
  if (count > 0) return call->api->fail(call, ORTOOL_PROVIDER_INVALID, "it has no such option");
  *state = NULL;
  *description = "1.0";
  return 0;
}

static void close_skeleton(void* state) { (void)state; }

/// Whether both have one shape, or one whose dimensions are not known yet.
static int is_alike(const ortool_provider_value* a, const ortool_provider_value* b) {
  if (a->type != float32 || a->rank != b->rank || a->rank < 0) return 0;
  return a->rank == 0 || memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0;
}

static int claim(ortool_provider_call* call, void* state, const ortool_provider_graph* graph) {
  (void)state;
  for (size_t i = 0; i < graph->node_count; ++i) {
    const ortool_provider_node* node = graph->nodes[i];
    const int is_known = strcmp(node->op_type, "Add") == 0 || strcmp(node->op_type, "Tanh") == 0;
    if (*node->domain != '\0' || !is_known) {
      call->api->refuse(call, i, "the skeleton computes Add and Tanh");
      continue;
    }
    for (size_t k = 0; k < node->input_count; ++k) {
      if (!is_alike(node->inputs[k], node->outputs[0]) || node->outputs[0]->count < 0)
        call->api->refuse(call, i, "the skeleton computes float32 of one known shape");
    }
  }
  return 0;
}

static void release(void* given) {
  kernel* made = given;
  for (size_t i = 0; made != NULL && i < made->step_count; ++i) {
    for (size_t k = 0; k < 2; ++k) free(made->steps[i].kept[k]);
  }
  free(made);
}

/// The place of a value: graph inputs first, then one result a node.
static size_t find_value(const ortool_provider_graph* graph, const ortool_provider_value* value) {
  for (size_t i = 0; i < graph->input_count; ++i) {
    if (graph->inputs[i] == value) return i;
  }
  for (size_t i = 0; i < graph->node_count; ++i) {
    if (graph->nodes[i]->outputs[0] == value) return graph->input_count + i;
  }
  return 0;
}

static int compile(ortool_provider_call* call, void* state, const ortool_provider_graph* graph,
                   void** result) {
  (void)state;
  if (graph->node_count > most_nodes)
    return call->api->fail(call, ORTOOL_PROVIDER_UNSUPPORTED, "the graph has too many nodes");
  kernel* made = calloc(1, sizeof *made);
  if (made == NULL) return call->api->fail(call, ORTOOL_PROVIDER_MEMORY, "out of memory");
  const ortool_provider_value* like = graph->outputs[0];
  made->input_count = graph->input_count;
  made->step_count = graph->node_count;
  made->output_count = graph->output_count;
  made->count = like->count;
  made->rank = like->rank;
  if (like->rank > 0) memcpy(made->shape, like->shape, (size_t)like->rank * sizeof *like->shape);
  for (size_t i = 0; i < graph->node_count; ++i) {
    const ortool_provider_node* node = graph->nodes[i];
    step* to = &made->steps[i];
    to->is_add = strcmp(node->op_type, "Add") == 0;
    for (size_t k = 0; k < node->input_count; ++k) {
      const ortool_provider_value* input = node->inputs[k];
      to->inputs[k] = find_value(graph, input);
      if (!input->is_constant) continue;
      const size_t bytes = (size_t)input->count * sizeof(float);
      to->constants[k] = to->kept[k] = malloc(bytes + 1);
      if (to->kept[k] != NULL) memcpy(to->kept[k], input->data, bytes);
    }
  }
  for (size_t i = 0; i < graph->output_count; ++i)
    made->outputs[i] = find_value(graph, graph->outputs[i]);
  *result = made;
  return 0;
}

static void compute(void* context, int64_t task) {
  const work* todo = context;
  const int64_t begin = task * task_elements;
  const int64_t end = begin + task_elements < todo->count ? begin + task_elements : todo->count;
  for (int64_t i = begin; i < end; ++i)
    todo->y[i] = todo->node->is_add ? todo->a[i] + todo->b[i] : tanhf(todo->a[i]);
}

static int run(ortool_provider_call* call, void* given, const ortool_provider_tensor* const* inputs,
               size_t input_count, size_t output_count) {
  const kernel* todo = given;
  const float* values[2 * most_nodes + 64] = {NULL};
  float* made[most_nodes] = {NULL};
  int status = 0;
  for (size_t i = 0; i < input_count; ++i) values[i] = inputs[i]->data;
  for (size_t i = 0; status == 0 && i < todo->step_count; ++i) {
    const step* node = &todo->steps[i];
    const float* a = node->constants[0] ? node->constants[0] : values[node->inputs[0]];
    const float* b = node->constants[1] ? node->constants[1] : values[node->inputs[1]];
    made[i] = malloc((size_t)todo->count * sizeof(float) + 1);
    values[input_count + i] = made[i];
    work each = {node, a, b, made[i], todo->count};
    const int64_t tasks = (todo->count + task_elements - 1) / task_elements;
    status = made[i] != NULL ? call->api->parallel(call, tasks, compute, &each)
                             : call->api->fail(call, ORTOOL_PROVIDER_MEMORY, "out of memory");
  }
  for (size_t i = 0; status == 0 && i < output_count; ++i) {
    void* to = call->api->output(call, i, float32, todo->rank, todo->shape);
    if (to != NULL) memcpy(to, values[todo->outputs[i]], (size_t)todo->count * sizeof(float));
  }
  for (size_t i = 0; i < todo->step_count; ++i) free(made[i]);
  return status;
}

const ortool_provider* ortool_get_provider(void) {
  static const ortool_provider provider = {
      .size = sizeof(ortool_provider), .version = ORTOOL_PROVIDER_VERSION, .name = "skeleton",
      .open = open_skeleton, .close = close_skeleton, .claim = claim,
      .compile = compile, .release = release, .run = run};
  return &provider;
}
