"use strict";
const token = new URLSearchParams(location.search).get("token") ?? "";
const by = id => document.getElementById(id);
let facts = null, state = {}, events = null, over = false, cleared = true;
const curves = new Curves();
const wish = () => ({field: by("field").value || 0, component: by("component").value || 0,
                     axis: by("axis").value || 2, layer: by("layer").value || 0});
const plane = new Plane(token, wish);

function showState() {
  const status = by("status"), seen = new Map([
    ["done", state.fraction >= 0 ? Math.floor(100 * state.fraction) + " %" : null],
    ["left", state.status == "running" ? state.left : null],
    ["step", state.steps ? state.step + " of " + state.steps : state.step],
    ["time", state.time], ["rate", state.rate],
    ["bandwidth", state.bandwidth],
    ["share of the copy", state.of_copy ? Math.round(100 * state.of_copy) + " %" : null],
    ["until", state.goal]]);
  status.textContent = state.status ?? "";
  status.className = state.status == "failed" ? "grave" : ["running", "finished"].includes(state.status) ? "" : "waiting";
  if (state.fraction >= 0) by("bar").value = state.fraction; else by("bar").removeAttribute("value");
  by("numbers").replaceChildren(...[...seen].filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => {
    const box = document.createElement("div"), term = document.createElement("dt"), text = document.createElement("dd");
    term.textContent = name; text.textContent = value; box.append(term, text);
    return box;
  }));
  const done = state.fraction >= 0 ? Math.floor(100 * state.fraction) + " % " : "";
  document.title = done + (facts ? facts.name : "goban");
  const paused = state.status == "paused";
  for (const button of document.querySelectorAll("[data-order]")) {
    const order = button.dataset.order;
    button.hidden = !facts || !facts.orders.includes(order) || (order == "pause" && paused) || (order == "resume" && !paused);
    button.disabled = over;
  }
}
function addLine(text) {
  const log = by("log"), line = document.createElement("div");
  const atEnd = log.scrollTop + log.clientHeight > log.scrollHeight - 30;
  line.textContent = text;
  if (/^warning|unwritten/.test(text)) line.className = "warning";
  if (/^failed/.test(text)) line.className = "failed";
  log.append(line);
  while (log.childElementCount > 2000) log.firstChild.remove();
  if (atEnd) log.scrollTop = log.scrollHeight;
}
function fill(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value)));
}
function showField() {
  const field = facts.fields[by("field").value];
  if (!field) return;
  const numbers = [...Array(field.components).keys()].map(c => [c, field.components <= 3 ? "xyz"[c] : c]);
  fill(by("component"), field.components > 1 ? [[-1, "magnitude"], ...numbers] : numbers);
  by("componentlabel").hidden = field.components < 2;
  for (const option of by("axis").options) option.disabled = false;
  const flat = field.cells.indexOf(1);
  by("axis").value = flat >= 0 ? flat : 2;
  showAxis();
}
function showAxis() {
  const cells = facts.fields[by("field").value].cells[by("axis").value];
  by("layer").max = cells - 1;
  by("layer").value = Math.floor(cells / 2);
  by("layerlabel").hidden = cells < 2;
  showPlace();
}
function showPlace() {
  const field = facts.fields[by("field").value], axis = by("axis").value;
  const place = field.origin[axis] + (Number(by("layer").value) + 0.5) * field.spacing[axis];
  by("place").textContent = `${"xyz"[axis]} = ${short(place)} ${facts.length_unit}`;
  plane.choose();
}
function takeFacts(news) {
  const isNew = JSON.stringify(news) != JSON.stringify(facts);
  by("log").replaceChildren(); curves.clear();
  if (!isNew) return;
  facts = news;
  by("title").textContent = [facts.name, facts.title].filter(part => part).join(": ");
  by("about").textContent = `${facts.about}\n${facts.app}, process ${facts.process} on ${facts.host}, files in ${facts.directory}`;
  Curves.colors = facts.curve_colors;
  Plane.maps = facts.colors;
  fill(by("colors"), Object.keys(facts.colors).map(name => [name, name]));
  fill(by("field"), facts.fields.map((field, n) => [n, field.name]));
  by("plane").hidden = facts.fields.length == 0;
  if (facts.fields.length > 0) showField();
}
function open() {
  if (events || over) return;
  events = new EventSource("events?token=" + encodeURIComponent(token));
  const on = (name, act) => events.addEventListener(name, event => act(JSON.parse(event.data)));
  on("facts", news => { by("trouble").hidden = true; takeFacts(news); showState(); plane.start(); });
  on("state", news => { state = news; showState(); });
  on("line", addLine);
  on("series", news => curves.take(news));
  on("end", () => { over = plane.over = true; close(); showState(); });
  events.onerror = () => {
    by("trouble").textContent = "The run does not answer; trying again.";
    by("trouble").hidden = over;
  };
}
function close() { if (events) events.close(); events = null; plane.stop(); }

for (const button of document.querySelectorAll("[data-order]")) {
  button.addEventListener("click", async () => {
    const what = button.dataset.order;
    if (what == "stop" && !confirm("Save a checkpoint and end the run?")) return;
    const answer = await fetch("order?" + new URLSearchParams({token, what, ...wish()}), {method: "POST"}).catch(() => null);
    if (!answer || !answer.ok) addLine("warning: " + what + ": " + (answer ? await answer.text() : "the run does not answer"));
  });
}
by("field").addEventListener("change", showField);
by("axis").addEventListener("change", showAxis);
by("component").addEventListener("change", () => plane.choose());
by("layer").addEventListener("input", showPlace);
for (const id of ["choice", "range"]) by(id).addEventListener("submit", event => event.preventDefault());
// A page that nobody sees asks for nothing.
document.addEventListener("visibilitychange", () => document.hidden ? close() : open());
showState();
open();
