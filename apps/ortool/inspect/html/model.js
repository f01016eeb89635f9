// The document of `ortool inspect --json` as linked objects.

const bitsOfType = { float64: 64, float32: 32, float16: 16, bfloat16: 16, int64: 64, int32: 32, int16: 16, int8: 8, uint64: 64,
  uint32: 32, uint16: 16, uint8: 8, bool: 8, complex64: 64, complex128: 128, int4: 4, uint4: 4, int2: 2, uint2: 2 };

function elementCount(shape) {
  if (!Array.isArray(shape) || shape.some((dimension) => typeof dimension !== 'number')) return null;
  return shape.reduce((product, dimension) => product * dimension, 1);
}

function byteCount(value) {
  const count = elementCount(value.shape);
  const bits = bitsOfType[value.dtype] || (value.dtype.startsWith('float8') ? 8 : value.dtype.startsWith('float4') ? 4 : 0);
  return count === null || bits === 0 ? null : Math.ceil(count * bits / 8);
}

function shapeText(shape) {
  if (!Array.isArray(shape)) return 'unknown rank';
  if (shape.length === 0) return 'scalar';
  return shape.map((dimension) => dimension === null ? '?' : String(dimension)).join(' × ');
}

// A scope finds names of its own graph and of outer graphs.
class Scope {
  constructor(parent) {
    this.parent = parent;
    this.values = new Map();
  }
  find(name) {
    for (let scope = this; scope; scope = scope.parent) {
      const value = scope.values.get(name);
      if (value) return value;
    }
    return null;
  }
}

class ModelGraphs {
  constructor(document) {
    this.document = document;
    this.nodes = [];
    this.statistics = new Map((document.weight_statistics || []).map((one) => [one.name, one]));
    this.main = this.read(document.graph, null, 'Main graph', null);
    this.functions = (document.functions || []).map((one) => {
      const name = (one.domain ? one.domain + '.' : '') + one.name + (one.overload ? ':' + one.overload : '');
      const graph = this.read(one.graph, null, 'Function ' + name, null);
      graph.functionName = name;
      return graph;
    });
  }

  // Subgraphs are queued: a file may nest them deeper than the script's stack allows.
  read(block, parentScope, title, owner) {
    const first = { block, scope: parentScope, title, owner };
    const waiting = [first];
    while (waiting.length) {
      const next = waiting.pop();
      const graph = this.readOne(next.block, next.scope, next.title, next.owner, waiting);
      if (next === first) first.graph = graph;
      else next.owner.subgraphs[next.place] = graph;
    }
    return first.graph;
  }

  readOne(block, parentScope, title, owner, waiting) {
    const scope = new Scope(parentScope);
    const graph = { title, name: block.name, owner, scope, nodes: [], inputs: [], outputs: [] };
    const make = (name, kind) => {
      const known = scope.values.get(name);
      if (known) return known;
      const value = { name, kind, dtype: 'unknown', shape: null, producer: null, readers: [], isOutput: false, graph };
      scope.values.set(name, value);
      return value;
    };
    for (const one of block.initializers) {
      Object.assign(make(one.name, 'stored'), { dtype: one.dtype, shape: one.shape, bytes: one.bytes, external: one.external,
        statistics: this.statistics.get(one.name) });
    }
    for (const one of block.inputs) {
      const isNew = !scope.values.has(one.name);
      const value = make(one.name, 'input');
      if (isNew) {
        Object.assign(value, { dtype: one.dtype, shape: one.shape });
        graph.inputs.push(value);
      }
    }
    for (const one of block.values) {
      const value = make(one.name, 'node');
      if (value.kind === 'node') Object.assign(value, { dtype: one.dtype, shape: one.shape });
    }
    for (const one of block.nodes) graph.nodes.push(this.readNode(one, graph, make, waiting));
    for (const one of block.outputs) {
      const value = scope.find(one.name) || Object.assign(make(one.name, 'node'), { dtype: one.dtype, shape: one.shape });
      value.isOutput = true;
      graph.outputs.push(value);
    }
    return graph;
  }

