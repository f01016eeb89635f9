// Profile: a table of nodes, and a roofline plot.

const boundColors = { compute: 'k0', memory: 'k1', cache: 'k4', overhead: 'k5', unknown: 'k6' };

function profileOf(variant) {
  return data.profile.filter((row) => row.variant === variant);
}

function nodeBars(list) {
  const shown = list.slice(0, 20);
  const height = rows(shown.length) + 40;
  const plot = new Plot({ label: 'Time of nodes', width: 1120, height, left: 330, top: 6 });
  plot.rangeX = [0, Math.max(...shown.map((row) => row.ms)) * 1.12 || 1];
  plot.rangeY = [shown.length, 0];
  plot.axes(timeText, () => '', 'time in a run');
  shown.forEach((row, index) => {
    const middle = plot.top + (index + 0.5) * (height - plot.top - plot.bottom) / shown.length;
    plot.add('text', { class: 'ink', x: plot.left - 10, y: middle + 4, 'text-anchor': 'end' }, `${shorten(row.node, 38)}  ${row.op_type}`);
    plot.add('rect', { class: 'dot ' + boundColors[row.bound], x: plot.left, y: middle - 8, width: Math.max(1, plot.x(row.ms) - plot.left), height: 16, rx: 3, opacity: 0.8 });
    plot.add('text', { x: plot.x(row.ms) + 6, y: middle + 4 }, `${(100 * row.share).toFixed(1)} %`);
  });
  return plot.svg;
}

function legend() {
  return element('p', {}, ...Object.entries(boundColors).map(([bound, color]) =>
    element('span', {}, element('i', { class: 'key ' + color }), bound + '   ')));
}

// Roofline (Williams, Waterman, Patterson): operations per byte against operations per second.
function roofline(list) {
  const limits = data.limits;
  const known = list.filter((row) => row.flops && row.bytes && row.gflops);
  if (!limits || known.length === 0) return null;
  const intensity = (row) => row.flops / row.bytes;
  const plot = new Plot({ label: 'Roofline', width: 1120, height: 380, logX: true, logY: true });
  const intensities = known.map(intensity);
  plot.rangeX = [Math.min(0.1, ...intensities) * 0.8, Math.max(100, ...intensities) * 1.3];
  plot.rangeY = [Math.min(1, ...known.map((row) => row.gflops)) * 0.7, Math.max(limits.gflops, ...known.map((row) => row.gflops)) * 1.6];
  plot.axes((value) => String(Number(value.toPrecision(3))), (value) => String(Number(value.toPrecision(3))), 'operations per byte', 'GFLOP/s');
  const roof = (speed, text) => {
    const points = [];
    for (let at = plot.rangeX[0]; at <= plot.rangeX[1] * 1.0001; at *= 1.05) {
      const height = Math.min(limits.gflops, at * speed);
      if (height >= plot.rangeY[0]) points.push([at, height]);
    }
    plot.add('path', { class: 'guide', d: points.map(([x, y], i) => (i ? 'L' : 'M') + plot.x(x).toFixed(1) + ' ' + plot.y(y).toFixed(1)).join('') });
    const start = points[0];
    plot.add('text', { x: plot.x(start[0]) + 8, y: plot.y(start[1]) - 8 }, text);
  };
  roof(limits.memory_gbytes_per_s, `memory ${digits(limits.memory_gbytes_per_s)} GB/s`);
  roof(limits.cache_gbytes_per_s, `caches ${digits(limits.cache_gbytes_per_s)} GB/s`);
  plot.add('text', { x: plot.width - plot.right, y: plot.y(limits.gflops) - 7, 'text-anchor': 'end' }, `arithmetic ${digits(limits.gflops)} GFLOP/s`);
  for (const row of known) {
    const dot = shape('circle', { class: 'dot ' + boundColors[row.bound], cx: plot.x(intensity(row)), cy: plot.y(row.gflops), r: 4 + 14 * Math.sqrt(row.share), opacity: 0.6 });
    dot.append(shape('title', {}, `${row.node} (${row.op_type}): ${timeText(row.ms)}, ${digits(row.gflops)} GFLOP/s`));
    plot.svg.append(dot);
  }
  return plot.svg;
}

function nodeTable(list) {
  return table(['node', 'type', 'kernel', 'shape', 'time', 'share', 'GFLOP/s', 'GB/s', 'bound by'], list.map((row) => [row.node, row.op_type, row.kernel,
    row.shape, timeText(row.ms), (100 * row.share).toFixed(1) + ' %', row.gflops ? digits(row.gflops) : '–',
    row.gbytes_per_s ? digits(row.gbytes_per_s) : '–', row.bound]), [1, 2, 3, 8]);
}

function build() {
  document.getElementById('title').textContent = measured.map((result) => result.model.split('/').slice(-2).join('/')).filter((name, index, all) => all.indexOf(name) === index).join(', ');
  const machine = data.machine;
  document.getElementById('facts').textContent = `${machine.cpu}, ${machine.processors} processors · ortool ${data.tool.version} · ${data.date}`;
  for (const warning of data.warnings) main.append(element('div', { class: 'warn' }, warning));
  for (const note of data.notes) main.append(element('p', { class: 'note' }, note));
  if (data.gate.length) main.append(section('Verdicts', 'A regression is significant and above the threshold.', gateTable()));
  if (measured.length) {
    main.append(section('Steady state', 'Times of single runs after the warm-up.', steadyTable(), missingPercentiles(), medianBars()));
    main.append(element('div', { class: 'pair' },
      section('Over time', 'The median of each block; all variants are interleaved in every round.', overTime()),
      section('Distribution', 'The fraction of runs that took no longer.', sharesBelow())));
    main.append(section('Startup', 'One-time costs, and memory of a separate process.', beforeTable(), deviceTable()));
  }
  if (data.comparison.some((entry) => entry.ratio_ci)) {
    main.append(section('Comparisons', 'The gray band is the noise floor: the difference of two measurements of the same variant.', comparisonPlot()));
  }
  for (const result of measured) {
    const list = profileOf(result.variant);
    if (list.length === 0) continue;
    const roofs = roofline(list);
    main.append(section('Nodes of ' + result.variant, 'The slowest first; colors show what bounds them.', legend(), nodeBars(list)));
    if (roofs) main.append(section('Roofline', 'Each circle is a node, its area its share of the time; lines are the peak rates of this machine.', roofs));
    main.append(section('All nodes', '', nodeTable(list)));
  }
}

function flipTheme() { document.documentElement.classList.toggle('dark'); }

if (window.matchMedia('(prefers-color-scheme: dark)').matches) flipTheme();
document.getElementById('theme').addEventListener('click', flipTheme);
document.addEventListener('keydown', (event) => { if (event.key === 't') flipTheme(); });
build();
