// Makes the page work: shows one endpoint at a time, filters the list, sends requests and shows the responses.
// The API key is kept in its input only, and sent only as a header.

import { Plot } from "./plot.js";

const LARGEST_BODY = 8 * 1024 * 1024;
const LONGEST_TEXT = 20_000;

const page = document.documentElement;
const byId = (id) => document.getElementById(id);
const articles = [...document.querySelectorAll("article")];
const links = [...document.querySelectorAll("nav li a")];
const title = document.title;
const plot = new Plot(byId("plot"));
let asked = new AbortController();

// One endpoint at a time.

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
  asked.abort();
  byId("reply").hidden = true;
  const heading = chosen?.querySelector("h3");
  document.title = heading ? `${heading.textContent} – ${title}` : title;
  if (focus) (heading ?? byId("filter")).focus();
  if (focus) scrollTo(0, 0);
}

// The list.

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

// A request.

/** The URL that a form asks for; several values of one param are joined by commas. */
function question(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  const values = new FormData(form);
  for (const name of new Set(values.keys())) {
    const control = form.elements[name];
    const given = values.getAll(name).filter((value) => value !== "");
    const value = given.map((value) => (control.type === "datetime-local" ? moment(value) : value)).join(",");
    if (control.dataset?.in === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (given.length) query.append(name, value);
  }
  const text = query.toString().replaceAll("%2C", ",");
  return new URL(text ? `${path}?${text}` : path, location.origin);
}

/** What a clock in UTC shows, in the unit of the wire. */
function moment(text) {
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

/** The URL with the API key, if the service has it there. */
function withKey(url) {
  const [name, key] = [document.body.dataset.keyQuery, byId("key")?.value];
  if (!name || !key) return url;
  const separator = url.search ? "&" : "?";
  return `${url}${separator}${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
}

async function send(form) {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const url = question(form);
  form.after(byId("reply"));
  byId("reply").hidden = false;
  byId("request").textContent = `GET ${url}`;
  clear("Waiting for the response …");
  const began = performance.now();
  try {
    const reply = await fetch(withKey(url), { headers: headers(), cache: "no-store", redirect: "error", signal });
    const { text, whole } = await bounded(reply);
    display(form, reply, text, whole, performance.now() - began);
  } catch (error) {
    if (!signal.aborted) clear(`No response: ${error.message}.`, "failed");
  }
}

/** The text of a body, as far as a page can hold it. */
async function bounded(reply) {
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < LARGEST_BODY) {
    const { done, value } = await reader.read();
    if (done) return { text, whole: true };
    text += value;
  }
  await reader.cancel();
  return { text, whole: false };
}

// A response.

function clear(status, kind = "") {
  byId("status").textContent = status;
  byId("status").className = kind;
  byId("plot").hidden = true;
  byId("text").textContent = "";
  byId("text").hidden = true;
  byId("cut").hidden = true;
}

function display(form, reply, text, whole, took) {
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    // Shown unchanged.
  }
  const { list, time } = form.dataset;
  const records = list ? list.split(".").reduce((value, key) => value?.[key], json) : json;
  const facts = [`${reply.status} ${reply.statusText}`.trim(), `${Math.round(took)} ms`, size(text.length)];
  if (Array.isArray(records)) facts.push(`${records.length} ${records.length === 1 ? "record" : "records"}`);
  if (whole && json === undefined) facts.push("not JSON");
  const invented = reply.headers.get("x-sandbox-invented");
  if (invented) facts.push(`mock data: ${invented}`);
  clear(facts.join(" · "), reply.ok ? "good" : "failed");
  plot.show(reply.ok && Array.isArray(records) ? records : [], time, Number(document.body.dataset.milliseconds));
  print(json === undefined ? text : JSON.stringify(json, null, 2), whole);
}

function print(text, whole) {
  byId("text").hidden = false;
  byId("text").textContent = text.slice(0, LONGEST_TEXT);
  byId("cut").hidden = whole && text.length <= LONGEST_TEXT;
  byId("cut").textContent = whole
    ? `The first ${size(LONGEST_TEXT)} of ${size(text.length)}.`
    : `The first ${size(LONGEST_TEXT)}; the download was stopped after ${size(text.length)}.`;
}

function size(characters) {
  if (characters < 1000) return `${characters} B`;
  return characters < 1_000_000 ? `${(characters / 1000).toFixed(1)} kB` : `${(characters / 1_000_000).toFixed(1)} MB`;
}

page.classList.add("script");
addEventListener("hashchange", () => show(true));
byId("filter").addEventListener("input", filter);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // The address identifies the endpoint.
  byId("main").focus();
});
addEventListener("submit", (event) => {
  event.preventDefault();
  send(event.target);
});
filter();
show(false);
