// The script of the page: shows one endpoint at a time, filters the list, sends requests and shows the responses. The
// API key is stored only in its input, and sent in a header, or in the query if the service requires that.

import { Plot } from "./plot.js";

const MAX_BODY = 8 * 1024 * 1024;
const MAX_TEXT = 20_000;

const page = document.documentElement;
const byId = (id) => document.getElementById(id);
const articles = [...document.querySelectorAll("article")];
const links = [...document.querySelectorAll("nav li a")];
const title = document.title;
const plot = new Plot(byId("plot"));
let pending = new AbortController();

// Shows one endpoint at a time.

function show(focus) {
  const id = decodeURIComponent(location.hash.slice(1));
  const chosen = articles.find((article) => article.id === id);
  if (id && !chosen) return;
  for (const article of articles) article.hidden = article !== chosen;
  for (const group of document.querySelectorAll("section.group")) group.hidden = !group.contains(chosen ?? null);
  for (const link of links) {
    if (link.hash === location.hash) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  byId("introduction").hidden = Boolean(chosen);
  page.classList.toggle("chosen", Boolean(chosen));
  pending.abort();
  byId("response").hidden = true;
  const heading = chosen?.querySelector("h3");
  document.title = heading ? `${heading.textContent} – ${title}` : title;
  if (focus) (heading ?? byId("filter")).focus();
  if (focus) scrollTo(0, 0);
}

// Filters the list.

function filter() {
  const words = byId("filter").value.toLowerCase().split(/\s+/);
  let matches = 0;
  for (const group of document.querySelectorAll("nav .group")) {
    const name = group.querySelector(".group-name").textContent.toLowerCase();
    const items = [...group.querySelectorAll("li")];
    for (const item of items) {
      item.hidden = !words.every((word) => item.dataset.words.includes(word) || name.includes(word));
    }
    const left = items.filter((item) => !item.hidden).length;
    group.hidden = left === 0;
    matches += left;
  }
  byId("matches").textContent = `${matches} of ${links.length} endpoints`;
}

// Sends a request.

/** Returns the URL for the values of a form; several values of one param are joined by commas. */
function requestUrl(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const values = new FormData(form);
  for (const name of new Set(values.keys())) {
    const control = form.elements[name];
    const filled = values.getAll(name).filter((value) => value !== "");
    const value = filled.map((value) => (control.type === "datetime-local" ? unixTime(value) : value)).join(",");
    if (control.dataset?.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (filled.length) query.append(name, value);
  }
  const text = query.toString().replaceAll("%2C", ",");
  return new URL(text ? `${path}?${text}` : path, location.origin);
}

/** Converts the text of a time input, read as UTC, to the unit of the service. */
function unixTime(text) {
  return Math.floor(Date.parse(`${text}Z`) / Number(document.body.dataset.milliseconds));
}

function headers() {
  const headers = new Headers();
  const { keyHeader, keyPrefix, keyBasic } = document.body.dataset;
  const [key, token] = [byId("key")?.value, byId("token")?.value];
  if (keyHeader && key) headers.set(keyHeader, keyPrefix + (keyBasic === undefined ? key : btoa(key)));
  if (token) headers.set("authorization", `Bearer ${token}`);
  return headers;
}

/** Returns the URL, with the API key if the service expects the key in the query. */
function withKey(url) {
  const [name, key] = [document.body.dataset.keyQuery, byId("key")?.value];
  if (!name || !key) return url;
  const separator = url.search ? "&" : "?";
  return `${url}${separator}${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
}

async function send(form) {
  pending.abort();
  pending = new AbortController();
  const { signal } = pending;
  const url = requestUrl(form);
  form.after(byId("response"));
  byId("response").hidden = false;
  byId("request").textContent = `GET ${url}`;
  clear("Waiting for the response …");
  const began = performance.now();
  try {
    const response = await fetch(withKey(url), { headers: headers(), cache: "no-store", redirect: "error", signal });
    const { text, complete } = await bounded(response);
    display(form, response, text, complete, performance.now() - began);
  } catch (error) {
    if (!signal.aborted) clear(`No response: ${error.message}.`, "failed");
  }
}

/** Returns the text of a body, up to a maximum size, and whether it is complete. */
async function bounded(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < MAX_BODY) {
    const { done, value } = await reader.read();
    if (done) return { text, complete: true };
    text += value;
  }
  await reader.cancel();
  return { text, complete: false };
}

// Shows a response.

function clear(status, kind = "") {
  byId("status").textContent = status;
  byId("status").className = kind;
  byId("plot").hidden = true;
  byId("text").textContent = "";
  byId("text").hidden = true;
  byId("cut").hidden = true;
}

function display(form, response, text, complete, duration) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    // A body that is not JSON is shown unchanged.
  }
  const { list, time } = form.dataset;
  const records = list ? list.split(".").reduce((value, key) => value?.[key], json) : json;
  const facts = [`${response.status} ${response.statusText}`.trim(), `${Math.round(duration)} ms`, size(text.length)];
  if (Array.isArray(records)) facts.push(`${records.length} ${records.length === 1 ? "record" : "records"}`);
  if (complete && json === undefined) facts.push("not JSON");
  const invented = response.headers.get("x-sandbox-invented");
  if (invented) facts.push(`mock data: ${invented}`);
  clear(facts.join(" · "), response.ok ? "good" : "failed");
  plot.show(response.ok && Array.isArray(records) ? records : [], time, Number(document.body.dataset.milliseconds));
  print(json === undefined ? text : JSON.stringify(json, null, 2), complete);
}

function print(text, complete) {
  byId("text").hidden = false;
  byId("text").textContent = text.slice(0, MAX_TEXT);
  byId("cut").hidden = complete && text.length <= MAX_TEXT;
  byId("cut").textContent = complete
    ? `The first ${size(MAX_TEXT)} of ${size(text.length)}.`
    : `The first ${size(MAX_TEXT)}; the download was stopped after ${size(text.length)}.`;
}

function size(characters) {
  if (characters < 1000) return `${characters} B`;
  return characters < 1_000_000 ? `${(characters / 1000).toFixed(1)} kB` : `${(characters / 1_000_000).toFixed(1)} MB`;
}

page.classList.add("script");
addEventListener("hashchange", () => show(true));
byId("filter").addEventListener("input", filter);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // The fragment of the URL identifies the endpoint, so it must not change.
  byId("main").focus();
});
addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target);
});
filter();
show(false);
