"use strict";
// A plane of values: fetched when the run has a new one, drawn here.
class Plane {
  constructor(token, wish) {
    this.token = token; this.wish = wish; this.slice = null; this.after = -1;
    this.running = false; this.abort = null; this.over = false;
    this.viewer = Math.random().toString(36).slice(2);
    this.cells = document.getElementById("cells");
    this.cells.addEventListener("mousemove", event => this.tell(event));
    this.cells.addEventListener("mouseleave", () => { this.at = null; this.tellValue(); });
    for (const id of ["auto", "low", "high", "colors"])
      document.getElementById(id).addEventListener("change", () => this.draw());
    window.addEventListener("resize", () => this.draw());
  }
  choose() { this.after = -1; if (this.abort) this.abort.abort(); }
  stop() { this.running = false; if (this.abort) this.abort.abort(); }
  async start() {
    if (this.running) return;
    this.running = true;
    while (this.running) {
      let pause = 150;
      this.abort = new AbortController();
      try {
        const query = new URLSearchParams({token: this.token, viewer: this.viewer, after: this.after, ...this.wish()});
        const answer = await fetch("slice?" + query, {signal: this.abort.signal});
        if (answer.status == 200) this.take(await answer.arrayBuffer());
        else pause = 1000;
      } catch (error) { pause = error.name == "AbortError" ? 0 : 2000; }
      if (this.over) break;
      await new Promise(resolve => setTimeout(resolve, pause));
    }
    this.running = false;
  }
  take(buffer) {
    const text = new TextDecoder();
    const length = parseInt(text.decode(new Uint8Array(buffer, 0, 8)));
    const facts = JSON.parse(text.decode(new Uint8Array(buffer, 8, length)));
    if (!facts.width) return;
    facts.values = new Float32Array(buffer, 8 + length);
    this.slice = facts; this.after = facts.step;
    this.draw();
  }
  limits() {
    const low = document.getElementById("low"), high = document.getElementById("high");
    const auto = document.getElementById("auto").checked;
    low.disabled = high.disabled = auto;
    if (auto) {
      low.value = short(this.slice.low); high.value = short(this.slice.high);
      return [this.slice.low ?? 0, this.slice.high ?? 1];
    }
    return [parseFloat(low.value), parseFloat(high.value)];
  }
  draw() {
    const slice = this.slice;
    if (!slice) return;
    const [low, high] = this.limits();
    const table = Plane.table(document.getElementById("colors").value);
    const image = new ImageData(slice.width, slice.height);
    const pixels = new Uint32Array(image.data.buffer), last = table.length - 1;
    const scale = high > low ? last / (high - low) : 0;
    for (let j = 0; j < slice.height; ++j) {
      let from = j * slice.width, to = (slice.height - 1 - j) * slice.width;
      for (let i = 0; i < slice.width; ++i, ++from, ++to) {
        const value = slice.values[from];
        pixels[to] = value == value ? table[Math.max(0, Math.min(last, Math.round((value - low) * scale)))] : 0xff808080;
      }
    }
    this.cells.width = slice.width; this.cells.height = slice.height;
    this.cells.getContext("2d").putImageData(image, 0, 0);
    this.fit();
    const bar = document.getElementById("colorbar"), line = new ImageData(256, 1);
    new Uint32Array(line.data.buffer).set(table);
    bar.getContext("2d").putImageData(line, 0, 0);
    const unit = slice.unit ? " [" + slice.unit + "]" : "";
    const when = slice.time ? "t = " + slice.time + " (step " + slice.step + ")" : "step " + slice.step;
    document.getElementById("planetitle").textContent =
      [slice.quantity + unit, slice.place, when].filter(part => part).join(", ");
    for (const side of ["across", "up"]) {
      const {name, low, high, unit} = slice[side];
      document.getElementById(side).textContent = `${short(low)} ← ${name}${unit ? " [" + unit + "]" : ""} → ${short(high)}`;
    }
    this.tellValue();
  }
  // As large as there is room for, with the proportions of the grid.
  fit() {
    const {across, up} = this.slice;
    const ratio = Math.abs((up.high - up.low) / (across.high - across.low)) || 1;
    const room = this.cells.parentElement.clientWidth, most = Math.max(220, 0.6 * window.innerHeight);
    let width = room, height = room * ratio;
    if (height > most) { width *= most / height; height = most; }
    this.cells.style.width = width + "px";
    this.cells.style.height = Math.max(height, 24) + "px";
  }
  tell(event) {
    const box = this.cells.getBoundingClientRect(), slice = this.slice;
    if (!slice) return;
    const x = (event.clientX - box.left) / box.width, y = 1 - (event.clientY - box.top) / box.height;
    this.at = [Math.min(slice.width - 1, Math.max(0, Math.floor(x * slice.width))),
               Math.min(slice.height - 1, Math.max(0, Math.floor(y * slice.height))), x, y];
    this.tellValue();
  }
  tellValue() {
    const output = document.getElementById("value"), slice = this.slice;
    if (!this.at || !slice) { output.textContent = ""; return; }
    const [i, j, x, y] = this.at, {across, up} = slice;
    const place = (side, t) => short(side.low + t * (side.high - side.low));
    output.textContent = `${short(slice.values[Math.min(j, slice.height - 1) * slice.width + Math.min(i, slice.width - 1)])} at ${place(across, x)}, ${place(up, y)}`;
  }
  // 256 colours as the four bytes of a pixel, between those that goban sends of each map.
  static table(name) {
    const text = Plane.maps[name], count = text.length / 6, table = new Uint32Array(256);
    const channel = (n, c) => parseInt(text.substr(6 * n + 2 * c, 2), 16);
    for (let k = 0; k < 256; ++k) {
      const at = k / 255 * (count - 1), n = Math.min(Math.floor(at), count - 2), t = at - n;
      const mix = c => Math.round(channel(n, c) * (1 - t) + channel(n + 1, c) * t);
      table[k] = (0xff000000 | mix(2) << 16 | mix(1) << 8 | mix(0)) >>> 0;
    }
    return table;
  }
}
function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "none";
  return String(parseFloat(Number(value).toPrecision(4)));
}