  readNode(block, graph, make, waiting) {
    const node = { id: this.nodes.length, graph, block, index: block.index, name: block.name, op: block.op_type, domain: block.domain,
      macs: block.macs, parameters: block.parameters, bytes: 0, inputs: [], outputs: [], subgraphs: [] };
    this.nodes.push(node);
    const atOne = { macs: block.macs ?? valueAtOne(block.macs_formula || '') ?? 0, parameters: block.parameters, bytes: 0 };
    node.inputs = block.inputs.map((name, place) => {
      if (!name) return null;
      const value = graph.scope.find(name) || make(name, 'node');
      value.readers.push({ node, place });
      return value;
    });
    node.outputs = block.outputs.map((name, place) => {
      if (!name) return null;
      const value = make(name, 'node');
      value.producer = node;
      if (value.shape === null && block.output_shapes[place]) value.shape = block.output_shapes[place];
      const bytes = byteCount(value);
      node.bytes = bytes === null || node.bytes === null ? null : node.bytes + bytes;
      atOne.bytes += bytesAtOne(value) ?? 0;
      return value;
    });
    node.atOne = atOne;
    const names = [];
    for (const [name, value] of Object.entries(block.attributes)) {
      const graphs = Array.isArray(value) ? value.filter((one) => one && one.graph !== undefined) : value && value.graph !== undefined ? [value] : [];
      graphs.forEach((one, place) => names.push(graphs.length > 1 ? `${name}[${place}]` : name));
    }
    block.subgraphs.forEach((inside, place) => {
      node.subgraphs.push(null);
      waiting.push({ block: inside, scope: graph.scope, title: names[place] || `graph ${place}`, owner: node, place });
    });
    node.isStored = node.op === 'Constant' && !node.domain && node.outputs[0] && node.subgraphs.length === 0;
    if (node.isStored) Object.assign(node.outputs[0], { kind: 'constant', statistics: this.statistics.get(node.outputs[0].name) });
    return node;
  }
}

const kindsOfOperators = {
  product: 'Conv ConvTranspose ConvInteger DeformConv Gemm MatMul MatMulInteger Einsum LSTM GRU RNN Attention QLinearConv QLinearMatMul FusedConv FusedGemm MatMulNBits MatMulNBitsMlp MatMulNBitsQkv MatMulBnb4 MatMulFpQ4 MoE QMoE QGemm DynamicQuantizeMatMul MatMulIntegerToFloat DynamicQuantizeLSTM',
  activation: 'Relu LeakyRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Tanh Softmax LogSoftmax Softplus Softsign Gelu Mish Clip Swish Erf ThresholdedRelu Hardmax',
  norm: 'BatchNormalization LayerNormalization InstanceNormalization GroupNormalization RMSNormalization LpNormalization LRN MeanVarianceNormalization Dropout SimplifiedLayerNormalization SkipLayerNormalization',
  pool: 'MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool GlobalLpPool MaxRoiPool RoiAlign ReduceMean ReduceSum ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceSumSquare ArgMax ArgMin TopK Resize Upsample NonMaxSuppression',
  move: 'Reshape Transpose Concat Slice Split Gather GatherElements GatherND Scatter ScatterElements ScatterND Squeeze Unsqueeze Flatten Expand Tile Pad Shape Size ConstantOfShape Range Identity Cast CastLike DepthToSpace SpaceToDepth ReverseSequence Compress OneHot Where NonZero Unique Trilu EyeLike Constant',
  quant: 'QuantizeLinear DequantizeLinear DynamicQuantizeLinear QLinearAdd QLinearMul QLinearConcat QLinearSigmoid QLinearLeakyRelu QLinearAveragePool QLinearGlobalAveragePool QGemm',
  control: 'If Loop Scan SequenceMap',
};
const hueOfKind = { product: 215, activation: 8, norm: 140, pool: 182, move: 36, quant: 275, control: 325, function: 325, other: 230 };
const kindOfOperator = new Map(Object.entries(kindsOfOperators).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind])));

function kindOfNode(node) {
  return kindOfOperator.get(node.op) || 'other';
}

function readableNumber(value, unit = '') {
  if (value === null || value === undefined) return '?';
  const steps = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const step = steps.find(([size]) => Math.abs(value) >= size);
  const text = step ? (value / step[0]).toPrecision(3) + ' ' + step[1] + unit : String(value) + (unit ? ' ' + unit : '');
  return text.trim();
}
