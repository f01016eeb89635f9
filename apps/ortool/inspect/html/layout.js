// Layout of a tree of groups: closed groups as boxes, open ones around the layout of their content.

const headHeight = 28;
const padding = 18;

function computeBoundaries(root) {
  const order = [];
  const open = [root];
  while (open.length) {
    const item = open.pop();
    order.push(item);
    if (item.children) open.push(...item.children);
  }
  for (const item of order.reverse()) {
    const reads = new Set();
    const makes = new Set();
    if (item.node) {
      for (const value of item.node.inputs) if (value && value.kind !== 'stored' && !isFolded(value)) reads.add(value);
      for (const value of item.node.outputs) if (value) makes.add(value);
    }
    if (item.kind === 'input') makes.add(item.value);
    if (item.kind === 'output') reads.add(item.value);
    if (item.feed) reads.add(item.feed);
    if (item.result) makes.add(item.result);
    for (const child of item.children || []) {
      for (const value of child.reads) if (!isMadeInside(value, item)) reads.add(value);
      for (const value of child.makes) if (isReadOutside(value, item)) makes.add(value);
    }
    item.reads = reads;
    item.makes = makes;
  }
}

function isFolded(value) {
  return Boolean(value.producer && value.producer.isFolded);
}

function makerOf(value) {
  return value.producer ? value.producer.item : value.item;
}

function isMadeInside(value, item) {
  const maker = makerOf(value);
  return Boolean(maker) && isInside(maker, item);
}

function isReadOutside(value, item) {
  return (value.outputItems || []).some((output) => !isInside(output, item)) ||
    value.readers.some((reader) => reader.node.item && !isInside(reader.node.item, item));
}

// Consumers that are not nodes: the outputs of graphs.
function linkOutputs(root) {
  const open = [root];
  while (open.length) {
    const item = open.pop();
    if (item.kind === 'output') (item.value.outputItems = item.value.outputItems || []).push(item);
    if (item.children) open.push(...item.children);
  }
}

// From the inside out; only open groups and their visible content.
function layoutTree(root, measure) {
  const order = [];
  const open = [root];
  while (open.length) {
    const item = open.pop();
    if (!item.isOpen) continue;
    order.push(item);
    open.push(...item.children);
  }
  for (const item of order.reverse()) {
    if (item.drawn && !item.isStale) continue;
    layoutGroup(item, measure);
    item.isStale = false;
  }
}

function childThatHolds(item, group) {
  let at = item;
  while (at && at.parent !== group) at = at.parent;
  return at;
}

function layoutGroup(group, measure) {
  for (const child of group.children) {
    if (!child.isOpen) Object.assign(child, measure(child));
  }
  const cells = group.children.map((child) => ({ w: child.w, h: child.h, pin: 0, item: child, label: measure.label(child),
    isSide: child.kind === 'node' && child.reads.size === 0, isBox: child.isOpen }));
  const indexOf = new Map(group.children.map((child, index) => [child, index]));
  const topPorts = new Map();
  const bottomPorts = new Map();
  const portOf = (ports, value, pin) => {
    if (!ports.has(value)) {
      ports.set(value, cells.length);
      cells.push({ w: 6, h: 0, pin, value });
    }
    return ports.get(value);
  };
  const edges = new Map();
  const connect = (from, to, value) => {
    if (from === to) return;
    const source = cells[from].item;
    const target = cells[to].item;
    const fromPort = source && source.isOpen ? source.bottomPorts.get(value) : undefined;
    const toPort = target && target.isOpen ? target.topPorts.get(value) : undefined;
    const name = `${from} ${to} ${fromPort ?? ''} ${toPort ?? ''}`;
    const known = edges.get(name);
    if (known) {
      if (!known.values.includes(value)) known.values.push(value);
      return;
    }
    edges.set(name, { from, to, fromDx: fromPort === undefined ? 0 : fromPort - source.w / 2,
      toDx: toPort === undefined ? 0 : toPort - target.w / 2, values: [value] });
  };
  for (const child of group.children) {
    const to = indexOf.get(child);
    for (const value of child.reads) {
      const maker = makerOf(value);
      const from = maker && isInside(maker, group) && maker !== group ? indexOf.get(childThatHolds(maker, group)) : portOf(topPorts, value, -1);
      connect(from, to, value);
    }
  }
  if (group.kind !== 'group' || group.reason !== 'graph') {
    for (const value of group.makes) {
      for (const child of group.children) {
        if (child.makes.has(value)) connect(indexOf.get(child), portOf(bottomPorts, value, 1), value);
      }
    }
  }
  const list = [...edges.values()];
  spreadEnds(cells, list);
  const size = layoutLayers(cells, list);
  sortEnds(cells, list);
  const title = measure.title(group);
  const inset = Math.max(0, (title - size.w) / 2);
  const left = padding + inset;
  const top = headHeight + (topPorts.size ? 4 : padding);
  for (const cell of cells) {
    if (cell.item) Object.assign(cell.item, { x: cell.x + left, y: cell.y + top });
  }
  group.w = size.w + 2 * left;
  group.h = size.h + top + (bottomPorts.size ? 4 : padding);
  const portX = (ports) => new Map([...ports].map(([value, index]) => [value, cells[index].x + cells[index].w / 2 + left]));
  group.topPorts = portX(topPorts);
  group.bottomPorts = portX(bottomPorts);
  group.edges = list.map((edge) => finishEdge(edge, cells, left, top, group));
  group.drawn = true;
}

// Several edges that end at one node are spread apart.
function spreadEnds(cells, edges) {
  const into = new Map();
  for (const edge of edges) {
    const item = cells[edge.to].item;
    if (!item || !item.node || (item.isOpen && item.topPorts.has(edge.values[0]))) continue;
    if (!into.has(edge.to)) into.set(edge.to, []);
    into.get(edge.to).push(edge);
  }
  for (const [index, list] of into) {
    if (list.length < 2) continue;
    const step = Math.min(16, (cells[index].w - 24) / (list.length - 1));
    const placeOf = (edge) => cells[index].item.node.inputs.indexOf(edge.values[0]);
    list.sort((a, b) => placeOf(a) - placeOf(b));
    list.forEach((edge, place) => { edge.toDx = (place - (list.length - 1) / 2) * step; });
  }
}

// Ordered by where they come from, so that they do not cross in the last segment.
function sortEnds(cells, edges) {
  const into = new Map();
  for (const edge of edges) {
    const item = cells[edge.to].item;
    if (!item || item.isOpen || !item.node || edge.isBack) continue;
    if (!into.has(edge.to)) into.set(edge.to, []);
    into.get(edge.to).push(edge);
  }
  for (const [index, list] of into) {
    if (list.length < 2) continue;
    const places = list.map((edge) => edge.toDx).sort((a, b) => a - b);
    list.sort((a, b) => a.points[a.points.length - 3][0] - b.points[b.points.length - 3][0]);
    list.forEach((edge, place) => {
      const x = cells[index].x + cells[index].w / 2 + places[place];
      edge.points[edge.points.length - 1][0] = x;
      edge.points[edge.points.length - 2][0] = x;
    });
  }
}

function finishEdge(edge, cells, left, top, group) {
  const points = edge.points.map(([x, y]) => [x + left, y + top]);
  if (cells[edge.from].pin < 0) points[0] = [points[0][0], 0];
  if (cells[edge.to].pin > 0) points[points.length - 1] = [points[points.length - 1][0], group.h];
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  return { points, values: edge.values, isBack: edge.isBack, from: cells[edge.from].item || null, to: cells[edge.to].item || null,
    box: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] };
}
