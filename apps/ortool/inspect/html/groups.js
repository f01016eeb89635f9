// Collapsible groups: scopes from names, repeated blocks, and otherwise runs of nodes.

const mostChildren = 120;
const fewestForBlocks = 25;

// An item is a node, a group of items, an input or an output. Ranges express containment.
function makeItem(kind, fields) {
  return Object.assign({ kind, parent: null, children: null, isOpen: false, nodeCount: 0, macs: 0, parameters: 0, bytes: 0, level: 0,
    atOne: { macs: 0, parameters: 0, bytes: 0 } }, fields);
}

function makeGroup(title, children, reason) {
  return makeItem('group', { title, children, reason });
}

function itemOfNode(node) {
  const item = makeItem('node', { node, title: node.op });
  node.item = item;
  if (node.subgraphs.length) {
    item.children = node.subgraphs.map((graph) => {
      const group = makeGroup(graph.title, itemsOfGraph(graph), 'subgraph');
      group.graph = graph;
      return group;
    });
  }
  return item;
}

function itemsOfGraph(graph) {
  const nodes = graph.nodes.filter((node) => {
    node.isFolded = Boolean(node.isStored && !node.outputs[0].isOutput);
    return !node.isFolded;
  });
  const inner = groupNodes(nodes);
  const inputs = graph.inputs.map((value, place) => {
    const item = makeItem('input', { value, title: value.name, feed: feedOf(graph, place) });
    value.item = item;
    return item;
  });
  const outputs = graph.outputs.map((value, place) => makeItem('output', { value, title: value.name, result: resultOf(graph, place) }));
  return [...bounded(inputs, 'inputs'), ...inner, ...bounded(outputs, 'outputs')];
}

// The outer values that correspond to a subgraph's input and output; null if there are none.
function feedOf(graph, place) {
  const { owner } = graph;
  if (!owner || !['Loop', 'Scan', 'SequenceMap'].includes(owner.op) || (owner.op === 'Loop' && place === 0)) return null;
  const value = owner.inputs[place];
  return value && value.kind !== 'stored' && !(value.producer && value.producer.isFolded) ? value : null;
}

function resultOf(graph, place) {
  const { owner } = graph;
  if (!owner || !['If', 'Loop', 'Scan', 'SequenceMap'].includes(owner.op)) return null;
  return owner.outputs[owner.op === 'Loop' ? place - 1 : place] || null;
}

function bounded(items, what) {
  return items.length > mostChildren ? [makeGroup(`${items.length} ${what}`, inRuns(items), 'run')] : items;
}

// Scopes of the exporter if most nodes have one, otherwise repeated blocks and runs.
function groupNodes(nodes) {
  const sorted = inTopologicalOrder(nodes, consumersOf);
  const scopes = nodes.length >= 12 ? findScopes(sorted) : null;
  if (!scopes) return refine(sorted.map(itemOfNode));
  let items = refine(groupByScopes(sorted, scopes, 0));
  while (items.length === 1 && items[0].kind === 'group') items = items[0].children;
  return items;
}

function refine(items) {
  const blocks = items.length >= fewestForBlocks ? groupRepeats(items) : items;
  return blocks.length > mostChildren ? inRuns(blocks) : blocks;
}

function inRuns(items) {
  let level = items;
  while (level.length > mostChildren) {
    const size = Math.min(100, Math.max(12, Math.ceil(Math.sqrt(level.length))));
    const runs = [];
    for (let first = 0; first < level.length; first += size) {
      const children = level.slice(first, first + size);
      runs.push(children.length < 3 ? children : [makeGroup('', children, 'run')]);
    }
    level = runs.flat();
  }
  return level;
}

function labelOf(item, labels) {
  const text = item.kind === 'node' ? item.node.domain + ':' + item.node.op : item.shapeKey || item.kind + labels.size;
  if (!labels.has(text)) labels.set(text, labels.size + 1);
  return labels.get(text);
}

function shapeKeyOf(children) {
  return children.map((child) => child.kind === 'node' ? child.node.op : child.shapeKey || child.kind).join(',');
}

