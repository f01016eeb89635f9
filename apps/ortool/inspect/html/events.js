// Mouse, touch, keyboard and button events.

const keysOfPage = [['/', 'search; Enter goes to the next match'], ['arrows', 'follow the edges, go to the neighbor'], ['Enter', 'open or close the selection'],
  ['+  -', 'zoom in, zoom out'], ['f', 'fit the width of the window'], ['a', 'fit the whole graph'], ['s  p', 'save the whole graph as SVG, as PNG'], ['e  c', 'open all, close all'], ['o', 'next coloring'], ['t', 'light or dark'],
  ['Esc', 'back to the model'], ['mouse', 'drag to move, wheel to zoom, double click to open or close']];

Object.assign(Viewer.prototype, {
  listen() {
    this.listenToPointer();
    this.listenToKeys();
    byId('expand').addEventListener('click', () => this.setAll(true));
    byId('collapse').addEventListener('click', () => this.setAll(false));
    byId('fit').addEventListener('click', () => this.fit());
    byId('svg').addEventListener('click', () => this.saveSvg());
    byId('png').addEventListener('click', () => this.savePng());
    byId('closer').addEventListener('click', () => this.zoom(1.25));
    byId('wider').addEventListener('click', () => this.zoom(0.8));
    byId('whole').addEventListener('click', () => this.fitAll());
    byId('theme').addEventListener('click', () => this.setTheme(!document.documentElement.classList.contains('dark')));
    byId('overlay').addEventListener('change', () => this.setOverlay(byId('overlay').value));
    byId('help').addEventListener('click', () => this.showKeys());
    const preference = matchMedia('(prefers-color-scheme: dark)');
    this.setThemeClass(preference.matches);
    preference.addEventListener('change', () => this.setTheme(preference.matches));
    new ResizeObserver(() => {
      this.painter.resize();
      this.schedule();
    }).observe(this.canvas);
  },

  setThemeClass(isDark) {
    document.documentElement.classList.toggle('dark', isDark);
    this.painter.readTheme();
  },

  showKeys() {
    const dialog = byId('keys');
    dialog.replaceChildren(element('h3', {}, 'Keys'), element('table', {}, ...keysOfPage.map(([key, what]) =>
      element('tr', {}, element('td', {}, ...key.split('  ').flatMap((one) => [element('kbd', {}, one), ' '])), element('td', {}, what)))),
      element('p', {}, element('button', { onclick: () => dialog.close() }, 'Close')));
    dialog.showModal();
  },

  listenToPointer() {
    const { canvas } = this;
    const fingers = new Map();
    let moved = 0;
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return { size: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    };
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const last = fingers.get(event.pointerId);
      if (!last) {
        const { item } = this.itemAt(event.clientX, event.clientY);
        if (item !== this.state.hovered) {
          this.state.hovered = item;
          canvas.classList.toggle('over', Boolean(item) && !item.isOpen);
          this.schedule();
        }
        return;
      }
      const before = fingers.size === 2 ? spread() : null;
      const stepX = event.clientX - last.x;
      const stepY = event.clientY - last.y;
      fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved += Math.abs(stepX) + Math.abs(stepY);
      if (before) {
        const after = spread();
        this.state.x += after.x - before.x;
        this.state.y += after.y - before.y;
        this.zoom(after.size / (before.size || 1), after.x, after.y);
        return;
      }
      if (moved < 4) return;
      canvas.classList.add('moving');
      this.state.x += stepX;
      this.state.y += stepY;
      this.schedule();
    });
    const end = (event) => {
      fingers.delete(event.pointerId);
      canvas.classList.remove('moving');
    };
    canvas.addEventListener('pointerup', (event) => {
      const wasClick = moved < 4 && fingers.size === 1;
      end(event);
      if (!wasClick) return;
      const { item, x, y } = this.itemAt(event.clientX, event.clientY);
      const isSign = item && item.children && Math.abs(x - 15) < 11 && Math.abs(y - (item.isOpen ? headHeight : item.h) / 2) < 11;
      if (isSign) this.toggle(item);
      else this.select(item);
    });
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('dblclick', (event) => {
      const { item } = this.itemAt(event.clientX, event.clientY);
      if (item && item.children) this.toggle(item);
    });
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const size = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      if (event.shiftKey) {
        this.state.x -= size;
        this.schedule();
      } else {
        this.zoom(Math.exp(-size * (event.ctrlKey ? 0.01 : 0.0016)), event.clientX, event.clientY);
      }
    }, { passive: false });
  },

  listenToKeys() {
    const search = byId('search');
    search.addEventListener('input', () => this.search(search.value));
    search.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Enter') this.nextResult(event.shiftKey ? -1 : 1);
      if (event.key === 'Escape') {
        search.value = '';
        this.results = [];
        this.select(this.state.selected);
        this.canvas.focus();
      }
    });
    document.addEventListener('keydown', (event) => {
      const isTyping = ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement.tagName);
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || byId('keys').open) return;
      const onCanvas = document.activeElement === this.canvas || document.activeElement === document.body;
      if (this.pressKey(event.key, onCanvas)) event.preventDefault();
    });
  },

  // Whether the key was handled.
  pressKey(key, onCanvas) {
    const overlays = ['', 'macs', 'parameters', 'bytes'];
    const actions = {
      '/': () => byId('search').focus(), f: () => this.fit(), a: () => this.fitAll(), e: () => this.setAll(true), c: () => this.setAll(false),
      s: () => this.saveSvg(), p: () => this.savePng(), t: () => byId('theme').click(), '?': () => this.showKeys(), Escape: () => this.select(null),
      '+': () => this.zoom(1.25), '=': () => this.zoom(1.25), '-': () => this.zoom(0.8),
      o: () => this.setOverlay(overlays[(overlays.indexOf(this.state.overlay) + 1) % overlays.length]),
    };
    const onGraph = {
      Enter: () => this.state.selected && this.toggle(this.state.selected),
      ArrowUp: () => this.walk(key), ArrowDown: () => this.walk(key), ArrowLeft: () => this.walk(key), ArrowRight: () => this.walk(key),
    };
    const action = actions[key] || (onCanvas ? onGraph[key] : undefined);
    if (action) action();
    return Boolean(action);
  },
});

{
  const started = performance.now();
  const holder = document.getElementById('data');
  const found = JSON.parse(holder.textContent);
  holder.remove();
  const viewer = new Viewer(found);
  viewer.startMs = performance.now() - started;
  // For the browser's console, and for the tests.
  window.viewer = viewer;
}
