"use strict";
// The plane: a region, level lines, and the ways of the chosen methods up to a step.

const WORDS = {
  start: "start", toward: "toward the answer", away: "away from an earlier answer",
  between: "from one answer to another", combined: "a combination", stay: "none",
};
const STEP_MS = 550;

class View {
  constructor(data) {
    this.data = data;
    this.scene = data.scenes[0];
    this.k = 0;
    this.shown = this.scene.walks.map(() => true);
    this.timer = null;
    this.find();
    this.offer();
    this.listen();
    this.draw();
    new ResizeObserver(() => this.draw()).observe(this.plane);
  }

  find() {
    const get = (selector) => document.querySelector(selector);
    [this.plane, this.slider, this.output] = [".plane", ".slider input", ".slider output"].map(get);
    [this.play, this.rows] = [".play", "tbody"].map(get);
  }

  offer() {
    const scenes = document.querySelector(".scenes"), legend = document.querySelector(".legend");
    this.choices = this.data.scenes.map((scene) => {
      const button = html("button", { type: "button" }, scene.title);
      button.onclick = () => { this.scene = scene; this.draw(); };
      scenes.append(button);
      return button;
    });
    this.scene.walks.forEach((walk, index) => {
      const button = html("button", { type: "button", "aria-pressed": "true" },
        swatch(walk, index), walk.name);
      button.onclick = () => {
        this.shown[index] = !this.shown[index];
        button.setAttribute("aria-pressed", String(this.shown[index]));
        this.draw();
      };
      legend.append(button);
    });
  }

  listen() {
    this.slider.oninput = () => { this.pause(); this.go(Number(this.slider.value)); };
    document.querySelector(".back").onclick = () => { this.pause(); this.go(this.k - 1); };
    document.querySelector(".on").onclick = () => { this.pause(); this.go(this.k + 1); };
    this.play.onclick = () => (this.timer === null ? this.start() : this.pause());
  }

  start() {
    if (this.k === this.data.steps) this.go(0);
    this.play.textContent = "Pause";
    this.timer = setInterval(() => {
      this.go(this.k + 1);
      if (this.k === this.data.steps) this.pause();
    }, STEP_MS);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
  }

  go(k) {
    this.k = Math.max(0, Math.min(this.data.steps, k));
    this.draw();
  }

  draw() {
    this.slider.value = String(this.k);
    this.output.textContent = String(this.k);
    this.choices.forEach((button, i) =>
      button.setAttribute("aria-pressed", String(this.data.scenes[i] === this.scene)));
    const [left, right, bottom, top] = this.scene.frame, width = this.plane.clientWidth;
    const most = Math.max(320, 0.66 * innerHeight);
    const scale = Math.min(width / (right - left), most / (top - bottom));
    const height = (top - bottom) * scale, edge = (width - (right - left) * scale) / 2;
    this.at = ([x, y]) => [edge + (x - left) * scale, (top - y) * scale];
    const root = svg("svg", { viewBox: `0 0 ${width} ${height.toFixed(0)}`, height, role: "img",
      "aria-label": `${this.scene.title} at step ${this.k}; the table below has the values` });
    this.ground(root, scale);
    this.scene.walks.forEach((walk, i) => { if (this.shown[i]) this.walk(root, walk, i); });
    const [x, y] = this.at(this.scene.optimum);
    root.append(svg("path", { class: "best", d: `M${x - 9},${y}H${x + 9}M${x},${y - 9}V${y + 9}` }));
    this.plane.replaceChildren(root);
    this.rows.replaceChildren(...this.scene.walks.flatMap((walk, i) =>
      this.shown[i] ? [this.row(walk, i)] : []));
  }

  ground(root, scale) {
    const [cx, cy] = this.at(this.scene.center);
    for (const [a, b, angle] of this.scene.rings) {
      root.append(svg("ellipse", { class: "ring", rx: a * scale, ry: b * scale,
        transform: `translate(${cx},${cy}) rotate(${-angle})` }));
    }
    const outline = this.scene.outline.map(this.at);
    root.append(svg("path", { class: "region", d: `M${outline.join("L")}z` }));
    if (!this.scene.corners) return;
    for (const [x, y] of outline) root.append(svg("circle", { class: "corner", cx: x, cy: y, r: 3 }));
  }

  walk(root, walk, index) {
    const stroke = color(walk, index), points = walk.points.slice(0, this.k + 1).map(this.at);
    const atoms = walk.atoms.slice(0, this.k + 1).map(this.at);
    const [x, y] = points.at(-1), [sx, sy] = atoms.at(-1), r = 6 + 2.5 * index;
    const rings = new Map(atoms.slice(0, -1).map((atom) => [atom.map(Math.round).join(), atom]));
    for (const [cx, cy] of rings.values()) {
      root.append(svg("circle", { class: "asked", cx, cy, r, stroke, "fill-opacity": 0 }));
    }
    root.append(
      svg("line", { class: "aim", x1: x, y1: y, x2: sx, y2: sy, stroke }),
      svg("circle", { class: "answer", cx: sx, cy: sy, r, fill: stroke, "fill-opacity": 0.75 }),
      svg("path", { class: "path", "data-series": walk.name, d: "M" + points.join("L"), stroke,
        "stroke-dasharray": dash(walk, index) }));
    for (const [px, py] of points) root.append(svg("circle", { cx: px, cy: py, r: 2.6, fill: stroke }));
    root.append(svg("circle", { class: "here", cx: x, cy: y, r: 5 }));
  }

  row(walk, index) {
    const number = (v) => html("td", { class: "number" }, v < 1e-12 ? "< 10⁻¹²" : write(v, 3));
    return html("tr", {},
      html("th", { scope: "row" }, swatch(walk, index), walk.name),
      number(walk.errors[this.k]), number(walk.gaps[this.k]),
      html("td", {}, WORDS[walk.moves[this.k]]));
  }
}

new View(JSON.parse(document.getElementById("data").textContent));
