// Name scopes: the module that a node belongs to, from exporter metadata or the slashes in node names.

const mostScopes = 64;
const mostParts = 6;

// The strings of a Python list literal, which PyTorch writes into metadata; null if it is something else.
function pythonStrings(text) {
  if (!/^\s*\[.*\]\s*$/s.test(text)) return null;
  return [...text.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs)].map((match) => (match[1] ?? match[2]).replace(/\\(.)/gs, '$1'));
}

// [name, class] of each module around a node, outermost first, by torch.export's metadata; null without it.
function modulesOf(node) {
  const metadata = node.block.metadata || {};
  const names = pythonStrings(metadata['pkg.torch.onnx.name_scopes'] || '');
  const classes = pythonStrings(metadata['pkg.torch.onnx.class_hierarchy'] || '') || [];
  const own = names ? names.map((name, place) => [name, classes[place] || ''])
    : metadata.namespace ? metadata.namespace.split('/').map((part) => {
      const colon = part.indexOf(': ');
      return colon < 0 ? [part, ''] : [part.slice(0, colon), part.slice(colon + 2)];
    }) : null;
  // The last entry is the node itself.
  return own ? own.slice(0, -1) : null;
}

// "encoder.layer.0" within "encoder" is "layer.0", followed by the name of its class.
function scopesOfModules(modules) {
  let outer = '';
  return modules.filter(([name]) => name !== '').map(([name, type]) => {
    const own = outer && name.startsWith(outer + '.') ? name.slice(outer.length + 1) : name;
    outer = name;
    const short = type.split('.').pop();
    return short ? `${own} (${short})` : own;
  });
}

// "Conv.3" and "/conv/Conv" end with the node's own name; a scope named like the operator only numbers nodes.
// Some exporters leave nodes unnamed: then the name of the first output tells. "onnx::Conv_3" is a value's name, not a scope.
function scopesOfName(node) {
  const name = node.name || (node.outputs.find((value) => value) || { name: '' }).name;
  if (name.includes('::')) return [];
  return name.split('/').filter((part) => part !== '').slice(0, -1).filter((part) => part !== node.op);
}

// The scopes of each node, outermost first; null if most nodes have none.
function findScopes(nodes) {
  const isMost = (lists) => lists.filter((list) => list.length > 0).length * 2 > nodes.length;
  const modules = nodes.map(modulesOf);
  const ofModules = modules.map((list) => list ? scopesOfModules(list) : []);
  const found = isMost(ofModules) ? ofModules : nodes.map(scopesOfName);
  if (!isMost(found)) return null;
  const scopes = new Map(nodes.map((node, place) => [node, found[place].slice(0, mostScopes)]));
  adoptScopes(nodes, scopes);
  return scopes;
}

// A node without scopes, such as the dequantization of a weight, belongs where all its consumers are.
function adoptScopes(nodes, scopes) {
  for (const node of nodes.slice().reverse()) {
    if (scopes.get(node).length > 0 || node.outputs.some((value) => value && value.isOutput)) continue;
    const readers = consumersOf(node).map((reader) => scopes.get(reader) || []);
    if (readers.length === 0) continue;
    let shared = readers[0].length;
    for (const reader of readers) {
      let same = 0;
      while (same < shared && reader[same] === readers[0][same]) ++same;
      shared = same;
    }
    scopes.set(node, readers[0].slice(0, shared));
  }
}

// The node of `graph` that contains the node: itself, or the one whose subgraphs it belongs to.
function nodeWithin(node, graph) {
  let at = node;
  while (at && at.graph !== graph) at = at.graph.owner;
  return at;
}

function consumersOf(node) {
  const found = new Set();
  for (const value of node.outputs) {
    if (value) for (const reader of value.readers) found.add(nodeWithin(reader.node, node.graph));
  }
  found.delete(null);
  found.delete(undefined);
  return [...found];
}

// Each after those it reads from; in the given order where that holds already. `next(one)` are the consumers.
function inTopologicalOrder(list, next) {
  const before = new Map(list.map((one) => [one, []]));
  for (const one of list) for (const to of next(one)) if (before.has(to)) before.get(to).push(one);
  const order = [];
  const state = new Map();
  for (const first of list) {
    const open = [first];
    while (open.length) {
      const one = open[open.length - 1];
      if (!state.has(one)) {
        state.set(one, 'open');
        for (const from of before.get(one)) if (!state.has(from)) open.push(from);
      } else {
        open.pop();
        if (state.get(one) === 'open') order.push(one);
        state.set(one, 'done');
      }
    }
  }
  return order;
}

