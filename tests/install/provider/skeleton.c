// Skeleton of a provider module: computes Add and Tanh of float32 on the threads of the session.
//
// A vendor's module replaces open() by opening its library and device, compile() by handing
// api->model_bytes() to its compiler, and run() by calling it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ortool/provider_module.h>

enum { float32 = 1, task_elements = 16384, most_nodes = 64, most_dimensions = 8 };

/// A node with its operands: the inputs of the graph come first, then the results of its nodes.
typedef struct step {
  int is_add;
  size_t inputs[2];
  float* constants[2];  ///< copies, since constants end with compile(); NULL: an operand
  int64_t count;        ///< of elements
  const float *a, *b;   ///< of a run, like the result
  float* y;
} step;

typedef struct output {
  size_t step;
  int32_t rank;
  int64_t shape[most_dimensions];
} output;

typedef struct kernel {
  size_t input_count, step_count, output_count;
  step steps[most_nodes];
  output outputs[most_nodes];
} kernel;

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

static void close_skeleton(void* state) {
  (void)state;
}

/// Whether both have one shape, in which dimensions may be unknown (-1).
static int is_alike(const ortool_provider_value* a, const ortool_provider_value* b) {
  if (a->type != float32 || a->rank != b->rank || a->rank < 0 || a->rank > most_dimensions)
    return 0;
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
      if (!is_alike(node->inputs[k], node->outputs[0]))
        call->api->refuse(call, i, "the skeleton computes float32 of one shape of rank 0 to 8");
    }
  }
  return 0;
}

static void release(void* given) {
  kernel* made = given;
  for (size_t i = 0; made != NULL && i < made->step_count; ++i) {
    for (size_t k = 0; k < 2; ++k) free(made->steps[i].constants[k]);
  }
  free(made);
}

/// The place of a value: inputs of the graph first, then one result a node.
static size_t find_value(const ortool_provider_graph* graph, const ortool_provider_value* value) {
  size_t place = 0;
  while (place < graph->input_count && graph->inputs[place] != value) ++place;
  if (place < graph->input_count) return place;
  for (size_t i = 0; i < graph->node_count && graph->nodes[i]->outputs[0] != value; ++i) ++place;
  return place;
}

/// Which failure the node is; 0: none.
static int add_step(const ortool_provider_graph* graph, size_t index, step* to) {
  const ortool_provider_node* node = graph->nodes[index];
  to->is_add = strcmp(node->op_type, "Add") == 0;
  to->count = node->outputs[0]->count;
  for (size_t k = 0; k < node->input_count; ++k) {
    const ortool_provider_value* input = node->inputs[k];
    if (!is_alike(input, node->outputs[0])) return ORTOOL_PROVIDER_UNSUPPORTED;
    to->inputs[k] = find_value(graph, input);
    if (!input->is_constant) continue;
    to->constants[k] = malloc((size_t)to->count * sizeof(float) + 1);
    if (to->constants[k] == NULL) return ORTOOL_PROVIDER_MEMORY;
    memcpy(to->constants[k], input->data, (size_t)to->count * sizeof(float));
  }
  return 0;
}

static int compile(ortool_provider_call* call, void* state, const ortool_provider_graph* graph,
                   void** result) {
  (void)state;
  if (graph->node_count > most_nodes)
    return call->api->fail(call, ORTOOL_PROVIDER_UNSUPPORTED, "the graph has too many nodes");
  kernel* made = calloc(1, sizeof *made);
  int failure = made == NULL ? ORTOOL_PROVIDER_MEMORY : 0;
  if (made != NULL) made->input_count = graph->input_count;
  for (size_t i = 0; failure == 0 && i < graph->node_count; ++i)
    failure = add_step(graph, i, &made->steps[made->step_count++]);
  for (size_t i = 0; failure == 0 && i < graph->output_count; ++i) {
    output* to = &made->outputs[made->output_count++];
    to->step = find_value(graph, graph->outputs[i]) - graph->input_count;
    to->rank = graph->outputs[i]->rank;
    for (int32_t d = 0; d < to->rank; ++d) to->shape[d] = graph->outputs[i]->shape[d];
  }
  if (failure == 0) return *result = made, 0;
  release(made);
  const int is_memory = failure == ORTOOL_PROVIDER_MEMORY;
  return call->api->fail(call, failure,
                         is_memory ? "out of memory" : "the shapes of an Add differ");
}

static void compute(void* context, int64_t task) {
  const step* node = context;
  const int64_t begin = task * task_elements, rest = node->count - begin;
  const int64_t end = begin + (rest < task_elements ? rest : task_elements);
  for (int64_t i = begin; i < end; ++i)
    node->y[i] = node->is_add ? node->a[i] + node->b[i] : tanhf(node->a[i]);
}

static int run(ortool_provider_call* call, void* given, const ortool_provider_tensor* const* inputs,
               size_t input_count, size_t output_count) {
  const kernel* todo = given;
  const float* values[3 * most_nodes] = {NULL};
  float *results[most_nodes] = {NULL}, *own[most_nodes] = {NULL};
  int status = 0;
  for (size_t i = 0; i < input_count; ++i) values[i] = inputs[i]->data;
  for (size_t i = 0; i < output_count; ++i) {
    const output* to = &todo->outputs[i];
    results[to->step] = call->api->output(call, i, float32, to->rank, to->shape);
    if (results[to->step] == NULL) return ORTOOL_PROVIDER_MEMORY;
  }
  for (size_t i = 0; status == 0 && i < todo->step_count; ++i) {
    step node = todo->steps[i];
    node.a = node.constants[0] ? node.constants[0] : values[node.inputs[0]];
    node.b = node.constants[1] ? node.constants[1] : values[node.inputs[1]];
    if (results[i] == NULL) results[i] = own[i] = malloc((size_t)node.count * sizeof(float) + 1);
    values[input_count + i] = node.y = results[i];
    const int64_t tasks = (node.count + task_elements - 1) / task_elements;
    status = node.y != NULL ? call->api->parallel(call, tasks, compute, &node)
                            : call->api->fail(call, ORTOOL_PROVIDER_MEMORY, "out of memory");
  }
  for (size_t i = 0; i < todo->step_count; ++i) free(own[i]);
  return status;
}

const ortool_provider* ortool_get_provider(void) {
  static const ortool_provider provider = {.size = sizeof(ortool_provider),
                                           .version = ORTOOL_PROVIDER_VERSION,
                                           .name = "skeleton",
                                           .open = open_skeleton,
                                           .close = close_skeleton,
                                           .claim = claim,
                                           .compile = compile,
                                           .release = release,
                                           .run = run};
  return &provider;
}
