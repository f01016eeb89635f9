// The side panel: the model, the selection and search results. Names only ever become text, never markup.

function element(tag, fields = {}, ...children) {
  const result = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'onclick') result.addEventListener('click', value);
    else if (name === 'class') result.className = value;
    else result.setAttribute(name, value);
  }
  result.append(...children.filter((child) => child !== null && child !== undefined));
  return result;
}

function section(title, ...children) {
  return children.length ? [element('h3', {}, title), ...children] : [];
}

const mostFormula = 400;

function shortText(text, most) {
  return text.length <= most ? text : text.slice(0, most) + '…';
}

function rows(entries) {
  return element('table', entries.some((entry) => entry[2]) ? { class: 'figures' } : {}, ...entries.map(([name, value, isNumber]) =>
    element('tr', {}, element('td', {}, name), element('td', isNumber ? { class: 'number' } : {}, value))));
}

function attributeText(value) {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    if (value.reference !== undefined) return '@' + value.reference;
    if (value.graph !== undefined) return 'graph ' + value.graph;
    if (value.dtype !== undefined) {
      const data = value.data ? ' = ' + JSON.stringify(value.data) : '';
      return `${value.dtype} ${shapeText(value.shape)}${data}`;
    }
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function typeText(value) {
  return `${value.dtype}  ${shapeText(value.shape)}`;
}

class Panel {
  constructor(root, model, actions) {
    this.root = root;
    this.model = model;
    this.actions = actions;
  }

  show(...children) {
    this.root.replaceChildren(...children.flat().filter((child) => child !== null));
    this.root.scrollTop = 0;
  }

  link(text, action) {
    const link = element('a', { class: 'go', href: '#', role: 'button' }, text);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      action();
    });
    return link;
  }

  showModel() {
    const { document: found } = this.model;
    const { summary, model } = found;
    const about = [];
    if (model.producer) about.push(['Producer', model.producer]);
    about.push(['IR version', String(model.ir_version)]);
    for (const [domain, version] of Object.entries(model.opsets)) about.push(['Opset ' + domain, String(version)]);
    if (model.domain) about.push(['Domain', model.domain]);
    const figures = [['Nodes', summary.node_count.toLocaleString('en'), true],
      ['Parameters', readableNumber(summary.parameter_count), true], ['Weights', readableNumber(summary.weight_bytes, 'B'), true],
      ['MACs', summary.macs === null ? 'formula below' : readableNumber(summary.macs), true]];
    if (summary.peak_activation_bytes !== null) {
      figures.push(['Peak activations', readableNumber(summary.peak_activation_bytes, 'B'), true]);
    }
    if (summary.denormal_weights) figures.push(['Denormal weights', summary.denormal_weights.toLocaleString('en'), true]);
    if (summary.duplicate_weight_bytes) figures.push(['Duplicate weights', readableNumber(summary.duplicate_weight_bytes, 'B'), true]);
    const values = (list) => list.map((value) => element('div', { class: 'entry' }, value.name, element('div', { class: 'type' }, typeText(value))));
    const histogram = Object.entries(summary.op_histogram).sort((a, b) => b[1] - a[1]);
    const most = histogram.length ? histogram[0][1] : 1;
    const bars = histogram.map(([name, count]) => {
      const bar = element('div', { class: 'bar' });
      bar.style.width = `${100 * count / most}%`;
      return element('tr', {}, element('td', {}, this.link(name, () => this.actions.search(name)), bar),
        element('td', { class: 'number' }, count.toLocaleString('en')));
    });
    const metadata = Object.entries(model.metadata || {});
    const main = this.model.main;
    this.show(
      element('h2', {}, model.path),
      ...(found.warnings || []).map((text) => element('p', { class: 'warn' }, text)),
      section('Figures', rows(figures), summary.macs === null ? element('p', { class: 'type' }, 'MACs = ' + shortText(summary.macs_formula || '?', mostFormula)) : null),
      section('Inputs', ...values(main.inputs)), section('Outputs', ...values(main.outputs)),
      section('Operators', element('table', { class: 'figures' }, ...bars)),
      section('File', rows(about)),
      metadata.length ? section('Metadata', rows(metadata)) : [],
      model.doc_string ? section('Description', element('p', {}, model.doc_string)) : [],
      section('Functions', ...this.model.functions.map((graph) =>
        element('div', { class: 'entry' }, this.link(graph.functionName, () => this.actions.openGraph(graph)),
          element('div', { class: 'type' }, `${graph.nodes.length} nodes`)))));
  }

  showItem(item) {
    if (item.node) this.showNode(item.node);
    else if (item.kind === 'group') this.showGroup(item);
    else this.showValue(item);
  }

  showGroup(item) {
    const counts = new Map();
    const open = [item];
    while (open.length) {
      const next = open.pop();
      if (next.node) counts.set(next.node.op, (counts.get(next.node.op) || 0) + 1);
      open.push(...(next.children || []));
    }
    const histogram = [...counts].sort((a, b) => b[1] - a[1]);
    this.show(element('h2', {}, item.title), element('p', { class: 'soft' }, this.placeText(item)),
      section('Figures', rows([['Nodes', item.nodeCount.toLocaleString('en'), true], ['MACs', figureText(item, 'macs'), true],
        ['Parameters', figureText(item, 'parameters'), true], ['Output bytes', figureText(item, 'bytes'), true]]), this.starNote(item)),
      section('Operators', rows(histogram.map(([name, count]) => [name, String(count), true]))),
      section('Inputs', ...[...item.reads].slice(0, 100).map((value) => this.valueEntry(value))),
      section('Outputs', ...[...item.makes].slice(0, 100).map((value) => this.valueEntry(value))),
      element('p', {}, this.link(item.isOpen ? 'Close' : 'Open', () => this.actions.toggle(item))));
  }

  starNote(item) {
    return item.macs === null || item.bytes === null ? element('p', { class: 'soft' }, '* every unknown dimension taken as 1') : null;
  }

  placeText(item) {
    const titles = [];
    for (let at = item.parent; at; at = at.parent) titles.push(at.title);
    return titles.reverse().join(' › ');
  }

  showValue(item) {
    const { value } = item;
    this.show(element('h2', {}, value.name), element('p', { class: 'soft' }, item.kind === 'input' ? 'Input' : 'Output'),
      element('p', { class: 'type' }, typeText(value)),
      item.kind === 'input' ? section('Consumers', ...this.readers(value)) : section('Producer', this.valueEntry(value)));
  }

  nodeLink(node) {
    return this.link(`${node.op}  ${node.name}`, () => this.actions.reveal(node));
  }

  readers(value) {
    const list = value.readers.slice(0, 40).map(({ node }) => element('div', {}, this.nodeLink(node)));
    if (value.readers.length > 40) list.push(element('div', { class: 'soft' }, `and ${value.readers.length - 40} more`));
    return list;
  }

  valueEntry(value, note = null) {
    const lines = [element('div', {}, value.name), element('div', { class: 'type' }, typeText(value))];
    if (value.kind === 'stored') lines.push(element('div', { class: 'soft' }, `stored, ${readableNumber(value.bytes, 'B')}${value.external ? ', beside the file' : ''}`));
    lines.push(...weightLines(value));
    if (isFolded(value)) lines.push(element('div', { class: 'soft' }, 'constant: ' + attributeText(Object.values(value.producer.block.attributes)[0])));
    else if (value.producer) lines.push(element('div', {}, this.nodeLink(value.producer)));
    else if (value.kind === 'input') lines.push(element('div', { class: 'soft' }, 'input of the graph'));
    return element('div', { class: 'entry' }, note ? element('div', { class: 'soft' }, note) : null, ...lines);
  }

  showNode(node) {
    const { block } = node;
    const figures = ['macs', 'parameters', 'bytes'].map((metric) =>
      [{ macs: 'MACs', parameters: 'Parameters', bytes: 'Output bytes' }[metric], figureText(node, metric), true]);
    const attributes = Object.entries(block.attributes).map(([name, value]) => [name, attributeText(value)]);
    const called = this.model.functions.find((graph) => graph.functionName === (node.domain ? node.domain + '.' : '') + node.op + (block.overload ? ':' + block.overload : ''));
    const metadata = Object.entries(block.metadata || {});
    this.show(element('h2', {}, (node.domain ? node.domain + '.' : '') + node.op), element('p', {}, node.name),
      element('p', { class: 'soft' }, `node ${node.index} · ` + (node.item ? this.placeText(node.item) : node.graph.title)),
      block.shape_unknown_because ? element('p', { class: 'warn' }, 'Shape unknown: ' + block.shape_unknown_because) : null,
      section('Figures', rows(figures), this.starNote(node), block.macs_formula ? element('p', { class: 'type' }, 'MACs = ' + shortText(block.macs_formula, mostFormula)) : null),
      attributes.length ? section('Attributes', rows(attributes)) : [],
      section('Inputs', ...node.inputs.map((value, place) => value ? this.valueEntry(value, String(place)) : element('div', { class: 'entry soft' }, `${place} left out`))),
      section('Outputs', ...node.outputs.map((value, place) => value ? element('div', { class: 'entry' }, value.name, element('div', { class: 'type' }, typeText(value)),
        ...this.readers(value), value.isOutput ? element('div', { class: 'soft' }, 'output of the graph') : null) : element('div', { class: 'entry soft' }, `${place} left out`))),
      section('Subgraphs', ...node.subgraphs.map((graph) => element('div', {}, `${graph.title}: ${graph.nodes.length} nodes`))),
      called ? section('Function', element('p', {}, this.link('Open ' + called.functionName, () => this.actions.openGraph(called)))) : [],
      metadata.length ? section('Metadata', rows(metadata)) : []);
  }

  showResults(words, results, at) {
    const shown = results.slice(0, 200);
    this.show(element('h2', {}, `${results.length.toLocaleString('en')} found`), element('p', { class: 'soft' }, words),
      ...shown.map((node, place) => element('button', { class: place === at ? 'result at' : 'result', onclick: () => this.actions.reveal(node) },
        element('b', {}, node.op), '  ' + node.name, element('div', { class: 'type' }, node.outputs.filter((value) => value).map(typeText).slice(0, 2).join('; ')))),
      results.length > shown.length ? element('p', { class: 'soft' }, `the first ${shown.length} are shown`) : null);
  }
}