// Tarjan's strongly connected components of 0 to count - 1, as the number of each one's component.
function componentsOf(count, next) {
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const component = new Int32Array(count).fill(-1);
  const stack = [];
  let counter = 0;
  let components = 0;
  for (let first = 0; first < count; ++first) {
    if (index[first] >= 0) continue;
    const open = [[first, 0]];
    while (open.length) {
      const frame = open[open.length - 1];
      const [at, place] = frame;
      if (place === 0) {
        index[at] = low[at] = counter++;
        stack.push(at);
      }
      if (place < next[at].length) {
        ++frame[1];
        const to = next[at][place];
        if (index[to] < 0) open.push([to, 0]);
        else if (component[to] < 0) low[at] = Math.min(low[at], index[to]);
        continue;
      }
      open.pop();
      if (open.length) low[open[open.length - 1][0]] = Math.min(low[open[open.length - 1][0]], low[at]);
      if (low[at] !== index[at]) continue;
      let one;
      do {
        one = stack.pop();
        component[one] = components;
      } while (one !== at);
      ++components;
    }
  }
  return component;
}

// Units are {scope, nodes}. A scope that is left and entered again would make a cycle of groups: it becomes one unit
// for each visit. Units are returned in topological order.
function withoutCycles(units) {
  const unitOf = new Map(units.flatMap((unit, place) => unit.nodes.map((node) => [node, place])));
  const next = units.map((unit, place) => [...new Set(unit.nodes.flatMap(consumersOf).map((node) => unitOf.get(node)))]
    .filter((to) => to !== undefined && to !== place));
  const component = componentsOf(units.length, next);
  const sizes = new Map();
  for (const one of component) sizes.set(one, (sizes.get(one) || 0) + 1);
  const cyclic = new Map();
  const result = [];
  units.forEach((unit, place) => {
    if (sizes.get(component[place]) === 1) result.push(unit);
    else if (cyclic.has(component[place])) cyclic.get(component[place]).push(unit);
    else cyclic.set(component[place], [unit]);
  });
  for (const cycle of cyclic.values()) result.push(...visitsOf(cycle));
  const at = new Map(result.flatMap((unit) => unit.nodes.map((node) => [node, unit])));
  result.sort((a, b) => a.nodes[0].id - b.nodes[0].id);
  // In a cycle that remains, what begins first comes first.
  const isBack = (from, to) => from.isCyclic && to.isCyclic && to.nodes[0].id < from.nodes[0].id;
  return inTopologicalOrder(result, (unit) => new Set(unit.nodes.flatMap(consumersOf).map((node) => at.get(node))
    .filter((to) => to && to !== unit && !isBack(unit, to))));
}

function leftCyclic(cycle) {
  for (const unit of cycle) unit.isCyclic = true;
  return cycle;
}

// Executes the nodes of a cycle of units, staying in a unit for as long as possible: each stay is a visit.
function visitsOf(cycle) {
  const unitOf = new Map(cycle.flatMap((unit) => unit.nodes.map((node) => [node, unit])));
  const waits = new Map([...unitOf.keys()].map((node) => [node, 0]));
  for (const node of unitOf.keys()) for (const to of consumersOf(node)) if (waits.has(to)) waits.set(to, waits.get(to) + 1);
  const ready = new Map(cycle.map((unit) => [unit, unit.nodes.filter((node) => waits.get(node) === 0)]));
  const visits = new Map(cycle.map((unit) => [unit, []]));
  let left = waits.size;
  while (left > 0) {
    let unit = null;
    for (const one of cycle) if (ready.get(one).length && (!unit || ready.get(one)[0].id < ready.get(unit)[0].id)) unit = one;
    if (!unit) return leftCyclic(cycle);
    const visit = [];
    for (let node = ready.get(unit).shift(); node; node = ready.get(unit).shift()) {
      visit.push(node);
      for (const to of consumersOf(node)) {
        if (!waits.has(to)) continue;
        waits.set(to, waits.get(to) - 1);
        if (waits.get(to) === 0) ready.get(unitOf.get(to)).push(to);
      }
    }
    left -= visit.length;
    visits.get(unit).push(visit.sort((a, b) => a.id - b.id));
  }
  // Interleaved too often, parts tell less than the whole scope.
  if ([...visits.values()].some((list) => list.length > mostParts)) return leftCyclic(cycle);
  return cycle.flatMap((unit) => visits.get(unit).map((nodes, place, all) => all.length === 1 ? unit
    : { scope: unit.scope, nodes, part: ` · ${place + 1} of ${all.length}` }));
}

// Items of the nodes, whose scopes begin at `depth`; at most mostScopes deep.
function groupByScopes(nodes, scopes, depth) {
  const units = [];
  const known = new Map();
  for (const node of nodes) {
    const scope = scopes.get(node)[depth];
    if (scope !== undefined && known.has(scope)) {
      known.get(scope).nodes.push(node);
      continue;
    }
    const unit = { scope, nodes: [node], part: '' };
    units.push(unit);
    if (scope !== undefined) known.set(scope, unit);
  }
  if (known.size === 0) return nodes.map(itemOfNode);
  return withoutCycles(units).flatMap((unit) => {
    if (unit.scope === undefined) return unit.nodes.map(itemOfNode);
    const items = groupByScopes(unit.nodes, scopes, depth + 1);
    if (items.length === 1 && items[0].kind === 'group' && items[0].reason === 'scope') {
      items[0].title = unit.scope + '/' + items[0].title + unit.part;
      return items;
    }
    return items.length < 3 ? items : [makeGroup(unit.scope + unit.part, refine(items), 'scope')];
  });
}
