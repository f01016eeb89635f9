// Layers of a drawing: longest paths, bounded in width.

const widestLayer = 2000;
const fewestInLayer = 4;

// Kahn's topological order; a cycle of groups is broken at the one that begins first.
function topologicalPositions(nodes, edges) {
  const count = nodes.length;
  const waits = new Array(count).fill(0);
  const readers = Array.from({ length: count }, () => []);
  for (const edge of edges) {
    ++waits[edge.to];
    readers[edge.from].push(edge.to);
  }
  const position = new Array(count).fill(-1);
  const isTaken = new Array(count).fill(false);
  const ready = [];
  for (let index = count - 1; index >= 0; --index) if (waits[index] === 0) ready.push(index);
  let next = 0;
  let scanned = 0;
  while (next < count) {
    let index = ready.pop();
    if (index === undefined) {
      while (isTaken[scanned]) ++scanned;
      index = scanned;
    }
    if (isTaken[index]) continue;
    isTaken[index] = true;
    position[index] = next++;
    for (const reader of readers[index]) if (--waits[reader] === 0 && !isTaken[reader]) ready.push(reader);
  }
  return position;
}

function assignLayers(nodes, links, position) {
  const count = nodes.length;
  const order = new Array(count);
  position.forEach((place, index) => { order[place] = index; });
  const into = Array.from({ length: count }, () => []);
  const outOf = Array.from({ length: count }, () => []);
  for (const link of links) {
    into[link.to].push(link.from);
    outOf[link.from].push(link.to);
  }
  const hasTop = nodes.some((node) => node.pin < 0);
  const layer = new Array(count).fill(0);
  for (const index of order) {
    if (nodes[index].pin < 0) continue;
    layer[index] = into[index].reduce((most, from) => Math.max(most, layer[from] + 1), hasTop ? 1 : 0);
  }
  // Items without inputs are placed close to their consumers.
  for (const index of order.slice().reverse()) {
    if (nodes[index].pin || outOf[index].length === 0 || into[index].length > outOf[index].length) continue;
    if (into[index].length === outOf[index].length && into[index].length > 0 && into[index].some((from) => nodes[from].pin < 0) === false) continue;
    layer[index] = Math.max(layer[index], outOf[index].reduce((least, to) => Math.min(least, layer[to] - 1), Infinity));
  }
  const last = layer.reduce((most, value, index) => nodes[index].pin > 0 ? most : Math.max(most, value), 0);
  nodes.forEach((node, index) => { if (node.pin > 0) layer[index] = last + 1; });
  return splitWideLayers(nodes, layer, outOf, position);
}

// Numbers the layers that are used. One that is too wide becomes several, the nodes with the nearest consumers last.
function splitWideLayers(nodes, layer, outOf, position) {
  const members = new Map();
  layer.forEach((value, index) => members.has(value) ? members.get(value).push(index) : members.set(value, [index]));
  const result = new Array(nodes.length);
  let rank = 0;
  for (const value of [...members.keys()].sort((a, b) => a - b)) {
    const list = members.get(value);
    const widthOf = (index) => Math.max(nodes[index].w, nodes[index].w / 2 + (nodes[index].label || 0) + 8) + gapBetween;
    const width = list.reduce((sum, index) => sum + widthOf(index), 0);
    const most = Math.max(widestLayer, fewestInLayer * width / list.length);
    const parts = width > 1.5 * most && !nodes[list[0]].pin ? Math.ceil(width / most) : 1;
    const nearest = new Map(list.map((index) => [index, outOf[index].reduce((least, to) => Math.min(least, layer[to]), Infinity)]));
    if (parts > 1) list.sort((a, b) => (nearest.get(a) === nearest.get(b) ? 0 : nearest.get(b) - nearest.get(a)) || position[a] - position[b]);
    let done = 0;
    for (const index of list) {
      result[index] = rank + Math.min(parts - 1, Math.floor(done * parts / width));
      done += widthOf(index);
    }
    rank = list.reduce((most, index) => Math.max(most, result[index]), rank) + 1;
  }
  return result;
}
