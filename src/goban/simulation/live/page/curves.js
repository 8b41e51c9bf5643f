"use strict";
// Numbers over time, a frame for each unit of a series (uPlot).
class Curves {
  constructor() {
    this.home = document.getElementById("curves");
    this.series = new Map();
    window.addEventListener("resize", () => this.each(frame => frame.plot.setSize(this.size())));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      for (const one of this.series.values()) this.build(one);
    });
  }
  each(act) { for (const one of this.series.values()) one.frames.forEach(act); }
  clear() {
    this.each(frame => frame.plot.destroy());
    this.home.replaceChildren();
    this.series.clear();
  }
  take(news) {
    let one = this.series.get(news.name);
    if (!one) this.series.set(news.name, one = {name: news.name, rows: [], frames: [], columns: []});
    if (news.anew) {
      one.rows = []; one.columns = news.columns;
      one.stale = true;
    }
    for (const row of news.rows) one.rows.push(row);
    if (!this.timer) this.timer = setTimeout(() => { this.timer = 0; this.draw(); }, 100);
  }
  draw() {
    for (const one of this.series.values()) {
      if (one.stale) this.build(one);
      else for (const frame of one.frames) frame.plot.setData(this.data(one, frame));
    }
  }
  data(one, frame) { return [0, ...frame.columns].map(c => one.rows.map(row => row[c])); }
  size() { return {width: Math.max(240, this.home.clientWidth - 24), height: 200}; }
  build(one) {
    one.stale = false;
    const logs = new Map(one.frames.map(frame => [frame.unit, frame.log]));
    for (const frame of one.frames) { frame.plot.destroy(); frame.home.remove(); }
    one.frames = [];
    one.columns.slice(1).forEach((column, n) => {
      let frame = one.frames.find(frame => frame.unit == column.unit && frame.columns.length < 8);
      if (!frame) one.frames.push(frame = {unit: column.unit, columns: [], log: logs.get(column.unit) ?? false});
      frame.columns.push(n + 1);
    });
    for (const frame of one.frames) this.buildFrame(one, frame);
  }
  buildFrame(one, frame) {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
    const axis = {stroke: ink, values: (plot, ticks) => ticks.map(tick => tick === null ? "" : short(tick)), grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1}};
    const x = one.columns[0], named = column => column.name + (column.unit ? " [" + column.unit + "]" : "");
    const number = (plot, value) => value === null ? "" : short(value);
    if (!frame.home) {
      frame.home = document.createElement("div"); frame.home.className = "curve";
      const button = document.createElement("button");
      button.textContent = "log"; button.title = "Logarithmic scale, of positive values";
      button.addEventListener("click", () => {
        frame.log = !frame.log; frame.plot.destroy(); this.buildFrame(one, frame);
      });
      frame.home.append(button); this.home.append(frame.home);
    }
    const data = this.data(one, frame);
    const positive = data.slice(1).every(values => values.every(value => value === null || value > 0));
    frame.plot = new uPlot({
      ...this.size(), title: one.name + (frame.unit ? " [" + frame.unit + "]" : ""),
      scales: {x: {time: false}, y: {distr: frame.log && positive ? 3 : 1}},
      axes: [{...axis, label: named(x), labelSize: 18, size: 34}, {...axis, size: 62}],
      series: [{label: x.name, value: number}, ...frame.columns.map((c, n) => ({
        label: one.columns[c].name, stroke: Curves.colors[n % Curves.colors.length], width: 1.6,
        value: number, points: {show: data[0].length < 2}}))],
    }, data, frame.home);
  }
}