// The period whose repeats cover most: at least four, and enough to result in few groups.
function bestRepeat(sequence) {
  const count = sequence.length;
  const lengths = [];
  for (let length = Math.max(4, Math.floor(count / 48)); length <= count / 2 && lengths.length < 96; length = Math.ceil(length * (length > 40 ? 1.06 : 1) + (length > 40 ? 0 : 1))) {
    lengths.push(length);
  }
  let best = null;
  for (const length of lengths) {
    let power = 1;
    let hash = 0;
    const ends = new Map();
    for (let i = 0; i < length; ++i) power = Math.imul(power, 0x01000193);
    for (let i = 0; i < count; ++i) {
      hash = (Math.imul(hash, 0x01000193) + sequence[i]) | 0;
      if (i >= length) hash = (hash - Math.imul(sequence[i - length], power)) | 0;
      if (i < length - 1) continue;
      const first = i - length + 1;
      const entry = ends.get(hash) || { end: 0, starts: [] };
      if (first >= entry.end) {
        entry.starts.push(first);
        entry.end = i + 1;
      }
      ends.set(hash, entry);
    }
    for (const entry of ends.values()) {
      const score = (entry.starts.length - 1) * length;
      if (entry.starts.length > 1 && (!best || score > best.score)) best = { score, length, starts: entry.starts };
    }
  }
  return best && best.score * 4 >= count ? best : null;
}

function groupRepeats(items) {
  let level = items;
  for (let round = 0; round < 3 && level.length >= fewestForBlocks; ++round) {
    const labels = new Map();
    const best = bestRepeat(level.map((item) => item.isBlock ? 1e6 + labels.size * 7919 + labelOf(item, labels) : labelOf(item, labels)));
    if (!best) break;
    const starts = new Set(best.starts);
    const next = [];
    for (let i = 0; i < level.length;) {
      if (!starts.has(i)) {
        next.push(level[i++]);
        continue;
      }
      const children = level.slice(i, i + best.length);
      const block = makeGroup('', null, 'block');
      block.shapeKey = shapeKeyOf(children);
      block.isBlock = true;
      block.children = refine(children);
      block.blockCount = best.starts.length;
      block.blockIndex = best.starts.indexOf(i) + 1;
      block.blockKind = 'ABCDEFGH'[round] || '';
      next.push(block);
      i += best.length;
    }
    if (next.length >= level.length) break;
    level = next;
  }
  return level;
}

// Totals, parents, titles and ranges: everything that needs the finished tree. Children come before parents.
function finishTree(root) {
  const order = [];
  const open = [root];
  while (open.length) {
    const item = open.pop();
    order.push(item);
    for (const child of item.children || []) {
      child.parent = item;
      child.level = item.level + 1;
      open.push(child);
    }
  }
  order.forEach((item, place) => { item.first = place; item.last = place; });
  for (const item of order.slice().reverse()) {
    const node = item.node;
    if (node) Object.assign(item, { nodeCount: 1, macs: node.macs, parameters: node.parameters, bytes: node.bytes, atOne: node.atOne });
    item.firstNode = node ? node.index : Infinity;
    item.lastNode = node ? node.index : -Infinity;
    for (const child of item.children || []) {
      item.nodeCount += child.nodeCount;
      item.last = Math.max(item.last, child.last);
      if (node) continue;
      item.firstNode = Math.min(item.firstNode, child.firstNode);
      item.lastNode = Math.max(item.lastNode, child.lastNode);
      for (const key of ['macs', 'parameters', 'bytes']) {
        item[key] = item[key] === null || child[key] === null ? null : item[key] + child[key];
        item.atOne[key] += child.atOne[key];
      }
    }
    if (item.kind === 'group' && !item.title) {
      item.title = item.reason === 'block' ? `Block ${item.blockKind} · ${item.blockIndex} of ${item.blockCount}`
        : item.lastNode >= 0 ? `Nodes ${item.firstNode} to ${item.lastNode}` : `${item.children.length} values`;
    }
  }
  return root;
}

function isInside(inner, outer) {
  return inner.first >= outer.first && inner.first <= outer.last;
}

function buildTree(graph) {
  const root = makeGroup(graph.title, itemsOfGraph(graph), 'graph');
  root.graph = graph;
  root.isOpen = true;
  return finishTree(root);
}

// Opens groups from the outside in while not too much is visible; of a group's children all or none.
function openInitially(root, mostSeen) {
  let seen = root.children.length;
  let level = [root];
  while (level.length) {
    const next = [];
    for (const item of level) {
      const openable = item.children.filter((child) => child.children);
      const more = openable.reduce((sum, child) => sum + child.children.length, 0);
      if (seen + more > mostSeen) continue;
      for (const child of openable) child.isOpen = true;
      seen += more;
      next.push(...openable);
    }
    level = next;
  }
}
